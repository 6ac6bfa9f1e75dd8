#if !__has_include(<uv.h>)
#error "there is no <uv.h>: on Debian, apt-get install libuv1-dev"
#endif
#include <uv.h>
