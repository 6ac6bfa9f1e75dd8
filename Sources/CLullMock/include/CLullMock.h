// The Lua files of lull-mock, which are part of the program: their bytes, and how many there are.
#ifndef CLULLMOCK_H
#define CLULLMOCK_H

#include <stddef.h>

// sample.lua: the API file that `lull demo` serves.
const unsigned char *clull_mock_sample(size_t *count);

// handlers.lua: calls the `mock` functions of API files.
const unsigned char *clull_mock_handlers(size_t *count);

#endif
