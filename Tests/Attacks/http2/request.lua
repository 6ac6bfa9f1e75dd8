-- Sends what a plan of the attack says: `lull request.lua FILE`, where FILE is a table. Prints the outcome
-- of each request in a line: its HTTP status, or the kind of the error and whether a retry could help.
local lull = require "lull"

local plan = assert(load("return " .. assert(lull.read_file(assert(arg[1]))), "plan", "t", {}))()

local headers = {}
if plan.header > 0 then headers["X-Large"] = ("x"):rep(plan.header) end
local service = lull.service {
  base_url = plan.url, ca_file = plan.ca_file, http_version = plan.http_version, headers = headers,
  timeout = 20, retry = plan.retries > 0 and { times = plan.retries, backoff = { base = 0.01 } } or false,
}

local function outcome(entity, err)
  if entity then return entity.http_status end
  if err.http_status then return err.http_status end
  return err.cause and err.cause.kind or tostring(err)
end

local body = plan.upload > 0 and { data = ("x"):rep(plan.upload), content_type = "text/plain" } or nil
for _ = 1, plan.before do assert(service("/fine"):get():await()) end
local requests = {}
for index = 1, plan.at_once do requests[index] = service(plan.path):request(plan.method, body) end
for _, request in ipairs(requests) do
  local entity, err = request:await()
  print(outcome(entity, err))
  if err and plan.is_verbose then io.stderr:write(tostring(err), "\n") end
end
