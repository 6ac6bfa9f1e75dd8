-- request:chained(fn), and requests that are repeated (CHN, REP).
local lull = require "lull"
local spec = ...
local describe, it, equal, same, check = spec.describe, spec.it, spec.equal, spec.same, spec.check
local contains, raises, json = spec.contains, spec.raises, spec.json

local function keep() end

-- A networking function that answers with the end of the URL, and how often each was asked for.
local function echo(settings)
  local asked = {}
  local service = spec.fake(function(http)
    local name = http.url:match("[^/]*$")
    asked[name] = (asked[name] or 0) + 1
    return json('"' .. name .. asked[name] .. '"')
  end, settings)
  return service, asked
end

describe("a chain", function()
  it("CHN-01 keeps the response if its function returns nothing, nil or too much", function()
    for _, fn in ipairs { keep, function() return nil end, function() return nil, 7 end } do
      local entity = spec.fake(json "17")("/a"):get():chained(fn):await()
      equal(entity.content, 17)
    end
    local _, err = spec.fake { status = 404 }("/a"):get():chained(keep):await()
    equal(err.http_status, 404)
  end)

  it("CHN-01 keeps that it is not new", function()
    local resource = spec.fake { json("1", { ETag = '"x"' }), { status = 304 } }("/a")
    resource:load():await()
    local chain = resource:get(nil, function(http) http.headers["If-None-Match"] = '"x"' end):chained(keep)
    chain:on_not_modified(spec.expect(1)):on_new_data(spec.never())
    equal(chain:await().content, 1)
    equal(chain.response.is_new, false)
  end)

  it("CHN-02 uses another response, success or failure", function()
    local request = spec.fake(json "1")("/a"):get()
    local good = request:chained(function(response)
      equal(response.is_success, true)
      equal(response.entity.content, 1)
      return lull.success { content = { 2 }, content_type = "x/y", headers = { A = "b" } }
    end)
    local bad = request:chained(function() return lull.failure("no luck") end)
    local entity = good:await()
    same(entity.content, { 2 })
    equal(entity.content_type, "x/y")
    equal(entity:header("a"), "b")
    equal(good.response.is_new, true)
    local _, err = bad:await()
    equal(err.user_message, "no luck")
    equal(request:await().content, 1)
  end)

  it("CHN-02 uses a response that is not new", function()
    local chain = spec.fake(json "1")("/a"):get():chained(function()
      return lull.success { content = "old", is_new = false }
    end)
    chain:on_new_data(spec.never()):on_not_modified(spec.expect(1)):on_success(spec.expect(1))
    equal(chain:await().text, "old")
  end)

  it("CHN-03 passes to another request, of another service too", function()
    local other = spec.fake(json "2")
    local chain = spec.fake(json "1")("/a"):get():chained(function() return other("/b"):get() end)
    equal(chain:await().content, 2)
  end)

  it("CHN-04 CHN-05 sends the original again", function()
    local service, asked = echo()
    local request = service("/a"):get()
    local chain = request:chained(function() return request:repeated() end)
    equal(chain:await().content, "a2")
    equal(request:await().content, "a1")
    equal(asked.a, 2)
  end)

  it("CHN-06 passes to a request that has completed, or is fixed", function()
    local service = echo()
    local done = service("/done"):get()
    done:await()
    equal(service("/a"):get():chained(function() return done end):await().content, "done1")
    local fixed = lull.hard_wired_request(lull.success { content = 5 })
    equal(service("/a"):get():chained(function() return fixed end):await().content, 5)
    local failed = lull.failed_request(lull.error("never"))
    local _, err = service("/a"):get():chained(function() return failed end):await()
    equal(err.user_message, "never")
  end)

  it("CHN-06 passes back to the request it wraps", function()
    local request = echo()("/a"):get()
    equal(request:chained(function() return request end):await().content, "a1")
  end)

  it("CHN-07 CHN-08 is another request, in progress until it has an answer", function()
    local service, held = spec.held()
    local request = service("/a"):get()
    local order = {}
    local chain = request:chained(function() return lull.success { content = "chain" } end)
    check(chain ~= request)
    equal(chain.state, "in_progress")
    equal(chain.resource, request.resource)
    equal(chain.method, "GET")
    equal(chain.url, request.url)
    chain:on_success(function(entity) order[#order + 1] = entity.text end)
    request:on_success(function(entity) order[#order + 1] = entity.content end)
    spec.turn()
    held[1](json "1")
    chain:await()
    same(order, { 1, "chain" })
    equal(chain.state, "completed")
    contains(tostring(chain), "GET")
  end)

  it("CHN-09 starts only with the request it wraps, and starts that", function()
    local service, asked = echo()
    local repeated = service("/a"):get():repeated()
    local chain = repeated:chained(keep)
    equal(chain.state, "not_started")
    spec.turn()
    equal(asked.a, 1)
    equal(chain:start(), chain)
    equal(repeated.state, "in_progress")
    equal(chain:await().content, "a2")
    equal(service("/b"):get():chained(keep).state, "in_progress")
  end)

  it("CHN-10 calls its function once, whatever the outcome", function()
    for _, answer in ipairs { json "1", { status = 500 } } do
      local calls = spec.expect(function(response, ...)
        equal(select("#", ...), 0)
        equal(response.is_failure, answer.status == 500)
      end)
      spec.fake(answer)("/a"):get():chained(calls):await()
    end
  end)

  it("CHN-11 CHN-12 cancels the wrapped request, and its function never runs", function()
    local service = spec.held()
    local request = service("/a"):get():on_failure(spec.expect(1))
    local chain = request:chained(spec.never()):on_failure(spec.expect(1))
    spec.turn()
    chain:cancel()
    equal(chain.state, "completed")
    equal(request.state, "completed")
    local _, err = chain:await()
    equal(err.cause.kind, "request_cancelled")
    spec.turn()
  end)

  it("CHN-13 goes on when the wrapped request is cancelled", function()
    local service = spec.held()
    local request = service("/a"):get()
    local chain = request:chained(function(response)
      equal(response.error.cause.kind, "request_cancelled")
      return lull.success { content = "saved" }
    end)
    request:cancel()
    equal(chain.state, "in_progress")
    equal(chain:await().text, "saved")
  end)

  it("CHN-14 cancels the request it has passed to, unless another chain waits for it", function()
    local service, held = spec.held()
    local next_one = service("/next"):get()
    local function pass() return next_one end
    local done = lull.hard_wired_request(lull.success { content = 1 })
    local one, two = done:chained(pass), done:chained(pass)
    spec.turn()
    one:cancel()
    equal(next_one.state, "in_progress")
    two:cancel()
    equal(next_one.state, "completed")
    equal(select(2, next_one:await()).cause.kind, "request_cancelled")
    equal(#held, 1)
  end)

  it("CHN-21 leaves a request to another chain around it when it is cancelled", function()
    local service, held = spec.held()
    local request = service("/a"):get()
    local one = request:chained(spec.never())
    local two = request:chained(function() return lull.success { content = "two" } end)
    one:cancel()
    equal(select(2, one:await()).cause.kind, "request_cancelled")
    equal(request.state, "in_progress")
    equal(two.state, "in_progress")
    held[1](json "1")
    equal(two:await().content, "two")
    equal(request:await().content, 1)
  end)

  it("CHN-21 takes the request with it when it is the last chain around it", function()
    local service, held = spec.held()
    local request = service("/a"):get()
    local one, two = request:chained(spec.never()), request:chained(spec.never())
    two:cancel()
    equal(request.state, "in_progress")
    one:cancel()
    equal(request.state, "completed")
    equal(select(2, request:await()).cause.kind, "request_cancelled")
    equal(#held, 1)
  end)

  it("CHN-15 CHN-16 runs its function again when it is repeated, and keeps its own result", function()
    local service, asked = echo()
    local count = 0
    local chain = service("/a"):get():chained(function(response)
      count = count + 1
      return lull.success { content = response.entity.content .. ":" .. count }
    end)
    equal(chain:await().text, "a1:1")
    local again = chain:repeated()
    equal(again.state, "not_started")
    equal(again:start():await().text, "a2:2")
    equal(chain:await().text, "a1:1")
    equal(asked.a, 2)
  end)

  it("CHN-17 a repeated inner chain does not run the outer one's function", function()
    local service = echo()
    local inner_runs, outer_runs = 0, 0
    local inner = service("/a"):get():chained(function() inner_runs = inner_runs + 1 end)
    local outer = inner:chained(function() outer_runs = outer_runs + 1 end)
    outer:await()
    equal(inner:repeated():start():await().content, "a2")
    same({ inner_runs, outer_runs }, { 2, 1 })
    equal(outer:repeated():start():await().content, "a3")
    same({ inner_runs, outer_runs }, { 3, 2 })
  end)

  it("CHN-18 has the progress of the part that runs", function()
    local first, second = 0.5, 0.25
    local function custom(progress)
      local finish
      local request = lull.custom_request {
        start = function(complete) finish = complete end, progress = progress,
      }
      return request, function() finish(lull.success { content = 1 }) end
    end
    local one, finish_one = custom(function() return first end)
    local two, finish_two = custom(function() return second end)
    local chain = one:chained(function() return two end)
    equal(chain.progress, 0.0)
    chain:start()
    equal(chain.progress, 0.5)
    finish_one()
    spec.turn()
    equal(chain.progress, 0.25)
    finish_two()
    chain:await()
    equal(chain.progress, 1.0)
  end)

  it("CHN-19 refreshes a token: fail with 401, ask for one, send again", function()
    local token = "old"
    local service, sent = spec.fake(function(http)
      if http.url:match("/token$") then return json '"new"' end
      if http.headers.Authorization ~= "new" then return { status = 401 } end
      return json '"secret"'
    end)
    local function refresh(request)
      return request:chained(function(response)
        if response.http_status ~= 401 and not (response.error and response.error.http_status == 401) then
          return
        end
        return service("/token"):post():chained(function(answer)
          if answer.is_failure then return end
          token = answer.entity.content
          service:invalidate_configuration()
          return request:repeated()
        end)
      end)
    end
    service:configure("/data", function(config)
      config.headers.Authorization = token
      config:decorate_requests(function(_, request) return refresh(request) end)
    end)
    local resource = service("/data")
    local events = spec.record(resource)
    equal(resource:load():await().content, "secret")
    equal(resource.content, "secret")
    equal(#sent, 3)
    same(events, { "observer_added []", "requested [L]", "new_data(network) [D]" })
  end)

  it("CHN-20 a hook on the chain runs whatever becomes of it", function()
    local service = spec.held()
    local chain = service("/a"):get():chained(spec.never())
    chain:on_completion(spec.expect(1))
    chain:cancel()
    spec.turn()
  end)
end)

describe("a chain function that waits", function()
  it("holds up only its own request", function()
    local service = echo()
    local order = {}
    local slow = service("/slow"):get():chained(function()
      lull.sleep(0.02)
      return lull.success { content = "waited" }
    end)
    slow:on_success(function() order[#order + 1] = "slow" end)
    service("/quick"):get():on_success(function() order[#order + 1] = "quick" end):await()
    equal(slow.state, "in_progress")
    equal(slow:await().text, "waited")
    same(order, { "quick", "slow" })
  end)

  it("may await another request, and pass to one it made", function()
    local service = echo()
    local chain = service("/a"):get():chained(function(response)
      local b = assert(service("/b"):get():await())
      check(response.entity.content == "a1" and b.content == "b1")
      return service("/c"):get()
    end)
    equal(chain:await().content, "c1")
  end)

  it("may wait in a chain of chains", function()
    local service = echo()
    local request = service("/a"):get()
    for i = 1, 10 do
      request = request:chained(function(response)
        lull.sleep(0)
        return lull.success { content = response.entity.content .. i }
      end)
    end
    equal(request:await().text, "a112345678910")
  end)

  it("ends when the chain is cancelled, and what it waits for is cancelled", function()
    local service = spec.held()
    local inner, is_closed
    local chain = lull.hard_wired_request(lull.success { content = 1 }):chained(function()
      local _ <close> = setmetatable({}, { __close = function() is_closed = true end })
      inner = service("/inner"):get()
      pcall(inner.await, inner)
      spec.fail("it went on")
    end)
    spec.turn()
    equal(chain.state, "in_progress")
    chain:cancel()
    equal(inner.state, "completed")
    equal(is_closed, true)
    local _, err = chain:await()
    equal(err.cause.kind, "request_cancelled")
  end)

  it("that cancels its own chain ends at its next wait", function()
    local chain, went_on
    chain = lull.hard_wired_request(lull.success { content = 1 }):chained(function()
      chain:cancel()
      lull.sleep(0)
      went_on = true
    end)
    local _, err = chain:await()
    equal(err.cause.kind, "request_cancelled")
    lull.sleep(0.01)
    equal(went_on, nil)
  end)

  it("that cancels its own chain and returns is not heard", function()
    local chain
    chain = lull.hard_wired_request(lull.success { content = 1 }):chained(function()
      chain:cancel()
      return lull.success { content = 2 }
    end)
    local _, err = chain:await()
    equal(err.cause.kind, "request_cancelled")
  end)

  it("raises when it awaits its own chain, directly", function()
    local chain, message
    chain = spec.fake(json "1")("/a"):get():chained(function()
      message = select(2, pcall(function() return chain:await() end))
    end)
    equal(chain:await().content, 1)
    contains(message, "this would wait for itself: GET https://api.test/v1/a")
    contains(message, "chains_spec.lua:")
  end)

  it("raises when it awaits its own chain through another chain", function()
    local inner, outer, message
    inner = spec.fake(json "1")("/a"):get():chained(function()
      message = select(2, pcall(function() return outer:await() end))
    end)
    outer = inner:chained(keep)
    equal(outer:await().content, 1)
    contains(message, "this would wait for itself")
  end)

  it("raises when it awaits its own chain through a task", function()
    local chain, message
    chain = spec.fake(json "1")("/a"):get():chained(function()
      local task = lull.spawn(function() return chain:await() end)
      message = select(2, pcall(function() return task:await() end))
    end)
    equal(chain:await().content, 1)
    contains(message, "this would wait for itself")
  end)

  it("may await the request it wraps, which has completed", function()
    local request = spec.fake(json "1")("/a"):get()
    local content
    request:chained(function() content = request:await().content end):await()
    equal(content, 1)
  end)

  it("two chains whose functions await each other: one of them raises", function()
    local one, two
    local messages = {}
    local function awaiting(other)
      return function()
        lull.sleep(0)
        local ok, message = pcall(function() return other():await() end)
        if not ok then messages[#messages + 1] = message end
      end
    end
    local done = lull.hard_wired_request(lull.success { content = 1 })
    one = done:chained(awaiting(function() return two end))
    two = done:chained(awaiting(function() return one end))
    equal(one:await().content, 1)
    equal(two:await().content, 1)
    equal(#messages, 1)
    contains(messages[1], "this would wait for itself")
  end)
end)

describe("a chain that never ends", function()
  it("fails after 100 hops, saying so", function()
    local service = spec.fake(json "1")
    local count = 0
    local function again()
      count = count + 1
      return service("/a"):get():chained(again)
    end
    local _, err = service("/a"):get():chained(again):await()
    equal(err.cause.kind, "chain_too_long")
    contains(err.cause.message, "100 times")
    contains(tostring(err), "GET")
    contains(tostring(err), "/a")
    equal(count, 101)
    lull.sleep(0.05)
    equal(count, 101, "and it is not begun anew")
  end, { seconds = 20 })

  it("fails when it would wait for itself", function()
    local service = spec.held()
    local chain, outer
    chain = lull.hard_wired_request(lull.success { content = 1 }):chained(function() return chain end)
    local _, err = chain:await()
    equal(err.cause.kind, "chain_too_long")
    contains(err.cause.message, "the chain would wait for itself")
    local inner
    inner = lull.hard_wired_request(lull.success { content = 1 }):chained(function() return outer end)
    outer = inner:chained(keep)
    _, err = outer:await()
    equal(err.cause.kind, "chain_too_long")
    equal(service.base_url ~= nil, true)
  end)

  it("fails when the request it passes to waits for the chain in its own function", function()
    local chain
    local waiting = lull.custom_request {
      start = function(complete)
        local entity, err = chain:await()
        complete(entity and lull.success(entity) or lull.failure(err))
      end,
    }
    chain = lull.hard_wired_request(lull.success { content = 1 }):chained(function()
      waiting:start()
      lull.sleep(0)
      return waiting
    end)
    local _, err = chain:await()
    equal(err.cause.kind, "chain_too_long")
    contains(err.cause.message, "the chain would wait for itself")
    _, err = waiting:await()
    equal(err.cause.kind, "chain_too_long")
  end)
end)

describe("a chain function that", function()
  it("raises fails its request with script_error, and is reported", function()
    local service = spec.fake(json "1")
    local request = service("/a"):get()
    local _, err = request:chained(function() error("kaputt") end):await()
    equal(err.cause.kind, "script_error")
    equal(err.user_message, "Request failed")
    contains(err.cause.message, "kaputt")
    contains(err.cause.message, "chains_spec.lua:")
    contains(err.cause.traceback, "chains_spec.lua:")
    contains(tostring(err), "GET")
    local reports = spec.reports()
    equal(#reports, 1)
    contains(reports[1].message, "kaputt")
    contains(reports[1].where, "chain function (")
    contains(reports[1].where, "chains_spec.lua:")
    equal(request:await().content, 1)
  end)

  it("raises a value keeps it", function()
    local _, err = spec.fake(json "1")("/a"):get():chained(function() error({ code = 7 }) end):await()
    spec.collect()
    equal(err.cause.value.code, 7)
    equal(#spec.reports(), 1)
  end)

  it("raises an error of Lull's fails with that one, unreported", function()
    local _, err = spec.fake(json "1")("/a"):get():chained(function()
      error(lull.error { user_message = "on purpose", http_status = 418 })
    end):await()
    equal(err.user_message, "on purpose")
    equal(err.http_status, 418)
    same(spec.reports(), {})
  end)

  it("raises after it has waited is no different", function()
    local _, err = spec.fake(json "1")("/a"):get():chained(function()
      lull.sleep(0)
      error("later")
    end):await()
    contains(err.cause.message, "later")
    equal(#spec.reports(), 1)
  end)

  it("returns something else fails, naming what came", function()
    local resource = spec.fake(json "1")("/a")
    for _, value in ipairs { 7, "text", true, {}, print, resource, lull.entity {}, lull.error("x") } do
      local _, err = resource:get():chained(function() return value end):await()
      equal(err.cause.kind, "script_error")
      contains(err.cause.message, "a chain function must return nothing, a Request or a Response, got ")
    end
    local reports = spec.reports()
    equal(#reports, 8)
    contains(reports[1].message, "got number")
    contains(reports[6].message, "got Resource")
    contains(reports[7].message, "got Entity")
    contains(reports[8].message, "got RequestError")
  end)

  it("yields by itself fails", function()
    local _, err = spec.fake(json "1")("/a"):get():chained(function() coroutine.yield(1) end):await()
    equal(err.cause.kind, "script_error")
    equal(#spec.reports(), 1)
  end)

  it("is no function raises at the caller's line", function()
    local request = spec.fake(json "1")("/a"):get()
    raises("bad argument #1 to 'chained'", function() request:chained() end)
    raises("bad argument #1 to 'chained'", function() request:chained({}) end)
    raises("bad argument #1 to 'chained'", function() request:chained(request) end)
    raises("too many arguments to 'chained'", function() request:chained(keep, keep) end)
    raises("colon", function() request.chained(keep) end)
  end)
end)

describe("load_using a chain", function()
  it("takes the chain's response as the resource's data", function()
    local resource = spec.fake(json "1")("/a")
    local events = spec.record(resource)
    resource:load_using(resource:get():chained(function(response)
      return lull.success { content = { value = response.entity.content } }
    end)):await()
    spec.collect()
    equal(resource.content.value, 1)
    same(events, { "observer_added []", "requested [L]", "new_data(network) [D]" })
  end)

  it("takes its failure, whatever the original's response", function()
    local resource = spec.fake(json "1")("/a")
    resource:load_using(resource:get():chained(function() return lull.failure("no") end)):await()
    equal(resource.latest_data, nil)
    equal(resource.latest_error.user_message, "no")
  end)
end)

describe("repeated", function()
  it("REP-01 REP-02 REP-03 is not sent until started, and has its own result", function()
    local service, asked = echo()
    local request = service("/a"):get()
    request:await()
    local again = request:repeated()
    check(again ~= request)
    equal(again.state, "not_started")
    equal(again.progress, 0.0, "PRG-02")
    spec.turn()
    equal(asked.a, 1)
    equal(again:start(), again)
    equal(again:await().content, "a2")
    equal(request:await().content, "a1")
  end)

  it("REP-04 HOOK-17 does not carry hooks over", function()
    local request = spec.fake(json "1")("/a"):get():on_completion(spec.expect(1))
    request:await()
    request:repeated():start():await()
  end)

  it("REP-05 REP-06 REP-07 REP-08 builds anew, at the call", function()
    local service, sent = spec.fake(json "1")
    local header, ad_hoc, configured = "1", 0, 0
    service:configure("/**", function(config)
      config.headers["X-Header"] = header
      config:mutate_requests(function(http)
        configured = configured + 1
        http.headers["X-Configured"] = tostring(configured)
      end)
    end)
    local request = service("/a"):get(nil, function(http)
      ad_hoc = ad_hoc + 1
      http.headers["X-Ad-Hoc"] = tostring(ad_hoc)
    end)
    request:await()
    header = "2"
    service:invalidate_configuration()
    local again = request:repeated()
    header = "3"
    service:invalidate_configuration()
    again:start():await()
    same({ sent[2].headers["x-header"], sent[2].headers["x-configured"], sent[2].headers["x-ad-hoc"] },
      { "2", "2", "2" })
    same({ configured, ad_hoc }, { 2, 2 })
  end)

  it("REP-09 of a load is in no list, and leaves the resource alone", function()
    local service = echo()
    local resource = service("/a")
    local load = resource:load()
    load:await()
    local again = load:repeated():start()
    equal(resource.is_loading, false)
    same(resource.all_requests, {})
    equal(again:await().content, "a2")
    equal(resource.content, "a1")
    resource:load_using(load:repeated()):start():await()
    equal(resource.content, "a3")
  end)

  it("REP-10 REP-11 REP-12 start does nothing twice, and a fixed request repeats as itself", function()
    local service, asked = echo()
    local request = service("/a"):get()
    equal(request.state, "in_progress")
    equal(request:start(), request)
    request:await()
    equal(request:start(), request)
    equal(asked.a, 1)
    local fixed = lull.hard_wired_request(lull.success { content = 1 })
    equal(fixed:repeated(), fixed)
  end)

  it("CXL-06 cancelled before its start never starts", function()
    local service, asked = echo()
    local again = service("/a"):get():repeated():on_failure(spec.expect(1))
    again:cancel()
    equal(again.state, "completed")
    again:start()
    equal(select(2, again:await()).cause.kind, "request_cancelled")
    equal(asked.a, 1)
  end)

  it("awaited before its start goes on once somebody starts it", function()
    local service = echo()
    local again = service("/a"):get():repeated()
    local task = lull.spawn(function() return again:await().content end)
    spec.turn()
    equal(task.state, "running")
    again:start()
    equal(task:await(), "a2")
  end)
end)
