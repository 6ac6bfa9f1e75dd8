#ifndef LULL_LIMIT_H
#define LULL_LIMIT_H

#include "runtime/lull_runtime.h"

void lull_limit_pass(lull_runtime *runtime, int32_t limit);

// Starts the limits of the outermost call of script code.
void lull_stretch_begin(lull_runtime *runtime);
void lull_stretch_end(lull_runtime *runtime);

#endif
