-- Cancellation (CXL) and cancel_load_if_unobserved (CAN).
local lull = require "lull"
local spec = ...
local describe, it, equal, same, check = spec.describe, spec.it, spec.equal, spec.same, spec.check
local expect, never, json = spec.expect, spec.never, spec.json

describe("cancel", function()
  it("CXL-01 CXL-02 completes at once, with a cancellation for the hooks", function()
    local request = spec.held()("/a"):load()
    request:on_failure(expect(function(err)
      equal(err.cause.kind, "request_cancelled")
      equal(err.user_message, "Request cancelled")
      equal(err.http_status, nil)
    end))
    request:on_completion(expect(function(response) equal(response.is_failure, true) end))
    request:on_success(never())
    request:cancel()
    equal(request.state, "completed")
    spec.turn()
  end)

  it("STA-13 leaves the lists at once", function()
    local resource = spec.held()("/a")
    local request = resource:load()
    request:cancel()
    equal(resource.is_loading, false)
    equal(resource.is_requesting, false)
    equal(#resource.all_requests, 0)
  end)

  it("CXL-03 CXL-11 ignores the late answer, and error and data stay", function()
    local service, held = spec.held()
    local resource = service("/a")
    resource:override_local_content("old")
    local request = resource:load()
    spec.turn()
    request:cancel()
    held[1](json "1")
    spec.turn()
    equal(resource.content, "old")
    equal(resource.latest_error, nil)
  end)

  it("CXL-04 CXL-12 has no effect on a completed request", function()
    local request = spec.fake(json "17")("/a"):get()
    request:await()
    request:cancel()
    request:on_success(expect(1))
    spec.turn()
    equal(request:await().content, 17)
    local cancelled = spec.held()("/a"):get():on_failure(expect(1))
    cancelled:cancel()
    cancelled:cancel()
    spec.turn()
  end)

  it("CXL-05 has no effect on one that failed before starting", function()
    local request = spec.fake(json "1")("/a"):post { json = { math.huge } }
    request:cancel()
    local _, err = request:await()
    equal(err.cause.kind, "invalid_json_object")
  end)

  it("CXL-06 of one not started completes it, and start does nothing", function()
    local service, sent = spec.fake(json "1")
    local original = service("/a"):get()
    original:await()
    local request = original:repeated()
    request:on_failure(expect(function(err) equal(err.cause.kind, "request_cancelled") end))
    request:cancel()
    equal(request.state, "completed")
    request:start()
    spec.turn()
    equal(#sent, 1)
  end)

  it("CXL-07 closes the coroutine of a networking function", function()
    local is_closed = false
    local service = spec.fake(function()
      local _ <close> = setmetatable({}, { __close = function() is_closed = true end })
      lull.sleep(10)
      error("not reached")
    end)
    local request = service("/a"):get()
    lull.sleep(0.01)
    request:cancel()
    spec.turn()
    equal(is_closed, true)
  end)

  it("CXL-09 wins while the answer is transformed", function()
    local service = spec.fake(json "1")
    local has_begun, may_end = false, false
    service:transform(function(content)
      has_begun = true
      repeat lull.sleep(0.005) until may_end
      return content
    end)
    local resource = service("/a")
    local request = resource:load():on_success(never())
    repeat lull.sleep(0.005) until has_begun
    equal(request.state, "in_progress")
    request:cancel()
    may_end = true
    lull.sleep(0.05)
    equal(resource.latest_data, nil)
  end)

  it("ends a request of the sample API early", function()
    local started = lull.now()
    local request = spec.demo()("/slow"):with_param("seconds", 3):get()
    lull.sleep(0.05)
    request:cancel()
    local _, err = request:await()
    equal(err.cause.kind, "request_cancelled")
    check(lull.now() - started < 1)
  end)

  it("wakes up who waits for the request", function()
    local request = spec.held()("/a"):load()
    local task = lull.spawn(function()
      local entity, err = request:await()
      return entity, err.cause.kind
    end)
    lull.sleep(0.01)
    request:cancel()
    same(table.pack(task:await()), { nil, "request_cancelled", n = 2 })
  end)

  it("works in a hook of another request, and in an observer", function()
    local service = spec.fake(function(http)
      if http.url:match("slow") then lull.sleep(5) end
      return json "1"
    end)
    local slow = service("/slow"):load()
    service("/quick"):load():on_success(function() slow:cancel() end):await()
    local _, err = slow:await()
    equal(err.cause.kind, "request_cancelled")
    local resource = service("/slow")
    resource:add_observer(function(r, event)
      if event == "requested" then r.load_requests[1]:cancel() end
    end)
    _, err = resource:load():await()
    equal(err.cause.kind, "request_cancelled")
    equal(resource.is_loading, false)
  end)

  it("of many at once ends them all", function()
    local service = spec.held()
    local requests, count = {}, 0
    for i = 1, 500 do
      requests[i] = service("/" .. i):load():on_failure(function() count = count + 1 end)
    end
    spec.turn()
    for _, request in ipairs(requests) do request:cancel() end
    spec.turn()
    equal(count, 500)
  end)
end)

describe("cancel_load_if_unobserved", function()
  it("CAN-01 CAN-03 CAN-04 cancels all loads, and no other request", function()
    local resource = spec.held()("/a")
    local one, two, post = resource:load(), resource:load(), resource:post()
    resource:cancel_load_if_unobserved()
    equal(one.state, "completed")
    equal(two.state, "completed")
    equal(post.state, "in_progress")
    post:cancel()
  end)

  it("CAN-01 an observer whose owner died counts as none", function()
    local resource = spec.held()("/a")
    do
      local owner = {}
      resource:add_observer(function() end, owner)
    end
    local request = resource:load()
    spec.collect()
    resource:cancel_load_if_unobserved()
    equal(request.state, "completed")
  end)

  it("CAN-02 cancels nothing that is observed", function()
    local resource = spec.held()("/a")
    resource:add_observer(function() end)
    local request = resource:load()
    resource:cancel_load_if_unobserved()
    equal(request.state, "in_progress")
    request:cancel()
  end)

  it("CAN-05 CAN-07 CAN-08 CAN-09 cancels after a delay, then calls back", function()
    local resource = spec.held()("/a")
    local request = resource:load()
    local called = false
    resource:cancel_load_if_unobserved(0.4, expect(function()
      called = true
      equal(request.state, "completed")
    end))
    lull.sleep(0.01)
    equal(request.state, "in_progress")
    equal(called, false)
    repeat lull.sleep(0.01) until called
    equal(request.state, "completed")
    equal(called, true)
  end)

  it("CAN-06 does not cancel what was observed meanwhile, and calls back all the same", function()
    local resource = spec.held()("/a")
    local request = resource:load()
    resource:cancel_load_if_unobserved(0.03, expect(1))
    resource:add_observer(function() end)
    lull.sleep(0.06)
    equal(request.state, "in_progress")
    request:cancel()
  end)
end)
