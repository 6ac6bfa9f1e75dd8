-- Uploads a file to a URL while reading it. Prints the number of bytes received by the server, and
-- the peak memory in KB.
local lull = require "lull"
local url, path = arg[1], arg[2]
local answer = assert(lull.service(url)("/"):put(lull.file(path)):await())
local status = assert(io.open("/proc/self/status")):read("a")
print(answer.text, status:match("VmHWM:%s*(%d+)"))
