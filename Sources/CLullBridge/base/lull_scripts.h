// The Lua code that ships.
#ifndef LULL_SCRIPTS_H
#define LULL_SCRIPTS_H

#include "lull_bridge.h"

#endif
