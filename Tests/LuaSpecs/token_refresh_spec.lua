local spec = ...
local lull = require "lull"
local describe, it, equal = spec.describe, spec.it, spec.equal

-- A server with tokens in place of the network, and a client that renews them.
local function world(options)
  local self = { valid = "t1", served = 0, refreshes = 0, denied = 0, sent = {} }
  local function answer(http)
    if http.url:find("/token$") then
      self.refreshes = self.refreshes + 1
      lull.sleep(0.02)
      if options.refresh_fails then return { status = 500 } end
      self.valid = "t" .. (self.refreshes + 1)
      return { json = { token = self.valid } }
    end
    local number = tonumber(http.url:match("n=(%d+)"))
    self.sent[number] = (self.sent[number] or 0) + 1
    -- The token is looked at on arrival; the answer takes its time.
    local is_valid = http.headers.Authorization == self.valid
    lull.sleep(options.late and options.late(number) or 0.005)
    if not is_valid then
      self.denied = self.denied + 1
      return { status = 401 }
    end
    self.served = self.served + 1
    return { json = { n = number } }
  end

  local auth = lull.service{ base_url = "https://x.test", networking = answer }
  local api = lull.service{ base_url = "https://x.test", networking = answer }
  local token = options.token or "expired"
  local refreshing
  local function refresh()
    if not refreshing then
      refreshing = auth:resource("/token"):post()
        :on_success(function(entity)
          token = entity.content.token
          api:invalidate_configuration()
        end)
        :on_completion(function() refreshing = nil end)
    end
    return refreshing
  end
  api:configure(function(config) config.headers.Authorization = token end)
  api:configure{ decorate_requests = function(_, request)
    local used = token
    return request:chained(function(response)
      if not response.error or response.error.http_status ~= 401 then return nil end
      if token ~= used then return request:repeated() end
      return refresh():chained(function(refreshed)
        if refreshed.is_failure then return nil end
        return request:repeated()
      end)
    end)
  end }
  function self.load_all(count)
    local requests = {}
    for n = 1, count do requests[n] = api:resource("/a"):with_param("n", n):load() end
    return requests
  end
  return self
end

local function outcomes(requests)
  local succeeded, failed = 0, {}
  for n, request in ipairs(requests) do
    local entity, err = request:await()
    if entity then
      equal(entity.content.n, n)
      succeeded = succeeded + 1
    else
      failed[#failed + 1] = err.http_status
    end
  end
  return succeeded, failed
end

describe("A chained token refresh", function()
  it("CHN-19 sends one token request for 30 requests, and each of them once more", function()
    local w = world{}
    local succeeded = outcomes(w.load_all(30))
    equal(succeeded, 30)
    equal(w.refreshes, 1)
    equal(w.denied, 30)
    for n = 1, 30 do equal(w.sent[n], 2) end
  end)

  it("CHN-19 needs no further refresh for a 401 that comes late", function()
    -- The last ones are denied only after the others have the new token.
    local w = world{ late = function(n) return n > 20 and 0.15 or 0.005 end }
    local succeeded = outcomes(w.load_all(30))
    equal(succeeded, 30)
    equal(w.refreshes, 1)
    for n = 1, 30 do equal(w.sent[n], 2) end
  end)

  it("CHN-19 fails all of them, without a loop, when the refresh fails", function()
    local w = world{ refresh_fails = true }
    local succeeded, failed = outcomes(w.load_all(30))
    equal(succeeded, 0)
    equal(#failed, 30)
    for _, status in ipairs(failed) do equal(status, 500) end
    equal(w.refreshes, 1)
    for n = 1, 30 do equal(w.sent[n], 1) end
  end)

  it("CHN-14 goes on for the others when one of those who wait is cancelled", function()
    local w = world{}
    local requests = w.load_all(10)
    lull.sleep(0.015)
    requests[1]:cancel()
    equal(requests[1].response.error.cause.kind, "request_cancelled")
    table.remove(requests, 1)
    for _, request in ipairs(requests) do assert(request:await()) end
    equal(w.refreshes, 1)
    equal(w.sent[1], 1)
  end)
end)
