// Data shared by signal handlers and other code.
#ifndef LULL_SIGNAL_H
#define LULL_SIGNAL_H

#include "runtime/lull_runtime.h"

void lull_signals_wake(void);
void lull_signals_pass_limit(int32_t limit);
void lull_signals_tell_stuck(void);
void lull_signals_forget(const lull_runtime *runtime);

#endif
