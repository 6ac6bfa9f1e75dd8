-- The ways in that httpbin has: what it says of who has come in, and that it keeps others out.
local lull = require "lull"
local url = ...

local function service(auth) return lull.service { base_url = url, auth = auth } end

local function isIn(auth, path, expected)
  local entity, problem = service(auth)(path):get():await()
  assert(entity, path .. ": " .. tostring(problem))
  for name, value in pairs(expected) do
    local said = entity.content[name]
    assert(said == value, ("%s: %s is %s, not %s"):format(path, name, tostring(said), tostring(value)))
  end
end

local function isOut(auth, path, status)
  local entity, problem = service(auth)(path):get():await()
  assert(not entity and problem.http_status == status, path .. ": " .. tostring(problem))
end

local basic = lull.auth.basic
isIn(basic("ann", "pass word:ü"), "/basic-auth/ann/pass word:ü", { authenticated = true, user = "ann" })
isIn(basic("ann", "secret"), "/hidden-basic-auth/ann/secret", { authenticated = true })
isOut(basic("ann", "other"), "/basic-auth/ann/secret", 401)
isOut(nil, "/basic-auth/ann/secret", 401)

isIn(lull.auth.bearer("t0ken"), "/bearer", { authenticated = true, token = "t0ken" })
isOut(nil, "/bearer", 401)
