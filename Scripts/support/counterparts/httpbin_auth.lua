-- Tests httpbin's kinds of authentication: correct credentials are accepted, others are rejected.
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

-- Digest: each quality of protection with each algorithm, a reused nonce, and cookies. httpbin
-- decodes the URL, so it contains no escapes here.
for _, qop in ipairs { "auth", "auth-int", "none" } do
  for _, algorithm in ipairs { "MD5", "SHA-256", "SHA-512" } do
    local path = ("/digest-auth/%s/ann/open-sesame/%s"):format(qop, algorithm)
    isIn(lull.auth.digest("ann", "open-sesame"), path, { authenticated = true, user = "ann" })
    isOut(lull.auth.digest("ann", "other"), path, 401)
  end
end
isIn(lull.auth.digest("ann", "secret"), "/digest-auth/auth/ann/secret", { authenticated = true })
isOut(nil, "/digest-auth/auth/ann/secret", 401)

do
  local digest = lull.auth.digest(lull.secret { command = "echo ann" }, lull.secret { command = "echo secret" })
  local api = lull.service { base_url = url, auth = digest, cookies = true }
  local counts = {}
  -- Each nonce is valid for two requests. Every third one gets a stale nonce.
  for i = 1, 6 do
    local request = api("/digest-auth/auth/ann/secret/SHA-256/2"):get()
    assert(request:await())
    counts[i] = #request.attempts
  end
  assert(table.concat(counts, " ") == "2 1 2 1 2 1", "attempts: " .. table.concat(counts, " "))
end
