-- Downloads a URL to a file, resumably. Prints the peak memory in KB.
local lull = require "lull"
local url, path = arg[1], arg[2]
assert(lull.service(url)("/"):relative(url):download(path, { resume = true }):await())
local status = assert(io.open("/proc/self/status")):read("a")
print(status:match("VmHWM:%s*(%d+)"))
