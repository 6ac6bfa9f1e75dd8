#ifndef CSJ_STACK_H
#define CSJ_STACK_H

/* How much stack a thread has left, for whoever goes as deep as a document does. */

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The lowest address the stack of this thread may grow to, 0 if that is not known. Takes microseconds. */
uintptr_t csj_stack_end(void);

/* Whether so many bytes are left between here and that address. */
static inline int csj_stack_has(uintptr_t end, size_t bytes) {
  return (uintptr_t)__builtin_frame_address(0) > end + bytes;
}

#ifdef __cplusplus
}
#endif

#endif
