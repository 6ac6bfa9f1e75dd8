// The Lua code that is part of the product.
#ifndef LULL_SCRIPTS_H
#define LULL_SCRIPTS_H

#include "lull_bridge.h"

#endif
