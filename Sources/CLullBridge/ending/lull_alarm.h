// Signals that the home thread gets at a certain time.
#ifndef LULL_ALARM_H
#define LULL_ALARM_H

// The purpose of an alarm: a session's line has run too long, or Ctrl-C has had no effect.
enum { LULL_ALARM_LINE = 0, LULL_ALARM_STUCK, LULL_ALARM_COUNT };

void lull_alarms_open(void);
void lull_alarms_close(void);
int lull_alarm_set(int which, double seconds);

#endif
