// This target links the interpreter's library, and is there for nothing else: see Package.swift.
#include "lull_lua.h"
