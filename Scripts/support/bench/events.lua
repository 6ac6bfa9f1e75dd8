-- Reads an event stream to its end. Prints the number of events and the peak memory of the process
-- in KB.
local lull = require "lull"
local url, count = arg[1], 0
for event in lull.service(url)("/"):relative(url):events { reconnect = false } do
  count = count + 1
  assert(event.data)
end
local status = assert(io.open("/proc/self/status")):read("a")
print(count, status:match("VmHWM:%s*(%d+)"))
