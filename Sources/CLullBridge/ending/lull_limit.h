#ifndef LULL_LIMIT_H
#define LULL_LIMIT_H

#include "runtime/lull_runtime.h"

void lull_limit_pass(lull_runtime *runtime, int32_t limit);

// What the outermost call of the script's code may take, from now on.
void lull_stretch_begin(lull_runtime *runtime);
void lull_stretch_end(lull_runtime *runtime);

#endif
