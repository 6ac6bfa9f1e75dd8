-- Reads an event stream to its end; says how many events came, and the most memory the process had, in KB.
local lull = require "lull"
local url, count = arg[1], 0
for event in lull.service(url)("/"):relative(url):events { reconnect = false } do
  count = count + 1
  assert(event.data)
end
local status = assert(io.open("/proc/self/status")):read("a")
print(count, status:match("VmHWM:%s*(%d+)"))
