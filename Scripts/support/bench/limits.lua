-- B22: COUNT requests delayed only by a rate limit and answered in the process. They alternate
-- between a limit of the process and a shared one, which is shared by processes or, with URL, by
-- hosts. Prints the microseconds per request for both.
local lull = require "lull"

local count, url = tonumber((...)), select(2, ...)
if url then lull.share{ url = url } end

local function service(shared)
  local api = lull.service{
    base_url = "http://api.test",
    networking = function() return { body = "" } end,
  }
  api:configure{ rate_limit = { requests = 1000000, per = 0.2, shared = shared } }
  return api:resource("/a")
end
local plain, shared = service(false), service("bench")

local function send(resource, n)
  local started = lull.now()
  for _ = 1, n do assert(resource:get():await()) end
  return lull.now() - started
end

send(plain, count // 10)
send(shared, count // 10)
local plain_time, shared_time, slices = 0, 0, 20
for _ = 1, slices do
  plain_time = plain_time + send(plain, count // slices)
  shared_time = shared_time + send(shared, count // slices)
end
local calls = count // slices * slices
print(string.format("%.3f %.3f", plain_time / calls * 1e6, shared_time / calls * 1e6))
