-- Retries: the `retry` setting, request.attempts, what errors and logs say.
local lull = require "lull"
local spec = ...
local describe, it, equal, same, check = spec.describe, spec.it, spec.equal, spec.same, spec.check
local contains, excludes, raises, json = spec.contains, spec.excludes, spec.raises, spec.json

-- Without waiting, so that specs are quick.
local function at_once(settings)
  local retry = { backoff = { base = 0 } }
  for k, v in pairs(settings or {}) do retry[k] = v end
  return { retry = retry }
end

local function outcomes(attempts)
  local list = {}
  for i, attempt in ipairs(attempts) do
    equal(attempt.number, i)
    list[i] = attempt.status or attempt.error or "under way"
  end
  return list
end

local function network_log(fn)
  local lines = {}
  lull.log.enabled = "network"
  lull.log.handler = function(_, message) lines[#lines + 1] = message end
  fn()
  lull.log.enabled = {}
  lull.log.handler = nil
  return table.concat(lines, "\n")
end

describe("retry", function()
  it("sends a request again until it succeeds, and looks like one request", function()
    local answers = { { status = 503 }, { status = 429 }, json "17" }
    local service, sent = spec.fake(answers, at_once())
    local resource = service("/a")
    local events = {}
    resource:add_observer(function(_, event) events[#events + 1] = event end)
    local request = resource:load():on_completion(spec.expect(function(response)
      equal(response.is_success, true)
    end))
    equal(assert(request:await()).content, 17)
    equal(#sent, 3)
    same(outcomes(request.attempts), { 503, 429, 200 })
    same(events, { "observer_added", "requested", "new_data" })
  end)

  it("gives up after that many times, and says so", function()
    local service, sent = spec.fake({ status = 503 }, at_once { times = 2 })
    local request = service("/a"):load()
    local _, err = request:await()
    equal(#sent, 3)
    equal(err.http_status, 503)
    same(outcomes(err.attempts), { 503, 503, 503 })
    same(outcomes(request.attempts), { 503, 503, 503 })
    contains(tostring(err), "after 3 attempts")
    equal(service("/a").latest_error.http_status, 503)
  end)

  it("is off by default, and keeps no count", function()
    local service, sent = spec.fake { status = 503 }
    local request = service("/a"):load()
    local _, err = request:await()
    equal(#sent, 1)
    same(request.attempts, {})
    same(err.attempts, {})
    excludes(tostring(err), "attempt")
  end)

  it("sends again only what can be repeated without harm, unless it is unsafe", function()
    for _, method in ipairs { "GET", "HEAD", "OPTIONS", "PUT", "DELETE" } do
      local service, sent = spec.fake({ status = 503 }, at_once { times = 1 })
      service("/a"):request(method):await()
      equal(#sent, 2, method)
    end
    for _, method in ipairs { "POST", "PATCH" } do
      local service, sent = spec.fake({ status = 503 }, at_once { times = 1 })
      service("/a"):request(method):await()
      equal(#sent, 1, method)
      service, sent = spec.fake({ status = 503 }, at_once { times = 1, unsafe = true })
      service("/a"):request(method, { json = { 1 } }):await()
      equal(#sent, 2, method .. " unsafe")
      equal(sent[2].body, "[1]")
    end
  end)

  it("takes failures of the network by kind", function()
    local service, sent = spec.fake(function() error(lull.error { user_message = "no" }) end, at_once())
    service("/a"):load():await()
    equal(#sent, 4, "a failure without status is one of the network")
    service, sent = spec.fake({ status = 500 }, at_once())
    service("/a"):load():await()
    equal(#sent, 1, "500 is not in the list")
    service, sent = spec.fake({ status = 500 }, at_once { on = 500 })
    service("/a"):load():await()
    equal(#sent, 4, "500 alone")
  end)

  it("does not repeat what a script got wrong, nor what has no stub", function()
    local service, sent = spec.fake(function() error "KABOOM" end, at_once())
    local _, err = service("/a"):load():await()
    equal(err.cause.kind, "script_error")
    equal(#sent, 1)
    equal(#spec.reports(), 1)
    local stub = lull.testing.stub {}
    service = lull.service { base_url = "https://api.test", networking = stub, retry = true }
    local request = service("/a"):load()
    request:await()
    equal(#request.attempts, 1)
  end)

  it("waits for as long as Retry-After says", function()
    local function in_two_seconds() return os.date("!%a, %d %b %Y %H:%M:%S GMT", os.time() + 2) end
    for _, value in ipairs { function() return "1" end, in_two_seconds } do
      value = value()
      local service = spec.fake({ { status = 503, headers = { ["Retry-After"] = value } }, json "1" },
        at_once())
      local request = service("/a"):load()
      local started = lull.now()
      assert(request:await())
      check(lull.now() - started >= 0.9, "it came back at once: " .. value)
      check(request.attempts[2].delay >= 0.9)
    end
  end)

  it("does not come back before the server wants it to", function()
    local service, sent = spec.fake({ status = 503, headers = { ["Retry-After"] = "31" } }, at_once())
    local log = network_log(function() service("/a"):load():await() end)
    equal(#sent, 1)
    contains(log, "GET https://api.test/v1/a is not sent again: the server's Retry-After is 31 s")
  end)

  it("says in the log what it does", function()
    local service = spec.fake({ { status = 503 }, json "1" }, at_once { times = 1 })
    local log = network_log(function() service("/a"):load():await() end)
    contains(log, "GET https://api.test/v1/a: attempt 1 of 2 failed (503), the next one in 0 s")
  end)

  it("is cancelled while it waits", function()
    local backoff = { base = 60, max = 60, jitter = false }
    local service, sent = spec.fake({ status = 503 }, { retry = { backoff = backoff } })
    local request = service("/a"):load()
    lull.wait_until(function() return request.attempts[1] and request.attempts[1].elapsed end,
      { every = 0.001, timeout = 3 })
    request:cancel()
    local _, err = request:await()
    equal(err.cause.kind, "request_cancelled")
    same(outcomes(err.attempts), { 503 })
    equal(#sent, 1)
  end)

  it("is cancelled while it is sent again", function()
    local started = 0
    local service = spec.fake(function()
      started = started + 1
      if started == 1 then return { status = 503 } end
      lull.sleep(60)
    end, at_once())
    local request = service("/a"):load()
    lull.wait_until(function() return started == 2 end, { every = 0.001, timeout = 3 })
    request:cancel()
    local _, err = request:await()
    same(outcomes(err.attempts), { 503, "request_cancelled" })
  end)

  it("is one request to chains, repetitions and hooks", function()
    local service, sent = spec.fake({ { status = 503 }, json "1", { status = 503 }, json "2" }, at_once())
    local request = service("/a"):get()
    local chain = request:chained(spec.expect(function() end))
    equal(assert(chain:await()).content, 1)
    same(outcomes(chain.attempts), { 503, 200 })
    local again = request:repeated():start()
    equal(assert(again:await()).content, 2)
    same(outcomes(again.attempts), { 503, 200 })
    same(outcomes(request.attempts), { 503, 200 })
    equal(#sent, 4)
  end)

  it("works over the network", function()
    local service = spec.demo { retry = { times = 2, backoff = { base = 0.01 } } }
    local resource = service("/flaky"):with_params { fail = 2, retry_after = 0, key = tostring(lull.now()) }
    local request = resource:load()
    local entity = assert(request:await())
    equal(entity.content.attempts, 3)
    same(outcomes(request.attempts), { 503, 503, 200 })
    for _, attempt in ipairs(request.attempts) do
      check(attempt.elapsed > 0 and attempt.started > 1e9 and attempt.delay >= 0)
    end
  end)

  it("takes failures to connect", function()
    local service = lull.service { base_url = "http://127.0.0.1:1", retry = { times = 2, on = "connection",
      backoff = { base = 0.001 } } }
    local request = service("/a"):load()
    request:await()
    same(outcomes(request.attempts), { "connection", "connection", "connection" })
  end)
end)

describe("retry as a setting", function()
  local function retry_of(value)
    local service = lull.service { base_url = "https://api.test", retry = value }
    local retry = service:configuration_for(service("/a")).retry
    return retry and {
      times = retry.times, on = table.concat(retry.on, " "), base = retry.backoff.base,
      max = retry.backoff.max, jitter = retry.backoff.jitter, unsafe = retry.unsafe,
    }
  end
  local defaults = {
    times = 3, on = "429 502 503 504 network", base = 0.5, max = 30.0, jitter = true, unsafe = false,
  }
  local function with(changes)
    local all = {}
    for k, v in pairs(defaults) do all[k] = v end
    for k, v in pairs(changes) do all[k] = v end
    return all
  end

  it("has its defaults and shorthands", function()
    same(retry_of(true), defaults)
    same(retry_of {}, defaults)
    same(retry_of(5), with { times = 5 })
    equal(retry_of(false), nil)
    equal(retry_of(0), nil)
    equal(retry_of(nil), nil)
  end)

  it("is read as it was written", function()
    same(retry_of { times = 1, on = { "timeout", 500, "network", "tls" }, unsafe = true,
      backoff = { base = 1, max = 2, jitter = false } },
      { times = 1, on = "500 network tls", base = 1.0, max = 2.0, jitter = false, unsafe = true })
    same(retry_of { on = { "timeout", "dns" } }, with { on = "dns timeout" })
    same(retry_of { on = {} }, with { on = "" })
  end)

  it("goes by pattern, and can be switched off again", function()
    local service = lull.service { base_url = "https://api.test", retry = 5 }
    service:configure("/b", { retry = false })
    service:configure("/c", function(config)
      equal(config.retry.times, 5)
      config.retry = { times = 1 }
    end)
    service:configure("/d", function(config) config.retry = nil end)
    local function times(path)
      local retry = service:configuration_for(service(path)).retry
      return retry and retry.times
    end
    equal(times "/a", 5)
    equal(times "/b", nil)
    equal(times "/c", 1)
    equal(times "/d", nil)
  end)

  it("does not send again what fails for a reason that stays", function()
    for _, settings in ipairs {
      { cookies = "/proc/nowhere/cookies" }, { cookies = "/" }, { ca_file = "/nowhere.pem" },
    } do
      settings.base_url = "https://127.0.0.1:1"
      settings.retry = { times = 2, on = { "network", "tls" }, backoff = { base = 0 } }
      local request = lull.service(settings)("/a"):get()
      local entity = request:await()
      equal(entity, nil)
      equal(#request.attempts, 1)
    end
  end)

  it("cannot be changed in place", function()
    local service = lull.service { base_url = "https://api.test", retry = 5 }
    service:configure("/a", function(config) config.retry.times = 1 end)
    service:configuration_for(service("/a"))
    contains(spec.reports()[1].message, "read-only")
  end)

  it("can be written as it was read", function()
    local policy = {
      times = 2, on = { 429, "network" }, unsafe = true,
      backoff = { base = 0.5, max = 8 },
    }
    local service = lull.service { base_url = "https://api.test", retry = policy }
    service:configure { rate_limit = { requests = 60, per = 30 } }
    service:configure("/a", function(config)
      local retry, limit = config.retry, config.rate_limit
      config.retry, config.rate_limit = nil, false
      config.retry, config.rate_limit = retry, limit
    end)
    local other = lull.service "https://other.test"
    other:configure { retry = service:configuration_for(service("/b")).retry }
    for _, resource in ipairs { service("/a"), other("/a") } do
      local read = resource.service:configuration_for(resource).retry
      equal(read.times, 2)
      same(json(read.on), json(service:configuration_for(service("/b")).retry.on))
      equal(read.unsafe, true)
      equal(read.backoff.base, 0.5)
      equal(read.backoff.max, 8.0)
    end
    equal(service:configuration_for(service("/a")).rate_limit.requests, 60)
    equal(service:configuration_for(service("/a")).rate_limit.per, 30.0)
  end)

  it("names what does not fit", function()
    local api = lull.service "https://api.test"
    local function wrong(value, expected)
      raises(expected, function() api:configure { retry = value } end)
    end
    wrong("3", "'retry' must be a table such as { times = 3 }, a whole number, or false, got '3'")
    wrong(-1, "'retry' must be")
    wrong({ times = 1.5 }, "'retry.times' must be a whole number, 0 or more, got 1.5")
    wrong({ on = { "sometimes" } }, "'retry.on' must be a list of statuses (100 to 599) and words")
    wrong({ on = { 42 } }, "got 42")
    wrong({ on = { x = 503 } }, "'retry.on' must be a list of statuses (100 to 599) and words")
    wrong({ on = { x = 503 } }, "got the field 'x'")
    wrong({ 3 }, "unknown setting of type number in 'retry'; settings have names")
    wrong({ backoff = { 1 } }, "unknown setting of type number in 'retry.backoff'; settings have names")
    wrong({ backoff = 3 }, "'retry.backoff' must be a table such as")
    wrong({ backoff = { base = -1 } }, "'retry.backoff.base' must be a number of seconds, 0 or more, got -1")
    wrong({ backoff = { jitter = 1 } }, "'retry.backoff.jitter' must be true or false, got 1")
    wrong({ unsafe = "yes" }, "'retry.unsafe' must be true or false, got 'yes'")
    wrong({ tmies = 3 }, "unknown setting 'tmies' (did you mean 'times'?)")
    wrong({ backoff = { mxa = 3 } }, "unknown setting 'mxa' (did you mean 'max'?)")
  end)
end)
