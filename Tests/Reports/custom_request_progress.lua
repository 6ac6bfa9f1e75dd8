local lull = require "lull"
local request = lull.custom_request {
  start = function(complete) lull.sleep(0.05) complete(lull.success {}) end,
  progress = function() return "half" end,
}
request:on_progress(function() end):start():await()
