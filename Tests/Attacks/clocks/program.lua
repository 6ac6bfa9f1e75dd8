-- One case of the attack on clocks: arg is the server's URL, the case's name and a folder. The clock is moved by
-- the server, while it answers /clock/SECONDS or any path with `clock=SECONDS` in its query.
local lull = require "lull"

local base, name, folder = arg[1], arg[2], arg[3]
local control = lull.service { base_url = base, timeout = 20 }

local function set_clock(seconds) assert(control("/clock/" .. seconds):get():await()) end

local function tell(key, value) print(key .. "=" .. tostring(value)) end

local function value(resource)
  local request = resource:load_if_needed()
  if request then
    local entity, err = request:await()
    if not entity then return "error: " .. (err.cause and err.cause.kind or err.user_message) end
  end
  return resource.content.count
end

local cases = {}

-- The content of one resource, asked for again after each move of the clock.
function cases.memory()
  local user = lull.service { base_url = base, expiration_time = 60 }("/count/memory")
  for _, seconds in ipairs { 0, 30, -86400, -86370, 0, 86400, 86430, -315360000, -2000000000, 0 } do
    set_clock(seconds)
    tell(seconds, value(user))
  end
end

-- The same by what the answers say of their age.
function cases.http()
  local user = lull.service { base_url = base, expiration_time = "http" }("/count/http")
  for _, seconds in ipairs { 0, 30, -86400, -86370, 0, 86400, 86430 } do
    set_clock(seconds)
    tell(seconds, value(user))
  end
end

-- One look at the content that a file of a cache has; each in a process of its own.
function cases.file()
  local api = lull.service { base_url = base, expiration_time = 60 }
  api:configure("/count/**", { pipeline = { parsing = { cache = lull.cache.file { path = folder .. "/cache.db" } } } })
  tell("count", value(api("/count/file")))
end

-- A wait for what the server says, while the clock is moved.
function cases.retry()
  local api = lull.service { base_url = base, retry = { times = 2 } }
  for _, path in ipairs { "/busy/seconds", "/busy/date" } do
    local entity, err = api(path):with_param("clock", arg[4]):get():await()
    tell(path, entity and entity.http_status or err.user_message)
  end
end

-- Requests through a limit, each of whose answers moves the clock.
function cases.limit()
  local api = lull.service {
    base_url = base, rate_limit = { requests = 2, per = 1, shared = arg[4] ~= "own" and "attack" or nil } }
  for index = 1, 5 do
    local entity, err = api("/at/" .. (arg[5] or "limit")):with_param("clock", index % 2 == 0 and 86400 or -86400)
      :get():await()
    tell(index, entity and "fine" or err.user_message)
  end
end

-- A token that holds for an hour.
function cases.token()
  local auth = lull.auth.oauth2_client_credentials {
    token_url = base .. "/token", client_id = "me", client_secret = lull.secret { env = "LULL_ATTACK_SECRET" } }
  local api = lull.service { base_url = base, auth = auth }
  for _, seconds in ipairs { 0, 1800, 7200, -86400, -86000, 0, -2000000000 } do
    set_clock(seconds)
    local entity, err = api("/authorization"):get():await()
    tell(seconds, entity and entity.content or err.user_message)
  end
end

-- A cookie that holds for a minute, from a process before or from this one.
function cases.cookies()
  local api = lull.service { base_url = base, cookies = folder .. "/cookies.txt" }
  if arg[4] == "set" then assert(api("/cookie"):get():await()) end
  tell("cookies", assert(api("/cookies"):get():await()).content)
end

-- Waits and time-outs, in the middle of which the clock is moved.
function cases.waits()
  local moving = lull.spawn(function()
    for index = 1, 10 do
      lull.sleep(0.05)
      set_clock(index % 2 == 0 and 86400 or -86400)
    end
  end)
  lull.sleep(0.3)
  local _, err = lull.service { base_url = base, timeout = 0.6 }("/silent"):get():await()
  tell("silent", err.cause.kind)
  local seen = 0
  for _ in lull.service(base)("/count/watched"):watch { every = 0.05, timeout = 30 } do
    seen = seen + 1
    set_clock(seen % 2 == 0 and 86400 or -86400)
    if seen == 4 then break end
  end
  tell("watched", seen)
  moving:await()
end

lull.run(cases[name])
print("end")
