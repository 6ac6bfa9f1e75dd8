-- Sends a file to a URL, read while it goes out; says what arrived, and the most memory it had, in KB.
local lull = require "lull"
local url, path = arg[1], arg[2]
local answer = assert(lull.service(url)("/"):put(lull.file(path)):await())
local status = assert(io.open("/proc/self/status")):read("a")
print(answer.text, status:match("VmHWM:%s*(%d+)"))
