-- decorate_requests (DEC).
local lull = require "lull"
local spec = ...
local describe, it, equal, same, check = spec.describe, spec.it, spec.equal, spec.same, spec.check
local contains, raises, json = spec.contains, spec.raises, spec.json

local function decorated(decorators, answers)
  local service, sent = spec.fake(answers or json "1")
  service:configure { decorate_requests = decorators }
  return service, sent
end

local function keep(_, request) return request end

describe("a decorator", function()
  it("DEC-01 DEC-14 is called once per request, plain or load, before it starts", function()
    local seen = {}
    local service, sent = decorated(function(resource, request)
      seen[#seen + 1] = { resource.url:match("[^/]*$"), request.method, request.state }
      equal(request.resource, resource)
      same(resource.all_requests, {})
      return request
    end)
    service("/a"):load()
    equal(#seen, 1, "synchronously")
    service("/b"):post({ text = "x" }):await()
    same(seen, { { "a", "GET", "not_started" }, { "b", "POST", "not_started" } })
    equal(#sent, 2)
  end)

  it("DEC-02 may attach hooks, which come first", function()
    local order = {}
    local resource
    local service = decorated(function(r, request)
      return request:on_completion(function()
        order[#order + 1] = "decorator"
        equal(request.state, "completed")
        equal(r.is_loading, true, "DEC-15")
        equal(r.latest_data, nil)
        check(r.all_requests[1] == request)
      end)
    end)
    resource = service("/a")
    resource:load():on_completion(function()
      order[#order + 1] = "caller"
      equal(resource.is_loading, false)
      equal(resource.content, 1)
    end):await()
    same(order, { "decorator", "caller" })
  end)

  it("DEC-03 may cancel: nothing is sent, and the caller gets the cancelled request", function()
    local service, sent = decorated(function(_, request) return request:cancel() end)
    local resource = service("/a")
    local request = resource:load():on_failure(spec.expect(1))
    equal(request.state, "completed")
    same(resource.all_requests, {})
    equal(select(2, request:await()).cause.kind, "request_cancelled")
    equal(#sent, 0)
    equal(resource.latest_error, nil)
    equal(resource.is_loading, false)
  end)

  it("DEC-04 may return another request, which the caller gets and which is tracked (STA-12)", function()
    local original, other
    local service, sent = decorated(function(resource, request)
      original = request
      other = lull.custom_request { start = function(complete)
        lull.sleep(0)
        complete(lull.success { content = resource.url })
      end }
      return other
    end)
    local resource = service("/a")
    local request = resource:load()
    equal(request, other)
    equal(resource.all_requests[1], other)
    equal(resource.load_requests[1], other)
    equal(request:await().text, "https://api.test/v1/a")
    equal(resource.text, "https://api.test/v1/a")
    equal(original.state, "not_started", "DEC-06")
    equal(#sent, 0)
  end)

  it("DEC-05 DEC-10 several pass the request on, in order of registration", function()
    local order = {}
    local function named(name)
      return function(_, request)
        order[#order + 1] = name
        return request:chained(function(response)
          return lull.success { content = tostring(response.entity.content) .. name }
        end)
      end
    end
    local service = decorated({ named "a", named "b" })
    service:configure("/**", function(config) config:decorate_requests(named "c") end)
    equal(service("/x"):load():await().text, "1abc")
    same(order, { "a", "b", "c" })
  end)

  it("DEC-07 may wrap the original in a chain, whose response becomes the data", function()
    local service, sent = decorated(function(_, request)
      return request:chained(function(response)
        return lull.success { content = { wrapped = response.entity.content } }
      end)
    end)
    local resource = service("/a")
    resource:load():await()
    spec.collect()
    equal(resource.content.wrapped, 1)
    equal(#sent, 1)
  end)

  it("DEC-08 DEC-09 the original runs when it is reached, or never", function()
    local is_allowed = true
    local service, sent = decorated(function(_, request)
      if request.url:match("/gate$") then return request end
      return request.resource.service("/gate"):get():chained(function()
        if is_allowed then return request end
        return lull.failure("not allowed")
      end)
    end)
    equal(service("/a"):load():await().content, 1)
    equal(#sent, 2)
    equal(sent[1].url:match("[^/]*$"), "gate")
    is_allowed = false
    local resource = service("/b")
    equal(select(2, resource:load():await()).user_message, "not allowed")
    equal(resource.latest_error.user_message, "not allowed")
    equal(#sent, 3)
  end)

  it("DEC-11 what it returns is started once, and may have completed", function()
    local fixed = lull.hard_wired_request(lull.success { content = "fixed" })
    local service, sent = decorated(function() return fixed end)
    local resource = service("/a")
    equal(resource:load(), fixed)
    fixed:await()
    equal(resource.text, "fixed")
    equal(resource:load(), fixed)
    spec.turn()
    equal(#sent, 0)
  end)

  it("DEC-12 does not run again for a repeated request", function()
    local count = 0
    local service, sent = decorated(function(_, request)
      count = count + 1
      return request
    end)
    local request = service("/a"):get()
    request:await()
    request:repeated():start():await()
    equal(count, 1)
    equal(#sent, 2)
  end)

  it("DEC-13 CFG-17 MUT-04 is that of the final method", function()
    local seen = {}
    local service, sent = spec.fake(json "1")
    for _, method in ipairs { "GET", "POST" } do
      service:configure("/**", {
        decorate_requests = function(_, request)
          seen[#seen + 1] = method .. " " .. request.method
          return request
        end,
      }, { methods = { method } })
    end
    service:configure("/**", { mutate_requests = function(http) http.method = "POST" end }, { methods = { "GET" } })
    service("/a"):get():await()
    same(seen, { "POST POST" })
    equal(sent[1].method, "POST")
  end)

  it("HW-07 refuses some requests", function()
    local service, sent = decorated(function(resource, request)
      if resource.url:match("^https://api.test/") then return request end
      return lull.failed_request(lull.error "this host is not allowed")
    end)
    local _, err = service:resource_at("http://evil.test/a"):load():await()
    equal(err.user_message, "this host is not allowed")
    equal(#sent, 0)
    check(service("/a"):load():await())
  end)

  it("REQ-25 does not see what cannot be sent", function()
    local service = decorated(spec.never())
    service("/a"):post({ json = print }):await()
    service:resource_at(nil):load():await()
  end)

  it("must answer at once", function()
    local messages = {}
    local service = decorated(function(_, request)
      messages[1] = select(2, pcall(lull.sleep, 0))
      messages[2] = select(2, pcall(request.await, request))
      return request
    end)
    service("/a"):load():await()
    for i = 1, 2 do contains(messages[i], "cannot wait inside a decorator: it must return at once") end
  end)

  it("that returns the same request twice, or one in flight, is served", function()
    local shared
    local service, held = spec.held()
    service:configure { decorate_requests = function(_, request)
      shared = shared or request
      return shared
    end }
    local resource = service("/a")
    local one = resource:load()
    equal(resource:load(), one)
    spec.turn()
    equal(#held, 1)
    held[1](json "7")
    equal(one:await().content, 7)
    equal(resource.content, 7)
    equal(resource.is_loading, false)
    same(resource.all_requests, {})
    equal(resource:load():await().content, 7, "completed by now")
    spec.turn()
    equal(resource.is_loading, false)
  end)

  it("that gives one request to two resources serves both", function()
    local shared
    local service, held = spec.held()
    service:configure { decorate_requests = function(_, request)
      shared = shared or request
      return shared
    end }
    local a, b = service("/a"), service("/b")
    a:load()
    b:load()
    spec.turn()
    equal(#held, 1)
    check(a.is_requesting and b.is_requesting)
    held[1](json "7")
    shared:await()
    for _, resource in ipairs { a, b } do
      equal(resource.content, 7)
      equal(resource.is_loading, false)
      same(resource.all_requests, {})
    end
  end)

  it("that gives one request to several callers: cancelling it takes it off every list", function()
    local shared
    local service = spec.held()
    service:configure { decorate_requests = function(_, request)
      shared = shared or request
      return shared
    end }
    local a, b = service("/a"), service("/b")
    a:load()
    a:load()
    a:get()
    b:load()
    shared:cancel()
    for _, resource in ipairs { a, b } do
      equal(resource.is_loading, false)
      same(resource.all_requests, {})
      same(resource.load_requests, {})
    end
    equal(select(2, shared:await()).cause.kind, "request_cancelled")
  end)

  it("that asks for the same resource again fails where it nests too deeply, and nothing else does", function()
    local depth = 0
    local service = decorated(function(resource, request)
      depth = depth + 1
      resource:get()
      return request
    end)
    service("/a"):get():await()
    check(depth > 50, "depth: " .. depth)
    local reports = spec.reports()
    check(#reports >= 1)
    contains(reports[1].message, "nested too deeply")
    equal(spec.fake(json "1")("/b"):load():await().content, 1)
  end, { seconds = 20 })
end)

describe("a decorator that", function()
  it("raises fails the request before it is sent, and is reported", function()
    local service, sent = decorated(function() error("kaputt") end)
    local resource = service("/a")
    local request = resource:load()
    equal(request.state, "completed")
    local _, err = request:await()
    equal(err.user_message, "Cannot send request")
    equal(err.cause.kind, "script_error")
    contains(err.cause.message, "kaputt")
    contains(err.cause.traceback, "decorators_spec.lua:")
    contains(tostring(err), "GET")
    contains(tostring(err), "/a")
    equal(resource.latest_error.cause.kind, "script_error")
    same(resource.all_requests, {})
    equal(#sent, 0)
    local reports = spec.reports()
    equal(#reports, 1)
    contains(reports[1].where, "decorator (")
    contains(reports[1].where, "decorators_spec.lua:")
  end)

  it("raises a value keeps it in the cause", function()
    local service = decorated(function() error({ code = 7 }) end)
    local resource = service("/a")
    resource:load():await()
    spec.collect()
    equal(resource.latest_error.cause.value.code, 7)
    equal(#spec.reports(), 1)
  end)

  it("returns something else fails it too, naming what came", function()
    local service, sent
    for _, value in ipairs { 7, "x", true, {}, print, lull.error "x", lull.success {} } do
      service, sent = decorated(function() return value end)
      local _, err = service("/a"):get():await()
      equal(err.cause.kind, "script_error")
      contains(err.cause.message, "a decorator must return a Request, got ")
      equal(#sent, 0)
    end
    service = decorated(function() end)
    local _, err = service("/a"):load():await()
    contains(err.cause.message, "a decorator must return a Request, got nil")
    local reports = spec.reports()
    equal(#reports, 8)
    contains(reports[1].message, "got number")
    contains(reports[6].message, "got RequestError")
  end)

  it("fails leaves the decorators after it unasked, and other requests unharmed", function()
    local service, held = spec.held()
    local running = service("/running"):load()
    spec.turn()
    service:configure("/bad", { decorate_requests = { function() error("no") end, spec.never() } })
    local _, err = service("/bad"):load():await()
    equal(err.cause.kind, "script_error")
    equal(running.state, "in_progress")
    held[1](json "1")
    equal(running:await().content, 1)
    equal(#spec.reports(), 1)
  end)
end)

describe("decorate_requests", function()
  it("takes a function or a list, in a table or as a call, in order", function()
    local order = {}
    local function named(name)
      return function(_, request)
        order[#order + 1] = name
        return request
      end
    end
    local service = decorated({ named "1", named "2", named "3" })
    service:configure("/**", function(config)
      equal(config:decorate_requests(named "4"), config)
      config:decorate_requests(named "5")
    end)
    service("/a"):get():await()
    equal(table.concat(order), "12345")
  end)

  it("raises for wrong use", function()
    local service = spec.fake(json "1")
    raises("'decorate_requests' must be a function or a list of functions, got number", function()
      service:configure { decorate_requests = 7 }
    end)
    raises("'decorate_requests' must be a function or a list of functions", function()
      service:configure { decorate_requests = { keep, 7 } }
    end)
    raises("'decorate_requests' must be a function or a list of functions", function()
      service:configure { decorate_requests = { named = keep } }
    end)
    local message
    service:configure("/**", function(config) message = select(2, pcall(config.decorate_requests, config, 7)) end)
    service:configuration_for(service("/a"))
    contains(message, "bad argument #1 to 'decorate_requests'")
  end)
end)
