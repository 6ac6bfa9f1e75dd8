-- Limits: the settings `rate_limit` and `concurrency`, and who shares them.
local lull = require "lull"
local spec = ...
local describe, it, equal, same, check = spec.describe, spec.it, spec.equal, spec.same, spec.check
local contains, raises, json = spec.contains, spec.raises, spec.json

-- A service whose exchanges last until they are released: what has been started, in order, and how
-- many are under way.
local function held(settings)
  local net = { started = {}, running = 0, highest = 0 }
  local open = {}
  local all = { base_url = "https://api.test", networking = function(http, complete)
    local name = http.url:match "[^/]*$"
    net.started[#net.started + 1] = name
    net.running = net.running + 1
    net.highest = math.max(net.highest, net.running)
    local _ <close> = setmetatable({}, { __close = function() net.running = net.running - 1 end })
    while not open[name] do lull.sleep(0.001) end
    open[name] = nil
    complete(json "1")
  end }
  for k, v in pairs(settings) do all[k] = v end
  function net.release(name) open[name] = true end
  return lull.service(all), net
end

local function soon(fn) return lull.wait_until(fn, { every = 0.001, timeout = 3 }) end

describe("concurrency", function()
  it("lets so many through at once, in order", function()
    local service, net = held { concurrency = 2 }
    local requests = {}
    for i = 1, 5 do requests[i] = service("/" .. i):load() end
    same(net.started, { "1", "2" })
    for i = 1, 5 do
      net.release(tostring(i))
      requests[i]:await()
    end
    same(net.started, { "1", "2", "3", "4", "5" })
    equal(net.highest, 2)
  end)

  it("gives the place of a cancelled one to the next", function()
    local service, net = held { concurrency = 1 }
    local requests = {}
    for i = 1, 4 do requests[i] = service("/" .. i):load() end
    requests[2]:cancel()
    local _, err = requests[2]:await()
    equal(err.cause.kind, "request_cancelled")
    same(err.attempts, {})
    requests[1]:cancel()
    soon(function() return #net.started == 2 end)
    same(net.started, { "1", "3" })
    net.release "3"
    net.release "4"
    assert(requests[4]:await())
    same(net.started, { "1", "3", "4" })
  end)

  it("belongs to the entry that sets it", function()
    local service, net = held { concurrency = 1 }
    service:configure("/own*", { concurrency = 1 })
    service:configure("/free", { concurrency = false })
    local all = {}
    for _, path in ipairs { "/a", "/b", "/own1", "/own2", "/free" } do all[#all + 1] = service(path):load() end
    same(net.started, { "a", "own1", "free" })
    for _, request in ipairs(all) do request:cancel() end
  end)

  it("is shared by methods and by resources, also from a settings function", function()
    local service, net = held {}
    local count = 0
    service:configure(function(config)
      count = count + 1
      config.concurrency = 1
    end)
    local get, post, other = service("/a"):get(), service("/a"):post(), service("/b"):get()
    equal(count, 3)
    same(net.started, { "a" })
    for _, request in ipairs { get, post, other } do request:cancel() end
  end)

  it("stays with those that wait when the configuration changes", function()
    local service, net = held { concurrency = 1 }
    local first, second = service("/a"):load(), service("/b"):load()
    service:configure { concurrency = 2 }
    local third, fourth = service("/c"):load(), service("/d"):load()
    same(net.started, { "a", "c", "d" })
    net.release "a"
    net.release "b"
    assert(first:await())
    assert(second:await())
    third:cancel()
    fourth:cancel()
  end)

  it("keeps its count over invalidate_configuration", function()
    local service, net = held { concurrency = 1 }
    local first = service("/a"):load()
    service:invalidate_configuration()
    local second = service("/b"):load()
    same(net.started, { "a" })
    first:cancel()
    soon(function() return #net.started == 2 end)
    second:cancel()
  end)

  it("lets hooks cancel what waits", function()
    local service, net = held { concurrency = 1 }
    local first, second, third = service("/a"):load(), service("/b"):load(), service("/c"):load()
    first:on_completion(spec.expect(function() second:cancel() end))
    first:cancel()
    net.release "b"
    net.release "c"
    assert(third:await())
    check(second.state == "completed")
  end)

  it("has progress 0 while a request waits", function()
    local service = held { concurrency = 1 }
    local first, second = service("/a"):load(), service("/b"):load()
    lull.sleep(0.02)
    equal(second.progress, 0.0)
    equal(second.state, "in_progress")
    first:cancel()
    second:cancel()
  end)
end)

describe("a rate limit", function()
  it("sends so many in any span of time", function()
    local service = spec.fake(json "1", { rate_limit = { requests = 3, per = 0.2 } })
    local requests = {}
    for i = 1, 7 do requests[i] = service("/" .. i):load() end
    for i = 1, 7 do assert(requests[i]:await()) end
    for i = 4, 7 do
      local gap = requests[i].attempts[1].started - requests[i - 3].attempts[1].started
      check(gap >= 0.199, ("request %d was sent %.3f s after request %d"):format(i, gap, i - 3))
    end
    for i = 2, 7 do
      check(requests[i].attempts[1].started >= requests[i - 1].attempts[1].started, "out of order")
    end
    check(requests[7].attempts[1].delay > 0)
  end)

  it("opens again for all who wait, in their order, however busy the script is just then", function()
    local service = spec.fake(json "1", { rate_limit = { requests = 1, per = 0.05 } })
    service:configure("/b*", { concurrency = 1 })
    assert(service("/a1"):load():await())
    local first = service("/a2"):load()
    local start = os.clock()
    repeat until os.clock() - start > 0.1
    local second = service("/b1"):load()
    assert(first:await())
    assert(second:await())
    check(second.attempts[1].started >= first.attempts[1].started, "out of order")
    assert(service("/a3"):load():await())
  end)

  it("keeps within the limit of a server that counts", function()
    local service = spec.demo { rate_limit = { requests = 4, per = 1 + 0.5 * spec.slowness } }
    local resource = service("/limited"):with_params { requests = 4, per = 1, key = tostring(lull.now()) }
    local requests = {}
    for i = 1, 9 do requests[i] = resource:get() end
    for i = 1, 9 do assert(requests[i]:await()) end
  end)

  it("LIM-90 lets a redirect go on while others wait for its place", function()
    for _, shared in ipairs { false, "redirects" } do
      local service = spec.demo { timeout = 60, concurrency = 1,
        rate_limit = { requests = 1, per = 0.2, shared = shared } }
      local requests = {}
      for i = 1, 3 do requests[i] = service("/redirect/2"):with_param("i", i):get() end
      for i = 1, 3 do assert(requests[i]:await()) end
    end
  end)

  it("makes up for a server that counts, with retries", function()
    local service = spec.demo { retry = { times = 5, backoff = { max = 3 } } }
    local resource = service("/limited"):with_params { requests = 2, per = 1, key = tostring(lull.now()) }
    local requests = {}
    for i = 1, 3 do requests[i] = resource:get() end
    local count = 0
    for i = 1, 3 do
      assert(requests[i]:await())
      count = count + #requests[i].attempts
    end
    check(count >= 4, "none was refused")
  end)

  it("counts retries too", function()
    local service, sent = spec.fake({ status = 503 },
      { rate_limit = { requests = 2, per = 60 }, retry = { times = 5, backoff = { base = 0 } } })
    local request = service("/a"):load()
    soon(function() return #sent == 2 end)
    lull.sleep(0.02)
    equal(#sent, 2)
    request:cancel()
    equal(#request.attempts, 2)
  end)

  it("counts nothing that was cancelled in the line", function()
    local per = 0.1 * spec.slowness
    local service, sent = spec.fake(json "1", { rate_limit = { requests = 2, per = per } })
    local requests = {}
    for i = 1, 6 do requests[i] = service("/" .. i):load() end
    for i = 3, 5 do requests[i]:cancel() end
    assert(requests[6]:await())
    equal(#sent, 3)
    check(requests[6].attempts[1].delay < 1.9 * per, "it waited for those that had been cancelled")
  end)

  it("does not count what a cache or fresh data answers", function()
    local service, sent = spec.fake(json "1", { rate_limit = { requests = 1, per = 60 } })
    local resource = service("/a")
    assert(resource:load():await())
    for _ = 1, 3 do equal(resource:load_if_needed(), nil) end
    equal(#sent, 1)
  end)

  it("says in the log that a request waits", function()
    local lines = {}
    lull.log.enabled = "network"
    lull.log.handler = function(_, message) lines[#lines + 1] = message end
    local service = spec.fake(json "1", { rate_limit = { requests = 1, per = 60 }, concurrency = 4 })
    service("/a"):load()
    local second = service("/b"):load()
    lull.log.enabled = {}
    second:cancel()
    contains(table.concat(lines, "\n"),
      "GET https://api.test/v1/b waits: at most 1 requests in 60 s, 4 requests at once")
  end)

  it("lets ten thousand wait, and go", function()
    local service, sent = spec.fake(json "1", { rate_limit = { requests = 5, per = 60 } })
    local requests = {}
    for i = 1, 10000 do requests[i] = service("/" .. i):get() end
    for i = #requests, 1, -1 do requests[i]:cancel() end
    for _, request in ipairs(requests) do request:await() end
    equal(#sent, 5)
  end, { seconds = 30 })
end)

describe("what a server says of its limit", function()
  local function answering(headers, status)
    return spec.fake(function(http)
      local answer = json "1"
      if http.url:match "first" then
        answer.status = status
        for name, value in pairs(headers) do answer.headers[name] = value end
      end
      return answer
    end, { rate_limit = { requests = 100, per = 60, learn = true } })
  end

  it("lowers it, of those that are sent afterwards", function()
    local service, sent = answering { ["X-RateLimit-Remaining"] = "2", ["X-RateLimit-Reset"] = "60" }
    service("/first"):load():await()
    local requests = {}
    for i = 1, 5 do requests[i] = service("/" .. i):load() end
    lull.sleep(0.02)
    equal(#sent, 3)
    for _, request in ipairs(requests) do request:cancel() end
  end)

  it("stops all where it refuses, for as long as it says", function()
    local service, sent = answering({ ["Retry-After"] = "60" }, 429)
    service("/first"):load():await()
    local second = service("/second"):load()
    lull.sleep(0.02)
    equal(#sent, 1)
    second:cancel()
  end)

  it("makes answers free that it does not count", function()
    local service, sent = spec.fake(json "1", { rate_limit = { requests = 1, per = 60, free = 200 } })
    for i = 1, 5 do assert(service("/" .. i):load():await()) end
    equal(#sent, 5)
  end)
end)

describe("limits as settings", function()
  it("are read as they were written", function()
    local service = lull.service { base_url = "https://api.test", concurrency = 8,
      rate_limit = { requests = 60, per = 60 } }
    local settings = service:configuration_for(service("/a"))
    equal(settings.concurrency, 8)
    equal(settings.rate_limit.requests, 60)
    equal(settings.rate_limit.per, 60.0)
    service:configure("/b", function(config)
      equal(config.concurrency, 8)
      config.concurrency = nil
      config.rate_limit = false
    end)
    settings = service:configuration_for(service("/b"))
    equal(settings.concurrency, nil)
    equal(settings.rate_limit, nil)
  end)

  it("name what does not fit", function()
    local api = lull.service "https://api.test"
    local function wrong(settings, expected)
      raises(expected, function() api:configure(settings) end)
    end
    wrong({ concurrency = 0 }, "'concurrency' must be a whole number, 1 or more, or false, got 0")
    wrong({ concurrency = "8" }, "'concurrency' must be")
    wrong({ rate_limit = 60 },
      "'rate_limit' must be a table such as { requests = 60, per = 60 }, or false, got 60")
    wrong({ rate_limit = { 60, 60 } }, "unknown setting of type number in 'rate_limit'; settings have names")
    wrong({ rate_limit = { requests = 60 } }, "'rate_limit' needs 'per': a number of seconds")
    wrong({ rate_limit = { per = 60 } }, "'rate_limit' needs 'requests': the number of requests")
    wrong({ rate_limit = { requests = 0, per = 60 } },
      "'rate_limit.requests' must be a whole number, 1 or more, got 0")
    wrong({ rate_limit = { requests = 1, per = 0 } },
      "'rate_limit.per' must be a number of seconds, more than 0, got 0")
    wrong({ rate_limit = { request = 1, per = 1 } }, "unknown setting 'request' (did you mean 'requests'?)")
    local function limit(field, value)
      return { rate_limit = { requests = 1, per = 1, [field] = value } }
    end
    wrong(limit("shared", 1), "'rate_limit.shared' must be true, false or a name, got 1")
    wrong(limit("shared", ""), "'rate_limit.shared' must be true, false or a name, got ''")
    wrong(limit("learn", "yes"), "'rate_limit.learn' must be true or false, got 'yes'")
    wrong(limit("free", 99), "'rate_limit.free' must be a list of statuses (100 to 599), got 99")
    wrong(limit("free", { 304, "x" }), "'rate_limit.free' must be a list of statuses (100 to 599), got 'x'")
    wrong(limit("free", { status = 304 }), "'rate_limit.free' must be a list of statuses, got the field 'status'")
  end)

  it("say who shares a limit, and what it heeds of the server's", function()
    local service = lull.service { base_url = "https://api.test",
      rate_limit = { requests = 60, per = 60 } }
    local limit = service:configuration_for(service("/a")).rate_limit
    equal(limit.shared, false)
    equal(limit.learn, false)
    same(limit.free, {})
    service:configure { rate_limit = { requests = 1, per = 2, shared = "token", learn = true, free = { 404, 304 } } }
    limit = service:configuration_for(service("/a")).rate_limit
    equal(limit.shared, "token")
    equal(limit.learn, true)
    same(limit.free, { 304, 404 })
    service:configure { rate_limit = { requests = 1, per = 2, free = 304 } }
    same(service:configuration_for(service("/a")).rate_limit.free, { 304 })
  end)
end)
