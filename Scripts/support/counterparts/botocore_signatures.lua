-- Sends signed requests from a file of cases. Each has its own host name, but all go to one
-- address.
local lull = require "lull"
local address, path = ...

local file <close> = assert(io.open(path, "rb"))
local requests = {}
for i, case in ipairs(lull.json.decode(file:read("a"))) do
  local keys = case.keys
  local auth = lull.auth.aws_sigv4 {
    access_key = keys.access_key, secret_key = keys.secret_key, session_token = keys.session_token,
    service = case.said.service, region = case.said.region,
  }
  local host = case.host:find(":") and case.host or case.host .. ":80"
  local api = lull.service { base_url = "http://" .. case.host, auth = auth, resolve = { [host] = address } }
  local url = "http://" .. case.host .. case.path .. (case.query ~= "" and "?" .. case.written or "")
  local body
  if case.file then
    body = lull.file(case.file, { type = case.headers["content-type"] })
  elseif case.body then
    local bytes = case.body:gsub("..", function(digits) return string.char(tonumber(digits, 16)) end)
    body = { data = bytes, content_type = case.headers["content-type"] }
  end
  case.headers["content-type"] = nil
  requests[#requests + 1] = api:resource_at(url):request(case.method, body, { headers = case.headers })
  if i % 20 == 0 then assert(lull.all(requests)); requests = {} end
end
