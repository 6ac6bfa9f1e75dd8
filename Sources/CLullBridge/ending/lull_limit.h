#ifndef LULL_LIMIT_H
#define LULL_LIMIT_H

#include "runtime/lull_runtime.h"

void lull_limit_pass(lull_runtime *runtime, int32_t limit);

#endif
