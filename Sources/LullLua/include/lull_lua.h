// Nothing: who depends on this target is linked with the interpreter's library.
#ifndef LULL_LUA_H
#define LULL_LUA_H
#endif
