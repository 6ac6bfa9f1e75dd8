-- COUNT loads of one resource with one observer, one after the other: what trace-load looks at.
local lull = require "lull"

local base_url, count = ...
local resource = lull.service(base_url):resource("/item/1")
local notified, finished = 0, 0
resource:observe(function(_, event)
  if event == "new_data" then notified = notified + 1 end
end)
for _ = 1, tonumber(count) do
  resource:load():on_completion(function(response)
    assert(response.is_success, response.error)
    finished = finished + 1
  end)
  lull.run()
end
assert(finished == tonumber(count) and notified == finished)
