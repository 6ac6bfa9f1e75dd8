-- Sends one request to a hostile server and tells what came of it, one `name=value` a line; then sends
-- another to the same host, which must be answered as if nothing had been.
local lull = require "lull"

local url, method, seconds, upload, settings = arg[1], arg[2], tonumber(arg[3]), tonumber(arg[4]), arg[5]
local origin = url:match "^%w+://[^/]+"

local function digest(body)
  local total = 7
  local ends = body:sub(1, 4096) .. body:sub(-4096)
  if #body < 4096 then ends = body .. body end
  for index = 1, #ends do total = (total * 31 + ends:byte(index)) % 4294967291 end
  return #body .. "-" .. total
end

local function tell(name, value)
  print(name .. "=" .. tostring(value):gsub("[%c]", "?"))
end

local options = {
  base_url = origin,
  standard_transformers = {}, timeout = seconds, connect_timeout = seconds, max_body_size = 8 << 20,
}
if settings ~= "" then
  for name, value in pairs(assert(load("return " .. settings, "settings", "t", {}))()) do
    options[name] = value
  end
end
local service = lull.service(options)
local resource = service:resource_at(url)
local body = upload > 0 and { data = ("x"):rep(upload), content_type = "text/plain" } or nil
local entity, err = resource:request(method, body):await()
local answer = entity or err.entity
if err and err.cause then
  tell("kind", err.cause.kind)
  tell("message", err.cause.message)
else
  local content = answer and answer.content or ""
  if type(content) ~= "string" then content = lull.json.encode(content) end
  tell("status", err and err.http_status or entity.http_status or "none")
  tell("size", #content)
  tell("body", digest(content))
  tell("start", content:sub(1, 40))
end

service:configure("/fine", { timeout = 20 })
local fine, problem = service("/fine"):get():await()
tell("fine", fine and fine.content or problem.cause and problem.cause.message or problem)
