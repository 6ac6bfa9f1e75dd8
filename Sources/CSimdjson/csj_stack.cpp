#include "csj_stack.h"

#include <pthread.h>

uintptr_t csj_stack_end(void) {
#ifdef __APPLE__
  pthread_t thread = pthread_self();
  return uintptr_t(pthread_get_stackaddr_np(thread)) - pthread_get_stacksize_np(thread);
#else
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return 0;
  void *start = nullptr;
  size_t size;
  if (pthread_attr_getstack(&attributes, &start, &size) != 0) start = nullptr;
  pthread_attr_destroy(&attributes);
  return reinterpret_cast<uintptr_t>(start);
#endif
}
