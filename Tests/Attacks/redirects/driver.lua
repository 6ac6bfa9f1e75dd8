-- Sends what the JSON file named first lists, and prints a line of JSON for each: how it ended.
local lull = require "lull"

local file = assert(io.open(arg[1], "rb"))
local cases = lull.json.decode(file:read "a")
file:close()

local function send(case)
  local settings = { base_url = case.base, headers = case.headers, timeout = 20 }
  if case.redirects ~= nil and case.redirects ~= lull.null then settings.redirects = case.redirects end
  local secret = lull.secret { env = "LULL_ATTACK_SECRET" }
  if case.secret == "auth" then settings.auth = lull.auth.bearer(secret) end
  local resource = lull.service(settings)(case.path)
  if case.secret == "query" then resource = resource:with_param("key", secret) end
  local body = case.secret == "body" and { json = { key = secret } } or nil
  local request = resource:request(case.method, body, function(request)
    if case.text then
      request.body = case.text
      request.headers["content-type"] = "text/plain"
    end
  end)
  local entity, err = request:await()
  local content = entity and entity.content
  return {
    id = case.id,
    status = entity and entity.http_status or err.http_status or lull.null,
    content = type(content) == "string" and content or lull.null,
    kind = err and err.cause and err.cause.kind or lull.null,
    message = err and (err.cause and err.cause.message or err.user_message) or lull.null,
  }
end

for _, outcome in ipairs(lull.map(cases, send, { concurrency = 32 })) do
  print(lull.json.encode(outcome))
end
