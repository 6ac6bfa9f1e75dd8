-- One kind of state: arg is the server's URL and the kind. Prints what it has got, or why not.
local lull = require "lull"

local base, kind = arg[1], arg[2]
local home = os.getenv "HOME"
local settings = { base_url = base, timeout = 3 }

if kind == "limits" then
  settings.rate_limit = { requests = 1, per = 3600, shared = "planted" }
elseif kind == "token" then
  settings.auth = lull.auth.oauth2_refresh {
    token_url = base .. "/token", client_id = "me", refresh_token = lull.secret { env = "LULL_ATTACK_SECRET" },
    token_file = home .. "/tokens.json" }
elseif kind == "cookies" then
  settings.cookies = home .. "/cookies.txt"
elseif kind == "cache" then
  settings.expiration_time = 3600
  settings.pipeline = { parsing = { cache = lull.cache.file() } }
end

if kind == "limits" then
  -- A place that another process has taken would not come back for an hour.
  lull.spawn(function()
    lull.sleep(3)
    print "waits"
    os.exit(0)
  end)
end
local resource = lull.service(settings)("/" .. kind)
local request = resource:load_if_needed()
local _, err
if request then _, err = request:await() end
print(err and "failed: " .. (err.cause and err.cause.message or err.user_message) or resource.content)
os.exit(0)
