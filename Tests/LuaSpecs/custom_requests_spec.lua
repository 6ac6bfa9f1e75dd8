-- Responses and requests a script makes itself: lull.success, failure, failed_request,
-- hard_wired_request, custom_request (HW, DEL).
local lull = require "lull"
local spec = ...
local describe, it, equal, same, check = spec.describe, spec.it, spec.equal, spec.same, spec.check
local contains, raises, json = spec.contains, spec.raises, spec.json

local function nothing() end

describe("lull.success", function()
  it("makes a response of its parts", function()
    local response = lull.success {
      content = { a = 1 }, content_type = "x/y; charset=utf-8", headers = { ETag = '"x"' },
    }
    equal(response.is_success, true)
    equal(response.is_failure, false)
    equal(response.is_new, true)
    equal(response.error, nil, "DYN-04")
    equal(response.http_status, nil)
    equal(response.entity.content.a, 1)
    equal(response.entity.content_type, "x/y; charset=utf-8")
    equal(response.entity.charset, "utf-8")
    equal(response.entity.etag, '"x"')
    spec.near(response.entity.timestamp, lull.now(), 2, "ENT-11")
    check(#tostring(response) > 0)
  end)

  it("has empty bytes as content, and no content type, unless told otherwise", function()
    local entity = lull.success {}.entity
    equal(entity.content, "")
    equal(entity.content_type, "application/octet-stream", "ENT-02")
    equal(lull.success { is_new = false }.is_new, false)
  end)

  it("ENT-11 its content type stands over a header", function()
    local entity = lull.success { content_type = "a/b", headers = { ["Content-Type"] = "c/d" } }.entity
    equal(entity.content_type, "a/b")
    equal(entity:header("Content-Type"), "a/b")
  end)

  it("takes an entity as it is, with its timestamp", function()
    local own = lull.entity { content = { 1 }, content_type = "x/y", timestamp = 1000 }
    local response = lull.success(own)
    equal(response.entity.content, own.content)
    equal(response.entity.timestamp, 1000.0)
    equal(response.is_new, true)
    equal(lull.success(own, { is_new = false }).is_new, false)
    own.content = { 2 }
    equal(response.entity.content[1], 1, "ENT-01 an entity is a value")
    local shared = spec.fake(json('{"a":1}'))("/a"):load():await()
    equal(lull.success(shared).entity.content.a, 1)
  end)

  it("its entity is read-only", function()
    raises("read-only", function() lull.success {}.entity.content = 1 end)
    raises("read-only", function() lull.success {}.entity.headers.A = "b" end)
  end)

  it("raises for wrong use", function()
    raises("bad argument #1 to 'success' (Entity or table expected, got nil)", function() lull.success(nil) end)
    raises("bad argument #1 to 'success'", function() lull.success() end)
    raises("bad argument #1 to 'success' (Entity or table expected, got string)", function() lull.success("x") end)
    raises("got RequestError", function() lull.success(lull.error("x")) end)
    raises("unknown setting 'contnt' (did you mean 'content'?)", function() lull.success { contnt = 1 } end)
    raises("'is_new' must be true or false, got string", function() lull.success { is_new = "yes" } end)
    raises("'headers' must be a table", function() lull.success { headers = 7 } end)
    raises("'content_type' must be a string", function() lull.success { content_type = 7 } end)
    raises("bad argument #2 to 'success'", function() lull.success({}, { is_new = true }) end)
    raises("did you mean 'is_new'?", function() lull.success(lull.entity {}, { isnew = true }) end)
    raises("'is_new' must be true or false", function() lull.success(lull.entity {}, { is_new = 1 }) end)
    raises("bad argument #2 to 'success'", function() lull.success(lull.entity {}, 7) end)
  end)
end)

describe("lull.failure", function()
  it("makes a response of an error, or of a message", function()
    local err = lull.error { user_message = "no", http_status = 404 }
    local response = lull.failure(err)
    equal(response.is_success, false)
    equal(response.is_failure, true)
    equal(response.entity, nil, "DYN-04")
    equal(response.error.user_message, "no")
    equal(response.error.http_status, 404)
    equal(lull.failure("oh no").error.user_message, "oh no")
    equal(lull.failure("oh no").error.cause, nil)
  end)

  it("raises for wrong use", function()
    raises("bad argument #1 to 'failure' (RequestError or message expected, got nil)", function()
      lull.failure(nil)
    end)
    raises("bad argument #1 to 'failure'", function() lull.failure() end)
    raises("got table", function() lull.failure({ user_message = "x" }) end)
    raises("got Response", function() lull.failure(lull.success {}) end)
  end)
end)

describe("a hard-wired request", function()
  it("HW-02 HW-03 has ended before it begins, and hooks are called on a later turn", function()
    local request = lull.hard_wired_request(lull.success { content = "x" })
    equal(request.state, "completed")
    equal(request.response.entity.text, "x")
    equal(request.resource, nil)
    equal(request.url, nil)
    equal(request.method, nil)
    local is_inside = true
    local order = {}
    request:on_success(function(entity)
      equal(is_inside, false)
      order[#order + 1] = entity.text
    end)
    request:on_completion(function() order[#order + 1] = "completion" end)
    request:on_failure(spec.never())
    is_inside = false
    equal(request:await().text, "x")
    same(order, { "x", "completion" })
    request:on_success(spec.expect(1))
    spec.turn()
    contains(tostring(request), "completed")
  end)

  it("HW-01 a failed one fails with its error, as it is", function()
    local err = lull.error { user_message = "never", cause = { code = 7 } }
    local request = lull.failed_request(err)
    equal(request.state, "completed")
    request:on_success(spec.never()):on_failure(spec.expect(function(e)
      equal(e.user_message, "never")
      equal(e.cause.code or (e.cause.value and e.cause.value.code), 7)
    end))
    local entity, got = request:await()
    equal(entity, nil)
    equal(got.user_message, "never")
  end)

  it("HW-02 keeps that a response is not new", function()
    local request = lull.hard_wired_request(lull.success { is_new = false })
    request:on_new_data(spec.never()):on_not_modified(spec.expect(1)):await()
  end)

  it("HW-04 has progress 1, and tells it once", function()
    local request = lull.hard_wired_request(lull.success {})
    equal(request.progress, 1.0)
    request:on_progress(spec.expect(function(fraction) equal(fraction, 1.0) end))
    spec.turn()
    request:on_progress(spec.expect(1))
    spec.turn()
  end)

  it("HW-05 is not cancelled, started or repeated", function()
    local request = lull.hard_wired_request(lull.success { content = "x" }):on_success(spec.expect(1))
    equal(request:cancel(), request)
    equal(request:start(), request)
    equal(request:repeated(), request)
    equal(request:await().text, "x")
  end)

  it("HW-06 starts its chains at once", function()
    local chain = lull.hard_wired_request(lull.success { content = "x" }):chained(nothing)
    equal(chain.state, "in_progress")
    equal(chain:await().text, "x")
  end)

  it("LOAD-36 becomes data one turn after load_using, without network and pipeline", function()
    local service, sent = spec.fake(json "1")
    service:transform(spec.never())
    local resource = service("/a")
    local events = spec.record(resource)
    resource:load_using(lull.hard_wired_request(lull.success { content = { 1 } }))
    equal(resource.is_loading, true)
    equal(resource.latest_data, nil)
    spec.turn()
    spec.collect()
    equal(resource.content[1], 1)
    equal(#sent, 0)
    resource:load_using(lull.failed_request(lull.error("no"))):await()
    equal(resource.latest_error.user_message, "no")
    equal(resource.content[1], 1)
    same(events, { "observer_added []", "requested [L]", "new_data(network) [D]", "requested [LD]", "error [DE]" })
  end)

  it("serves several resources at once", function()
    local service = spec.fake(json "1")
    local request = lull.hard_wired_request(lull.success { content = { 1 } })
    for i = 1, 3 do service("/" .. i):load_using(request) end
    spec.turn()
    for i = 1, 3 do check(rawequal(service("/" .. i).content, request.response.entity.content)) end
  end)

  it("raises for wrong use", function()
    raises("bad argument #1 to 'hard_wired_request' (Response expected, such as lull.success{…} or "
      .. "lull.failure(…), got RequestError)", function() lull.hard_wired_request(lull.error("x")) end)
    raises("got table", function() lull.hard_wired_request({}) end)
    raises("bad argument #1 to 'hard_wired_request'", function() lull.hard_wired_request() end)
    raises("bad argument #1 to 'failed_request' (RequestError expected, such as lull.error{…}, got string)",
      function() lull.failed_request("x") end)
    raises("got Response", function() lull.failed_request(lull.failure("x")) end)
    raises("bad argument #1 to 'failed_request'", function() lull.failed_request() end)
  end)
end)

-- A custom request that waits for `finish(response)`.
local function held(functions)
  local finish
  local all = { start = function(complete) finish = complete end }
  for k, v in pairs(functions or {}) do all[k] = v end
  return lull.custom_request(all), function(...) return finish(...) end
end

describe("a custom request", function()
  it("DEL-01 is not started by itself", function()
    local request = lull.custom_request { start = spec.never() }
    equal(request.state, "not_started")
    spec.turn()
    equal(request.state, "not_started")
    equal(request.resource, nil)
    contains(tostring(request), "not started")
  end)

  it("shows its description", function()
    local request = lull.custom_request { start = nothing, description = "read a file" }
    contains(tostring(request), "read a file")
  end)

  it("DEL-02 calls no hook before it is completed", function()
    local request, finish = held()
    local calls = 0
    request:on_completion(function() calls = calls + 1 end)
    request:start()
    lull.sleep(0.02)
    equal(request.state, "in_progress")
    equal(calls, 0)
    finish(lull.success {})
    request:await()
    equal(calls, 1)
  end)

  it("DEL-03 DEL-10 delivers what it reports inside start, on a later turn", function()
    local is_inside = true
    local request = lull.custom_request {
      start = function(complete) complete(lull.success { content = { 1 } }) end,
    }
    request:on_success(spec.expect(function(entity)
      equal(is_inside, false)
      equal(entity.content[1], 1)
    end)):on_progress(spec.expect(function(fraction) equal(fraction, 1.0) end))
    equal(request:start(), request)
    equal(request.state, "completed")
    equal(request.progress, 1.0)
    is_inside = false
    equal(request:await().content[1], 1)
  end)

  it("DEL-03 delivers what it reports later, untransformed", function()
    local request, finish = held()
    request:start()
    finish(lull.success { content = "[1]", content_type = "application/json" })
    local entity = request:await()
    equal(entity.content, "[1]")
    equal(entity.content_type, "application/json")
    request, finish = held()
    request:start()
    finish(lull.failure("no"))
    equal(select(2, request:await()).user_message, "no")
  end)

  it("may return its response, at once or after a wait", function()
    local function quick() return lull.success { content = "quick" } end
    equal(lull.custom_request({ start = quick }):start():await().text, "quick")
    local function slow()
      lull.sleep(0.01)
      return lull.failure("slow")
    end
    equal(select(2, lull.custom_request({ start = slow }):start():await()).user_message, "slow")
  end)

  it("DEL-04 DEL-05 ignores and logs a second report", function()
    local messages = {}
    lull.log.handler = function(category, message) messages[#messages + 1] = category .. " " .. message end
    lull.log.enabled = "network"
    local request, finish = held { description = "mine" }
    request:start():on_completion(spec.expect(1))
    finish(lull.success { content = "1" })
    finish(lull.success { content = "2" })
    equal(request:await().text, "1")
    contains(table.concat(messages, "\n"), "network warning: mine: a second response was ignored")
  end)

  it("DEL-06 is started at most once", function()
    local request = lull.custom_request { start = spec.expect(1) }
    request:start()
    request:start()
    request:cancel()
    request:start()
  end)

  it("DEL-07 tells its cancel, and ignores what is reported later", function()
    local request, finish = held { cancel = spec.expect(function(...) equal(select("#", ...), 0) end) }
    request:start():on_failure(spec.expect(1)):on_success(spec.never())
    request:cancel()
    request:cancel()
    finish(lull.success {})
    equal(select(2, request:await()).cause.kind, "request_cancelled")
  end)

  it("CXL-06 cancelled before its start is never started", function()
    local request = lull.custom_request { start = spec.never() }
    request:cancel()
    request:start()
    equal(select(2, request:await()).cause.kind, "request_cancelled")
  end)

  it("DEL-08 has progress 0 without a progress function, and 1 at the end", function()
    local request, finish = held()
    equal(request.progress, 0.0)
    request:start()
    equal(request.progress, 0.0)
    finish(lull.failure("x"))
    equal(request.progress, 1.0)
    request:await()
  end)

  it("PRG-02 PRG-24 has the progress its function tells, between 0 and 1", function()
    local fraction = 0.25
    local request, finish = held { progress = function() return fraction end }
    equal(request.progress, 0.0, "not started")
    local seen = {}
    request:on_progress(function(f) seen[#seen + 1] = f end)
    request:start()
    equal(request.progress, 0.25)
    spec.turn()
    for _, value in ipairs { 7, -1, 0 / 0, math.huge, -math.huge } do
      fraction = value
      equal(request.progress, (value == 7 or value == math.huge) and 1.0 or 0.0, tostring(value))
    end
    fraction = 0.5
    finish(lull.success {})
    request:await()
    equal(seen[1], 0.25)
    equal(seen[#seen], 1.0, "PRG-26")
  end)

  it("DEL-09 repeats with the same functions, or with what `repeated` returns", function()
    local runs = {}
    local function start(name)
      return function(complete)
        runs[#runs + 1] = name
        complete(lull.success { content = name })
      end
    end
    local same_one = lull.custom_request { start = start "same" }
    same_one:start():await()
    local again = same_one:repeated()
    equal(again.state, "not_started")
    equal(again:start():await().text, "same")
    local count = 0
    local function make()
      count = count + 1
      local name = "run " .. count
      return { start = start(name), repeated = make, description = name }
    end
    local request = lull.custom_request(make())
    equal(count, 1)
    local second = request:repeated()
    equal(count, 2)
    contains(tostring(second), "run 2")
    equal(second:start():await().text, "run 2")
    equal(second:repeated():start():await().text, "run 3")
    equal(request:start():await().text, "run 1")
    same(runs, { "same", "same", "run 2", "run 3", "run 1" })
  end)

  it("can be chained, loaded with, and returned by a decorator", function()
    local service, sent = spec.fake(json "1")
    local function custom(content)
      return lull.custom_request { start = function(complete) complete(lull.success { content = content }) end }
    end
    local chain = custom("a"):chained(function(response)
      return custom(response.entity.text .. "b")
    end)
    equal(chain.state, "not_started", "CHN-09")
    equal(chain:start():await().text, "ab")
    local resource = service("/a")
    local request = resource:load_using(custom("c"))
    equal(resource.is_loading, true, "LOAD-37")
    spec.turn()
    equal(resource.is_loading, true)
    request:start():await()
    equal(resource.text, "c")
    service:configure { decorate_requests = function() return custom("d") end }
    equal(resource:load():await().text, "d")
    equal(resource.text, "d")
    equal(#sent, 0)
  end)
end)

describe("start of a custom request", function()
  it("may wait, and await other requests", function()
    local service = spec.fake(json "17")
    local request = lull.custom_request {
      start = function(complete)
        lull.sleep(0.01)
        local entity = assert(service("/a"):get():await())
        complete(lull.success { content = entity.content + 1 })
      end,
    }
    equal(request:start():await().content, 18)
  end)

  it("that waits ends with its request, and what it waits for is cancelled", function()
    local service = spec.held()
    local inner, is_closed
    local request = lull.custom_request {
      start = function()
        local _ <close> = setmetatable({}, { __close = function() is_closed = true end })
        inner = service("/a"):get()
        pcall(inner.await, inner)
        spec.fail("it went on")
      end,
    }
    request:start()
    spec.turn()
    request:cancel()
    equal(inner.state, "completed")
    equal(is_closed, true)
    equal(select(2, request:await()).cause.kind, "request_cancelled")
  end)

  it("that cancels its own request ends at its next wait", function()
    local request, went_on
    request = lull.custom_request {
      start = function()
        request:cancel()
        lull.sleep(0)
        went_on = true
      end,
      cancel = spec.expect(1),
    }
    request:start()
    equal(select(2, request:await()).cause.kind, "request_cancelled")
    lull.sleep(0.01)
    equal(went_on, nil)
  end)

  it("goes on after its complete", function()
    local went_on
    local request = lull.custom_request {
      start = function(complete)
        complete(lull.success { content = "x" })
        lull.sleep(0.01)
        went_on = true
      end,
    }
    equal(request:start():await().text, "x")
    lull.sleep(0.03)
    equal(went_on, true)
  end)

  it("raises when it waits for its own request, directly or through a chain", function()
    local messages = {}
    local request, chain
    request = lull.custom_request {
      description = "mine",
      start = function(complete)
        messages[1] = select(2, pcall(function() request:await() end))
        messages[2] = select(2, pcall(function() chain:await() end))
        complete(lull.success { content = "x" })
      end,
    }
    chain = request:chained(nothing)
    equal(chain:start():await().text, "x")
    contains(messages[1], "this would wait for itself: mine")
    contains(messages[2], "this would wait for itself")
    contains(messages[1], "custom_requests_spec.lua:")
  end)

  it("that raises fails its request with script_error, and is reported", function()
    local request = lull.custom_request { start = function() error("kaputt") end, description = "mine" }
    local _, err = request:start():await()
    equal(err.cause.kind, "script_error")
    contains(err.cause.message, "kaputt")
    contains(err.cause.traceback, "custom_requests_spec.lua:")
    local reports = spec.reports()
    equal(#reports, 1)
    contains(reports[1].where, "start of a mine")
    _, err = lull.custom_request({
      start = function()
        lull.sleep(0)
        error({ code = 7 })
      end,
    }):start():await()
    spec.collect()
    equal(err.cause.value.code, 7)
    equal(#spec.reports(), 1)
    _, err = lull.custom_request({ start = function() error(lull.error("on purpose")) end }):start():await()
    equal(err.user_message, "on purpose")
    same(spec.reports(), {})
  end)

  it("that raises after its complete is reported, and the response stays", function()
    local request = lull.custom_request {
      start = function(complete)
        complete(lull.success { content = "x" })
        error("too late")
      end,
    }
    equal(request:start():await().text, "x")
    equal(#spec.reports(), 1)
  end)

  it("returns something else: its request waits for its complete", function()
    local request, finish = held()
    local odd = lull.custom_request {
      start = function(complete)
        finish = complete
        return 7
      end,
    }
    odd:start()
    spec.turn()
    equal(odd.state, "in_progress")
    finish(lull.success { content = "x" })
    equal(odd:await().text, "x")
    equal(request.state, "not_started")
  end)
end)

describe("the other functions of a custom request", function()
  it("must answer at once", function()
    local messages = {}
    local function wait(kind)
      return function()
        messages[kind] = select(2, pcall(lull.sleep, 0))
        return kind == "repeated" and { start = nothing } or 0.5
      end
    end
    local request = held { cancel = wait "cancel", progress = wait "progress", repeated = wait "repeated" }
    request:start()
    equal(request.progress, 0.5)
    request:repeated():cancel()
    request:cancel()
    for _, kind in ipairs { "cancel", "progress", "repeated" } do
      contains(messages[kind],
        "cannot wait inside a " .. kind .. " function of a custom request: it must return at once")
    end
  end)

  it("cancel: what it raises is reported, and the request is cancelled all the same", function()
    local request = held { cancel = function() error("kaputt") end }
    request:start():cancel()
    equal(select(2, request:await()).cause.kind, "request_cancelled")
    local reports = spec.reports()
    equal(#reports, 1)
    contains(reports[1].where, "cancel function of a custom request")
  end)

  it("progress: what it raises fails the request, and is reported once", function()
    local request = held { progress = function() error("kaputt") end }
    request:on_progress(function() end)
    request:start()
    lull.sleep(0.2)
    equal(request.state, "completed")
    equal(request.progress, 1.0)
    local _, err = request:await()
    equal(err.cause.kind, "script_error")
    contains(err.cause.message, "kaputt")
    local reports = spec.reports()
    equal(#reports, 1)
    contains(reports[1].where, "progress function of a custom request")
  end)

  it("progress: what is no number fails the request too", function()
    local request = held { progress = function() return "half" end }
    request:start()
    equal(request.progress, 1.0)
    local _, err = request:await()
    equal(err.cause.kind, "script_error")
    contains(err.cause.message, "'progress' must return a number, got string")
    equal(#spec.reports(), 1)
  end)

  it("repeated: what it raises, or returns instead of a table, fails the repeated request", function()
    local rows = {
      { function() error("kaputt") end, "kaputt" },
      { function() return 7 end, "'repeated' must return a table like the one passed to custom_request, got number" },
      { function() end, "got nil" },
      { function() return {} end, "needs 'start'" },
      { function() return { start = nothing, strt = 1 } end, "did you mean 'start'?" },
      { function() return { start = 7 } end, "'start' must be a function, got number" },
    }
    for _, row in ipairs(rows) do
      local request = held { repeated = row[1] }
      local _, err = request:repeated():start():await()
      equal(err.cause.kind, "script_error")
      contains(err.cause.message, row[2])
      equal(#spec.reports(), 1)
    end
  end)
end)

describe("complete", function()
  it("raises for what is no response, at the caller's line, and still can be called", function()
    local finish
    local request = lull.custom_request { start = function(complete) finish = complete end }:start()
    raises("Response expected, such as lull.success{…} or lull.failure(…), got nil", function() finish(nil) end)
    raises("got table", function() finish({}) end)
    raises("got Entity", function() finish(lull.entity {}) end)
    raises("got RequestError", function() finish(lull.error("x")) end)
    raises("bad argument #1 to 'complete'", function() finish() end)
    equal(request.state, "in_progress")
    finish(lull.success { content = "x" })
    equal(request:await().text, "x")
  end)

  it("dropped unused: whoever awaits is told, and nothing hangs", function()
    local request = lull.custom_request { start = nothing, description = "mine" }
    request:start()
    local ok, message = pcall(function()
      lull.spawn(function() spec.collect() end)
      return request:await()
    end)
    equal(ok, false)
    contains(message, "mine will never complete: a 'complete' function was dropped without a call")
  end)

  it("dropped unused does not keep a script alive", function()
    local result = spec.script [[
      local lull = require "lull"
      local request = lull.custom_request { start = function() end }:start()
      request:on_completion(function() print "never" end)
      lull.run()
      print(request.state)
    ]]
    equal(result.out, "in_progress\n")
    equal(result.code, 0)
  end)

  it("is heard from a task, a hook, an observer and another request's start", function()
    local service = spec.fake(json "1")
    local request, finish = held()
    request:start()
    lull.spawn(function() finish(lull.success { content = "task" }) end)
    equal(request:await().text, "task")
    request, finish = held()
    request:start()
    service("/a"):load():on_success(function() finish(lull.success { content = "hook" }) end)
    equal(request:await().text, "hook")
    request, finish = held()
    request:start()
    lull.custom_request({ start = function(complete)
      finish(lull.success { content = "start" })
      complete(lull.success {})
    end }):start()
    equal(request:await().text, "start")
  end)
end)

describe("lull.custom_request", function()
  it("raises for wrong use", function()
    raises("bad argument #1 to 'custom_request'", function() lull.custom_request() end)
    raises("bad argument #1 to 'custom_request'", function() lull.custom_request(nothing) end)
    raises("a custom request needs 'start', a function(complete)", function() lull.custom_request {} end)
    raises("'start' must be a function, got number", function() lull.custom_request { start = 7 } end)
    raises("unknown setting 'strat' (did you mean 'start'?)", function() lull.custom_request { strat = nothing } end)
    raises("'cancel' must be a function, got boolean", function()
      lull.custom_request { start = nothing, cancel = true }
    end)
    raises("'progress' must be a function, got number", function()
      lull.custom_request { start = nothing, progress = 0.5 }
    end)
    raises("'repeated' must be a function, got table", function()
      lull.custom_request { start = nothing, repeated = {} }
    end)
    raises("'description' must be a string", function()
      lull.custom_request { start = nothing, description = 7 }
    end)
    raises("settings have names", function() lull.custom_request { nothing } end)
  end)
end)
