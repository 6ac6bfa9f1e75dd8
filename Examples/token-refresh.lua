-- Tokens that expire: whoever meets a 401 waits for one shared refresh, then tries once more.
local lull = require "lull"

local base = lull.demo()
local auth = lull.service(base) -- for /login and /token, which need no token
local api = lull.service(base)

local login = { json = { user = "ann", password = "secret" } }
local session = assert(auth:resource("/login"):post(login):await()).content

-- Computed once, then again after each invalidate_configuration().
api:configure("/**", function(config)
  config.headers.Authorization = "Bearer " .. session.token
end)

-- The refresh under way, shared by everybody who needs a new token meanwhile.
local refreshing
local function refresh()
  if not refreshing then
    refreshing = auth:resource("/token")
      :post({ json = { refresh_token = session.refresh_token } })
      :on_success(function(entity)
        session = entity.content
        api:invalidate_configuration()
      end)
      :on_completion(function() refreshing = nil end)
  end
  return refreshing
end

-- Every request of the API becomes a chain; to its caller it looks like one request.
api:configure("/**", { decorate_requests = function(_, request)
  local token = session.token
  return request:chained(function(response)
    if not response.error or response.error.http_status ~= 401 then return nil end
    -- A late 401: the token has been renewed since this request was sent.
    if session.token ~= token then return request:repeated() end
    return refresh():chained(function(refreshed)
      if refreshed.is_failure then return nil end -- what failed is the answer; no loop
      return request:repeated()
    end)
  end)
end })

local function read_all(count)
  local requests, succeeded = {}, 0
  for i = 1, count do requests[i] = api:resource("/private"):with_param("n", i):load() end
  for _, request in ipairs(requests) do
    local entity, err = request:await()
    if entity then succeeded = succeeded + 1 else print("failed:", err) end
  end
  local counted = assert(auth:resource("/token-count"):load():await()).content
  print(succeeded .. " of " .. count .. " succeeded, refreshes so far: " .. counted.count)
end

read_all(3)
assert(auth:resource("/expire"):post():await())
read_all(30)
