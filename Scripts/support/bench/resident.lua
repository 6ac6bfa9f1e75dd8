-- Returns a function that returns the resident memory of this process in bytes.
return function()
  local file <close> = assert(io.open("/proc/self/status"))
  return tonumber(file:read("a"):match("VmRSS:%s*(%d+) kB")) * 1024
end
