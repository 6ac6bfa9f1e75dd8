-- resource:events{}: streams, item by item (STR).
local lull = require "lull"
local spec = ...
local describe, it, equal, same = spec.describe, spec.it, spec.equal, spec.same
local contains, raises, check = spec.contains, spec.raises, spec.check

local function events(text) return spec.answer("text/event-stream", text) end
local function lines(text) return spec.answer("application/x-ndjson", text) end
local nothing = { status = 204 }

local function texts(resource, options)
  local all = {}
  for event in resource:events(options) do all[#all + 1] = event.id .. ":" .. event.data end
  return all
end

-- The error of a loop over the stream, and what came before it.
local function failing(resource, options)
  local all = {}
  local ok, err = pcall(function()
    for item in resource:events(options) do
      all[#all + 1] = type(item) == "userdata" and item.data or item
    end
  end)
  equal(ok, false)
  return err, all
end

-- A stream of the sample API that stays open.
local function open_stream(settings)
  return spec.demo(settings)("/events"):with_params { count = "3", ["end"] = "silence" }
end

local function wait_for_closed(service)
  lull.wait_until(function()
    return assert(service("/events/open"):load():await()).content.open == 0
  end, { every = 0.02, timeout = 4 })
end

describe("events", function()
  it("STR-01 STR-05 STR-06 STR-10 STR-29 gives what the server says, one by one", function()
    local api, sent = spec.fake { events "id: 1\ndata: {\"a\": [1, null]}\n\nevent: x\ndata: b\ndata\n\n", nothing }
    local stream = api("/s"):events()
    equal(#sent, 0)
    local first = stream()
    equal(first.id, "1")
    equal(first.event, "message")
    equal(first.data, '{"a": [1, null]}')
    equal(first:json().a[1], 1)
    equal(first:json().a[2], lull.null)
    equal(first:json(), first:json())
    equal(tostring(first), "StreamEvent(message, id 1, 16 bytes)")
    equal(stream.last_event_id, "1")
    local second = stream()
    equal(second.id .. second.event .. second.data, "1xb\n")
    raises("the data of this event is not JSON", function() second:json() end)
    raises("read-only", function() second.id = "2" end)
    stream:stop()
    equal(stream(), nil)
    equal(stream(), nil)
    equal(#sent, 1)
    equal(api("/s").latest_data, nil)
    equal(api("/s").latest_error, nil)
    equal(tostring(stream), "Events(/s, over)")
    equal(stream.resource, api("/s"))
  end)

  it("STR-12 STR-14 STR-18 go on where they were until there are no more", function()
    local api, sent = spec.fake {
      events "retry: 5\nid: 1\ndata: a\n\nid: 2\ndata: b\n\ndata: lost", events "data: c\n\n", nothing,
    }
    same(texts(api("/s"), { last_event_id = "0" }), { "1:a", "2:b", "2:c" })
    equal(#sent, 3)
    equal(sent[1].headers["last-event-id"], "0")
    equal(sent[3].headers["last-event-id"], "2")
    contains(sent[1].headers.accept, "text/event-stream")
  end)

  it("STR-12 nothing is lost or doubled while a real server ends connections", function()
    for _, ending in ipairs { "close", "cut" } do
      local numbers = {}
      local resource = spec.demo()("/events"):with_params {
        count = "60", per = "7", retry = "0", ["end"] = ending,
      }
      for event in resource:events() do
        numbers[#numbers + 1] = event:json().n
        equal(event.id, tostring(#numbers))
        equal(numbers[#numbers], #numbers)
      end
      equal(#numbers, 60)
    end
  end)

  it("STR-11 STR-19 are the values on the lines of NDJSON", function()
    local api = spec.fake { lines '{"a":1}\n\nnull\nfalse\n"x"\n[2]' }
    local all = {}
    for row in api("/s"):events() do all[#all + 1] = row end
    equal(#all, 5)
    equal(all[1].a, 1)
    equal(all[2], lull.null)
    equal(all[3], false)
    equal(all[4], "x")
    equal(all[5][1], 2)
    local numbers = {}
    for row in spec.demo()("/rows"):with_param("count", "300"):events() do
      numbers[#numbers + 1] = row.n
      equal(row.n, #numbers)
    end
    equal(#numbers, 300)
    local err, before = failing(spec.demo()("/rows"):with_params { count = "2", ["end"] = "cut" })
    equal(err.cause.kind, "truncated_body")
    equal(#before, 2)
    err, before = failing(spec.fake { lines "1\n{\n2\n" } "/s")
    equal(err.cause.kind, "malformed_json")
    contains(err.cause.message, "line 2")
    same(before, { 1 })
  end)

  it("STR-15 STR-16 fail for good where there is no stream", function()
    local err = failing(spec.fake { spec.answer("text/html", "{}") } "/s")
    equal(err.cause.kind, "not_a_stream")
    contains(err.user_message, "text/html")
    err = failing(spec.fake { spec.json('{"message":"no"}', nil, 404) } "/s")
    equal(err.http_status, 404)
    equal(err.entity.content.message, "no")
    local before
    err, before = failing(spec.fake { events "retry: 0\ndata: a\n\n", spec.json("{}", nil, 503) } "/s")
    equal(err.http_status, 503)
    same(before, { "a" })
    err = failing(lull.service "http://127.0.0.1:1" "/s")
    equal(err.cause.kind, "connection")
  end)

  it("STR-15 give the values of JSON of any type, however they follow each other", function()
    local two = '{"type":"ADDED","s":"}\\""}\n{"type":"MODIFIED"}\n'
    for _, case in ipairs {
      { "application/json", two }, { "application/vnd.x+json", two }, { "application/stream+json", two },
      { "text/x-ndjson", two }, { "application/json-seq", "\30" .. two:gsub("\n", "\n\30") },
      { "application/json", two:gsub("\n", "") }, { "application/json", two:gsub(":", ":\n  ") },
    } do
      local seen = {}
      for item in spec.fake { spec.answer(case[1], (case[2]:gsub("\30$", ""))) } "/s":events() do
        seen[#seen + 1] = item.type
      end
      same(seen, { "ADDED", "MODIFIED" }, case[1])
    end
    local all = {}
    for item in spec.fake { spec.json('[1,\n2]') } "/s":events() do all[#all + 1] = #item end
    same(all, { 2 })
    local err, before = failing(spec.fake { spec.json '{"a":1}\n{"a":' } "/s")
    equal(err.cause.kind, "malformed_json")
    contains(err.cause.message, "value 2 of the stream")
    equal(before[1].a, 1)
    local api = spec.fake({ spec.answer("text/plain", "1 2") }, { response_type = "json" })
    local sum = 0
    for item in api "/s":events() do sum = sum + item end
    equal(sum, 3)
  end)

  it("STR-17 end with their body where nobody wants them to go on", function()
    local api, sent = spec.fake { events "data: a\n\n" }
    same(texts(api("/s"), { reconnect = false }), { ":a" })
    equal(#sent, 1)
    local err, before = failing(
      spec.demo()("/events"):with_params { count = "2", ["end"] = "cut" }, { reconnect = false })
    equal(err.cause.kind, "truncated_body")
    equal(#before, 2)
  end)

  it("STR-24 are asked for with all that is configured, and with what the call says", function()
    local api, sent = spec.fake({ events "retry: 0\nid: é\ndata: a\n\n", events "data: b\n\n", nothing }, {
      headers = { A = "1", Accept = "x/y" },
      auth = lull.auth.bearer "secret-token",
    })
    local count = 0
    for _ in api("/s"):events {
      headers = { B = "2" },
      mutate = function(http)
        count = count + 1
        http.headers.C = tostring(count)
      end,
    } do collectgarbage() end
    equal(count, 3)
    for i, request in ipairs(sent) do
      local headers = request.headers
      same(
        { headers.a, headers.b, headers.c, headers.accept, headers["last-event-id"] },
        { "1", "2", tostring(i), "x/y", i > 1 and "é" or nil })
      check(headers.authorization)
    end
  end)

  it("STR-24 renew credentials and are retried until they begin", function()
    local tokens = 0
    local api, sent = spec.fake(function(http)
      if http.url:find "token" then
        tokens = tokens + 1
        return spec.json(('{"access_token":"t%d","expires_in":3600,"token_type":"Bearer"}'):format(tokens))
      end
      if tokens == 1 then return { status = 401 } end
      return http.headers["last-event-id"] and nothing or events "retry: 0\nid: 1\ndata: a\n\n"
    end, {
      auth = lull.auth.oauth2_client_credentials {
        token_url = "https://api.test/token", client_id = "c", client_secret = "s",
      },
    })
    same(texts(api("/s")), { "1:a" })
    equal(tokens, 2)
    equal(#sent, 5)
    api, sent = spec.fake({ { status = 503 }, events "id: 1\nretry: 0\ndata: a\n\n", { status = 503 }, nothing }, {
      retry = { times = 1, backoff = { base = 0.001 } },
    })
    same(texts(api("/s")), { "1:a" })
    equal(#sent, 4)
  end)
end)

describe("leaving the loop", function()
  it("STR-22 STR-27 by break, error, return or stop closes the connection", function()
    local resource = open_stream()
    local before = lull.stats().streams
    local ways = {
      function() for event in resource:events() do if event.id == "2" then break end end end,
      function() pcall(function() for _ in resource:events() do error "x" end end) end,
      function() return (function() for event in resource:events() do if event then return event end end end)() end,
      function()
        local stream = resource:events()
        stream()
        equal(lull.stats().streams, before + 1)
        stream:stop()
      end,
      function()
        local stream <close> = resource:events()
        stream()
      end,
    }
    for _, way in ipairs(ways) do
      way()
      equal(lull.stats().streams, before)
      equal(#resource.all_requests, 0)
    end
    wait_for_closed(resource.service)
  end)

  it("STR-22 by cancelling or the end of a task closes it, wherever that waits", function()
    local resource = open_stream()
    for _, body in ipairs {
      function() for _ in resource:events() do end end,
      function() for _ in resource:events() do lull.sleep(60) end end,
    } do
      local task = lull.spawn(body)
      lull.wait_until(function() return lull.stats().streams == 1 end, { every = 0.01, timeout = 4 })
      task:cancel()
      equal(lull.stats().streams, 0)
      equal(task.state, "cancelled")
    end
    equal(lull.timeout(0.1, function() for _ in resource:events() do end end), nil)
    equal(lull.stats().streams, 0)
    wait_for_closed(resource.service)
  end)

  it("STR-22 tells a call that waits", function()
    local stream = open_stream():events()
    for _ = 1, 3 do stream() end
    local task = lull.spawn(function() return "ended", stream() end)
    lull.sleep(0.05)
    raises("another coroutine", function() stream() end)
    stream:stop()
    local word, event = task:await()
    equal(word, "ended")
    equal(event, nil)
  end)

  it("STR-30 is noticed where the iterator is collected", function()
    local resource = open_stream()
    do
      local stream = resource:events()
      equal(stream().id, "1")
    end
    spec.collect()
    equal(lull.stats().streams, 0)
    wait_for_closed(resource.service)
  end)
end)

describe("a dropped stream", function()
  it("STR-30 gives its place back while everybody waits", function()
    local resource = open_stream()
    local service = resource.service
    service:configure { concurrency = 1 }
    do equal(resource:events()().id, "1") end
    assert(lull.timeout(20, function() return (assert(service("/events/open"):load():await())) end))
    equal(lull.stats().streams, 0)
  end)
end)

describe("a stream", function()
  it("may be read in a coroutine of the script's own", function()
    local resource = spec.demo()("/events"):with_params { count = "3" }
    local all = {}
    for id in coroutine.wrap(function()
      for event in resource:events() do coroutine.yield(event.id) end
    end) do
      all[#all + 1] = id
      if id == "3" then break end
    end
    same(all, { "1", "2", "3" })
    local routine = coroutine.create(function()
      for _ in open_stream():events() do coroutine.yield(true) end
    end)
    equal(select(2, coroutine.resume(routine)), true)
    equal(lull.stats().streams, 1)
    coroutine.close(routine)
    equal(lull.stats().streams, 0)
  end)

  it("STR-28 is another for each loop", function()
    local resource = open_stream()
    local a <close> = resource:events()
    local b <close> = resource:events()
    same({ a().id, b().id, a().id, b().id }, { "1", "1", "2", "2" })
    equal(lull.stats().streams, 2)
    equal(#resource.all_requests, 2)
  end)

  it("STR-27 holds one place of concurrency", function()
    local api = spec.demo { concurrency = 1 }
    local stream = api("/events"):with_param("end", "silence"):events()
    stream()
    local waiting = api("/users/1"):load()
    lull.sleep(0.05)
    equal(waiting.state, "in_progress")
    stream:stop()
    check(waiting:await())
  end)

  it("STR-23 is bounded by its own timeout and by silence, not by what is configured", function()
    local api = spec.demo { timeout = 0.15, max_body_size = 40 }
    local resource = api("/events"):with_params { count = "12", every = "30" }
    equal(#texts(resource), 12)
    local err, before = failing(
      api("/events"):with_param("end", "silence"), { timeout = 0.8 })
    equal(err.cause.kind, "timeout")
    equal(#before, 10)
    api = spec.demo { idle_timeout = 0.1 }
    resource = api("/events"):with_params { count = "2", every = "300", retry = "0" }
    -- It breaks off again and again; with retry = 0 that goes on behind the last event.
    err = failing(resource, { timeout = 0.5, reconnect = true })
    equal(err.cause.kind, "timeout")
  end)

  it("STR-25 is not loaded", function()
    local resource = open_stream()
    local _, err = resource:load():await()
    equal(err.cause.kind, "event_stream")
    contains(err.user_message, "events()")
    _, err = resource:get():await()
    equal(err.cause.kind, "event_stream")
    equal(resource.latest_error.cause.kind, "event_stream")
    _, err = spec.fake { events "data: a\n\n" } "/s":load():await()
    equal(err.cause.kind, "event_stream")
    equal(assert(spec.fake { events "data: a\n\n" } "/s":post():await()).text, "data: a\n\n")
  end)

  it("STR-26 does not keep a script alive, but waiting for one does", function()
    local script = [[
      local lull = require "lull"
      local api = lull.service(lull.demo())
      local it = api("/events"):with_param("end", "silence"):events()
      %s
    ]]
    local ended = spec.script(script:format 'print(it().id)')
    equal(ended.out, "1\n")
    equal(ended.code, 0)
    ended = spec.script(script:format [[
      lull.spawn(function() for event in it do if event.id == "10" then print "ten" break end end end)
      lull.run()
    ]])
    equal(ended.out, "ten\n")
    ended = spec.script(script:format [[
      api("/users/1"):observe(function(_, event)
        if event == "new_data" then for e in it do print(e.id) if e.id == "2" then break end end end
      end)
      api("/users/1"):load()
      lull.run()
    ]])
    equal(ended.out, "1\n2\n")
    equal(ended.err, "")
  end)

  it("is iterated by the main chunk too", function()
    local ended = spec.script [[
      local lull = require "lull"
      local api = lull.service(lull.demo())
      for event in api("/events"):with_params { count = "7", per = "3", retry = "0" }:events() do
        io.write(event.id, " ")
      end
      for row in api("/rows"):with_param("count", "3"):events() do io.write(row.n, " ") end
    ]]
    equal(ended.out, "1 2 3 4 5 6 7 1 2 3 ")
    equal(ended.err, "")
  end)
end)

describe("options of events", function()
  it("are checked", function()
    local resource = spec.fake { nothing } "/s"
    for problem, options in pairs {
      ["'reconnect' must be true or false, got"] = { reconnect = 1 },
      ["'last_event_id' must be a string, got"] = { last_event_id = 7 },
      ["'last_event_id' must not contain line breaks"] = { last_event_id = "a\nb" },
      ["'last_event_id' must not begin or end"] = { last_event_id = " a" },
      ["'last_event_id' is not valid UTF-8"] = { last_event_id = "\xE9" },
      ["'timeout' must be a number of seconds"] = { timeout = -1 },
      ["'headers' must be a table"] = { headers = "A: b" },
      ["'mutate' must be a function"] = { mutate = {} },
      ["did you mean 'reconnect'?"] = { reconect = true },
    } do
      raises(problem, function() resource:events(options) end)
    end
    raises("table expected", function() resource:events(7) end)
    same(texts(resource, {}), {})
    same(texts(resource, nil), {})
  end)
end)

describe("follow", function()
  local function joined(content, event) return (content or "") .. event.data end

  it("STR-31 STR-32 STR-36 makes the items the content, one event a turn", function()
    local api, sent = spec.fake { events "retry: 0\nid: 1\ndata: a\n\ndata: b\n\n", events "data: c\n\n", nothing }
    local resource = api("/s")
    local seen = {}
    resource:observe(function(r, event, source)
      if source then seen[#seen + 1] = event .. source .. r.content end
    end)
    local follow = resource:follow { reduce = joined, initial = "<" }
    equal(#sent, 1)
    equal(follow.is_over, false)
    equal(tostring(follow), "Follow(/s)")
    equal(follow:await(), "<abc")
    same(seen, { "new_datanetwork<ab", "new_datanetwork<abc" })
    equal(resource.content, "<abc")
    equal(follow.is_over, true)
    equal(follow.last_event_id, "1")
    equal(follow.resource, resource)
    equal(tostring(follow), "Follow(/s, over)")
    equal(follow:await(), "<abc")
    equal(resource.is_up_to_date, true)
  end)

  it("STR-31 may make tables of rows", function()
    local resource = spec.demo()("/rows"):with_param("count", "2000")
    local follow = resource:follow {
      initial = { sum = 0, rows = 0 },
      reduce = function(content, row)
        if row.n % 100 == 0 then collectgarbage() end
        return { sum = content.sum + row.n, rows = content.rows + 1 }
      end,
    }
    same(follow:await(), { sum = 2001000, rows = 2000 })
    equal(resource.content.rows, 2000)
  end)

  it("STR-33 fails as the stream does, and as its function", function()
    local api = spec.fake { events "retry: 0\ndata: a\n\n", spec.json("{}", nil, 500) }
    local resource = api("/s")
    local content, err = resource:follow { reduce = joined }:await()
    equal(content, nil)
    equal(err.http_status, 500)
    equal(resource.latest_error.http_status, 500)
    equal(resource.content, "a")
    for problem, reduce in pairs {
      ["oops"] = function(_, event) if event.data == "b" then error "oops" end return event.data end,
      ["must return the new content, got nil"] = function(_, event)
        if event.data == "a" then return "a" end
      end,
      ["cannot wait inside a reduce function of follow"] = function(_, event)
        if event.data == "b" then lull.sleep(0) end
        return "a"
      end,
    } do
      resource = spec.fake { events "data: a\n\ndata: b\n\n" } "/s"
      content, err = resource:follow { reduce = reduce }:await()
      equal(content, nil)
      equal(err.cause.kind, "script_error")
      contains(err.cause.message, problem)
      equal(resource.content, "a")
      local reports = spec.reports()
      equal(#reports, 1)
      contains(reports[1].message, problem)
      contains(reports[1].where, "reduce function of follow")
    end
  end)

  it("STR-34 STR-36 goes on until it is stopped", function()
    local resource = open_stream()
    local function count(content) return { n = (content and content.n or 0) + 1 } end
    resource:follow { reduce = count }
    spec.collect()
    lull.wait_until(function() return resource.content and resource.content.n == 3 end, { every = 0.01, timeout = 4 })
    spec.collect()
    equal(lull.stats().streams, 1)
    equal(resource.content.n, 3)
    equal(resource:load_if_needed(), nil)
    resource:wipe()
    equal(lull.stats().streams, 0)
    local follow = resource:follow { reduce = count }
    equal(follow:stop(), follow)
    equal(lull.stats().streams, 0)
    equal(follow:await(), nil)
    do local closed <close> = resource:follow { reduce = count } check(closed) end
    local task = lull.spawn(function() return resource:follow { reduce = count }:await() end)
    lull.wait_until(function() return resource.content end, { every = 0.01, timeout = 4 })
    task:cancel()
    equal(lull.stats().streams, 0)
    wait_for_closed(resource.service)
  end)

  it("STR-34 keeps the script alive", function()
    local ended = spec.script [[
      local lull = require "lull"
      local counter = lull.service(lull.demo())("/events"):with_params { count = "6", per = "2", retry = "5" }
      counter:follow { reduce = function(n, event) return event.id .. (n or "") end }
      counter:observe(function(r, event) if event == "new_data" then print(r.content) end end)
      lull.run()
    ]]
    equal(ended.err, "")
    contains(ended.out, "654321\n")
  end)

  it("checks its options", function()
    local resource = spec.fake { nothing } "/s"
    raises("follow needs 'reduce'", function() resource:follow {} end)
    raises("'reduce' must be a function, got", function() resource:follow { reduce = 1 } end)
    raises("did you mean 'reduce'?", function() resource:follow { reduse = print } end)
    raises("'last_event_id' must be a string", function()
      resource:follow { reduce = print, last_event_id = 1 }
    end)
    raises("table expected", function() resource:follow(print) end)
  end)
end)
