#include "base/lull_keys.h"

const char lull_kind_key = 0;
const char lull_runtime_key = 0;
const char lull_array_key = 0;
const char lull_host_key = 0;
const char lull_sandbox_key = 0;
const char lull_orders_key = 0;
const char lull_ordered_key = 0;
const char lull_shown_key = 0;
const char lull_omitted_key = 0;
