// Signals the home thread gets when a time has come.
#ifndef LULL_ALARM_H
#define LULL_ALARM_H

// What an alarm is for: a session's line has had its time; Ctrl-C has had no effect.
enum { LULL_ALARM_LINE = 0, LULL_ALARM_STUCK, LULL_ALARM_COUNT };

void lull_alarms_open(void);
void lull_alarms_close(void);
int lull_alarm_set(int which, double seconds);

#endif
