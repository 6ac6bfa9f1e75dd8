#include "CLullMock.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

const unsigned char *clull_mock_sample(size_t *count) {
  static const unsigned char text[] = {
#embed "sample.lua"
  };
  *count = sizeof text;
  return text;
}

const unsigned char *clull_mock_handlers(size_t *count) {
  static const unsigned char text[] = {
#embed "handlers.lua"
  };
  *count = sizeof text;
  return text;
}
