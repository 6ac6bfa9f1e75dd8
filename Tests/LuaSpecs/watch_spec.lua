-- resource:watch{}: polling that shares loads, yields changes only, and leaves nothing behind.
local lull = require "lull"
local spec = ...
local describe, it, equal, same = spec.describe, spec.it, spec.equal, spec.same
local check, contains, raises, json = spec.check, spec.contains, spec.raises, spec.json

-- A service that answers with each of `bodies` in turn, the last one for ever.
local function stepping(bodies, settings)
  local n = 0
  return spec.fake(function()
    n = math.min(n + 1, #bodies)
    local body = bodies[n]
    return type(body) == "table" and body or json(body)
  end, settings)
end

describe("a watch", function()
  it("yields each change, and ends after the one that until_ accepts", function()
    local api, sent = stepping { '{"state":"queued"}', '{"state":"running"}', '{"state":"done"}' }
    local seen = {}
    for job, resource in api("/job"):watch {
      every = 0.01, until_ = function(job) return job.state == "done" end,
    } do
      equal(resource, api("/job"))
      seen[#seen + 1] = job.state
    end
    same(seen, { "queued", "running", "done" })
    equal(#sent, 3)
  end)

  it("does not yield what is the same, a 304 included", function()
    local api, sent = stepping {
      json('{"n":1,"m":2}', { ETag = '"a"' }), { status = 304, headers = { ETag = '"a"' } },
      '{"m":2, "n":1}', '{"n":1.0,"m":2}', '{"n":2,"m":2}',
    }
    local seen = {}
    for content in api("/a"):watch { every = 0.01, until_ = function(c) return c.n == 2 end } do
      seen[#seen + 1] = content.n
    end
    same(seen, { 1, 2 })
    equal(#sent, 5)
  end)

  it("compares what transformers make by what it holds", function()
    local api, sent = stepping { '{"tags":["a"]}', '{"tags":["a"]}', '{"tags":["b"]}' }
    api:transform("/**", function(content)
      local made = { tags = { content.tags[1] } }
      made.self = made
      return made
    end)
    local seen = {}
    for content in api("/a"):watch { every = 0.01, until_ = function(c) return c.tags[1] == "b" end } do
      equal(content.self, content)
      seen[#seen + 1] = content.tags[1]
      collectgarbage()
    end
    same(seen, { "a", "b" })
    equal(#sent, 3)
  end)

  it("tells text and bytes apart by what they are", function()
    local api = stepping { spec.answer("text/plain", "a"), spec.answer("text/plain", "a"),
      spec.answer("text/plain", "b"), spec.answer("application/octet-stream", "b") }
    local seen = {}
    for content, resource in api("/a"):watch { every = 0.01, until_ = function(_, r) return r.text == "" end } do
      seen[#seen + 1] = content .. ":" .. resource.latest_data.content_type
    end
    same(seen, { "a:text/plain", "b:text/plain", "b:application/octet-stream" })
  end)

  it("yields false and null too", function()
    local api = stepping { "false", "null", "0" }
    local seen = {}
    for content in api("/a"):watch { every = 0.01, until_ = function(c) return c == 0 end } do
      seen[#seen + 1] = tostring(content)
    end
    same(seen, { "false", "null", "0" })
  end)

  it("JSN-13 tells numbers apart that only rounding makes one", function()
    local api = stepping { "9007199254740993", "9007199254740992.0", "9007199254740992",
      '{"a": [9007199254740993]}', '{"a": [9007199254740992.0]}', "0" }
    local seen = {}
    for content in api("/a"):watch { every = 0.01, until_ = function(c) return c == 0 end } do
      seen[#seen + 1] = type(content) == "table" and content.a[1] or content
    end
    same(seen, { 9007199254740993, 9007199254740992.0, 9007199254740993, 9007199254740992.0, 0 })
  end)

  it("gives fresh data at once, without a request", function()
    local api, sent = stepping { "1", "2" }
    assert(api("/a"):load():await())
    local content = api("/a"):watch { every = 60 }()
    equal(content, 1)
    equal(#sent, 1)
  end)

  it("polls `every` seconds after the load of what it gave without a request", function()
    local times = {}
    local api = spec.fake(function()
      times[#times + 1] = lull.now()
      return json(tostring(#times))
    end)
    assert(api("/a"):load():await())
    local watch = api("/a"):watch { every = 0.3 }
    equal(watch(), 1)
    equal(watch(), 2)
    equal(#times, 2)
    check(times[2] - times[1] >= 0.29, "the first poll came at once")
    watch:stop()
  end)

  it("loads first where data is stale, and yields it if the server says that it still holds", function()
    local api, sent = stepping { json("1", { ETag = '"a"' }), { status = 304 } }
    local resource = api("/a")
    assert(resource:load():await())
    resource:invalidate()
    equal(resource:watch { every = 60 }(), 1)
    equal(#sent, 2)
  end)

  it("takes its pace from `every`, however long data stays fresh", function()
    local api, sent = stepping({ "1", "2", "3" }, { expiration_time = 1000 })
    local seen = {}
    for content in api("/a"):watch { every = 0.01 } do
      seen[#seen + 1] = content
      if content == 3 then break end
    end
    same(seen, { 1, 2, 3 })
    equal(#sent, 3)
  end)

  it("waits from the last answer on, whoever asked for it", function()
    local times = {}
    local api = spec.fake(function()
      times[#times + 1] = lull.now()
      return json(tostring(#times))
    end)
    local resource = api("/a")
    local watch = resource:watch { every = 0.3 }
    equal(watch(), 1)
    lull.sleep(0.2)
    assert(resource:load():await())
    -- Known already: no request.
    equal(watch(), 2)
    equal(#times, 2)
    equal(watch(), 3)
    check(times[3] - times[2] >= 0.29, "it did not wait from the other's load on")
    equal(#times, 3)
    watch:stop()
  end)

  it("shares loads that are in progress", function()
    local api, held = spec.held()
    local resource = api("/a")
    local others, requests = {}, {}
    local request = resource:load()
    for i = 1, 3 do
      lull.spawn(function()
        others[i] = resource:watch { every = 60 }()
      end)
    end
    spec.turn()
    equal(#held, 1)
    equal(#requests, 0)
    held[1](json "7")
    request:await()
    spec.turn()
    same(others, { 7, 7, 7 })
  end)

  it("lets many watches share one poll", function()
    local api, sent = stepping { "1", "2", "3" }
    local tasks = {}
    for i = 1, 10 do
      tasks[i] = lull.spawn(function()
        local seen = {}
        for content in api("/a"):watch { every = 0.02, until_ = function(c) return c == 3 end } do
          seen[#seen + 1] = content
        end
        return seen
      end)
    end
    for _, task in ipairs(tasks) do
      local seen = task:await()
      equal(seen[#seen], 3)
    end
    equal(#sent, 3)
  end)

  it("yields a local override at once, and the server's word after it", function()
    local api = stepping { "1", "2" }
    local resource = api("/a")
    local watch = resource:watch { every = 0.05 }
    equal(watch(), 1)
    lull.spawn(function() resource:override_local_content("mine") end)
    equal(watch(), "mine")
    equal(watch(), 2)
    watch:stop()
  end)

  it("loads anew when the resource is wiped", function()
    local api, sent = stepping { "1", "2" }
    local resource = api("/a")
    local watch = resource:watch { every = 60 }
    equal(watch(), 1)
    lull.spawn(function() resource:wipe() end)
    equal(watch(), 2)
    equal(#sent, 2)
    watch:stop()
  end)

  it("looks into a cache first", function()
    local cache = lull.cache.memory()
    local first = stepping({ "1" }, { pipeline = { model = { cache = cache } } })
    assert(first("/a"):load():await())
    local second, sent = stepping({ "2" }, { pipeline = { model = { cache = cache } } })
    equal(second("/a"):watch { every = 60 }(), 1)
    equal(#sent, 0)
  end)

  it("has the resource as a property, and a text", function()
    local api = stepping { "1" }
    local watch = api("/a"):watch {}
    equal(watch.resource, api("/a"))
    equal(tostring(watch), "Watch(/a)")
    watch:stop()
    equal(watch.resource, nil)
    equal(tostring(watch), "Watch(over)")
    equal(watch(), nil)
  end)

  it("needs no options", function()
    local api = stepping { "1" }
    equal(api("/a"):watch()(), 1)
  end)
end)

describe("a watch that fails", function()
  it("raises the error of its first load", function()
    local api = stepping { json('{"message":"no"}', nil, 404) }
    local ok, err = pcall(function()
      for _ in api("/a"):watch { every = 0.01 } do spec.fail("nothing should come") end
    end)
    equal(ok, false)
    equal(err.http_status, 404)
    contains(tostring(err), "GET https://api.test/v1/a")
  end)

  it("rides out what may pass, and raises what does not", function()
    local api, sent = stepping {
      "1", json("{}", nil, 503), json("{}", nil, 429), "2", json("{}", nil, 403),
    }
    local seen = {}
    local ok, err = pcall(function()
      for content, resource in api("/a"):watch { every = 0.01 } do
        equal(resource.latest_error, nil)
        seen[#seen + 1] = content
      end
    end)
    same(seen, { 1, 2 })
    equal(ok, false)
    equal(err.http_status, 403)
    equal(#sent, 5)
  end)

  it("raises a timeout where until_ has not come true, with the last failure", function()
    local api = stepping { "1", json("{}", nil, 503) }
    local seen = {}
    local ok, err = pcall(function()
      local timeout = 0.1 * spec.slowness
      for content in api("/a"):watch { every = 0.01, timeout = timeout, until_ = function() end } do
        seen[#seen + 1] = content
      end
    end)
    same(seen, { 1 })
    equal(ok, false)
    equal(err.cause.kind, "timeout")
    contains(err.user_message, "The watch did not end within ")
    contains(err.user_message, " s; the last load failed: Service unavailable")
  end)

  it("simply ends at its timeout without until_", function()
    local api = stepping { "1" }
    local seen = {}
    for content in api("/a"):watch { every = 0.01, timeout = 0.1 * spec.slowness } do
      seen[#seen + 1] = content
    end
    same(seen, { 1 })
  end)

  it("times out during a load, which is cancelled if nobody else wants it", function()
    local api, held = spec.held()
    local watch = api("/a"):watch { every = 0.01, timeout = 0.05 }
    equal(watch(), nil)
    equal(#held, 1)
    equal(#api("/a").load_requests, 0)
  end)

  it("leaves a load alone that somebody waits for", function()
    local api, held = spec.held()
    local resource = api("/a")
    local watching = lull.spawn(function() resource:watch {}() end)
    spec.turn()
    local other
    lull.spawn(function() other = resource:load_if_needed():await() end)
    spec.turn()
    watching:cancel()
    spec.turn()
    equal(#resource.load_requests, 1)
    held[1](json "5")
    spec.turn()
    equal(other.content, 5)
  end)

  it("leaves a load alone that somebody has attached a hook to", function()
    local api, held = spec.held()
    local resource = api("/a")
    local watching = lull.spawn(function() resource:watch {}() end)
    spec.turn()
    local heard
    resource:load_if_needed():on_success(function(entity) heard = entity.content end)
    watching:cancel()
    spec.turn()
    held[1](json "5")
    spec.turn()
    equal(heard, 5)
  end)

  it("leaves a load to others that watch, and the last one takes it along", function()
    local api = spec.held()
    local resource = api("/a")
    local first = lull.spawn(function() resource:watch {}() end)
    spec.turn()
    local second = lull.spawn(function() resource:pages()() end)
    local third = lull.spawn(function() resource:watch {}() end)
    spec.turn()
    first:cancel()
    spec.turn()
    equal(#resource.load_requests, 1)
    third:cancel()
    spec.turn()
    equal(#resource.load_requests, 1)
    second:cancel()
    spec.turn()
    equal(#resource.load_requests, 0)
  end)

  it("raises what until_ raises, as it is", function()
    local api = stepping { "1" }
    local marker = { "marker" }
    local watch = api("/a"):watch { until_ = function() error(marker) end }
    local ok, err = pcall(watch)
    equal(ok, false)
    equal(err, marker)
    equal(watch(), nil)
    local message = select(2, pcall(api("/a"):watch { until_ = function(c) return c.x.y end }))
    contains(message, "watch_spec.lua")
  end)

  it("lets until_ not wait", function()
    local api = stepping { "1" }
    local ok, message = pcall(api("/a"):watch { until_ = function() lull.sleep(0) end })
    equal(ok, false)
    contains(message, "cannot wait inside a until_ function of watch: it must return at once")
  end)
end)

describe("a watch", function()
  it("works inside coroutines of the script's own", function()
    local api = stepping { "1", "2", "3" }
    local generator = coroutine.wrap(function()
      for content in api("/a"):watch { every = 0.01 } do coroutine.yield(content) end
    end)
    same({ generator(), generator(), generator() }, { 1, 2, 3 })
  end)

  it("of a coroutine that is closed while it waits is over", function()
    local api, sent = stepping { "1" }
    local watch = api("/a"):watch { every = 0.02 }
    local inner = coroutine.create(function()
      for content in watch, nil, nil, watch do coroutine.yield(content) end
    end)
    equal(select(2, coroutine.resume(inner)), 1)
    equal(coroutine.close(inner), true)
    equal(watch.resource, nil)
    lull.sleep(0.05)
    equal(#sent, 1)
  end)

  it("runs beside others in lull.map, and ends with them", function()
    local api = spec.fake(function(http)
      return json(http.url:find("bad", 1, true) and "oops" or '"ok"')
    end)
    local results = lull.map({ "a", "b" }, function(name)
      local seen
      for content in api("/" .. name):watch { every = 0.01, until_ = function() return true end } do
        seen = content
      end
      return seen
    end)
    same(results, { "ok", "ok" })
    local ok = pcall(lull.map, { "a", "bad" }, function(name)
      for _ in api("/" .. name):watch { every = 0.01, until_ = function() end } do lull.sleep(0) end
    end)
    equal(ok, false)
    spec.turn()
    equal(#api("/a").load_requests, 0)
  end)

  it("can be given a time by lull.timeout", function()
    local api = stepping { "1" }
    local value, err = lull.timeout(0.05, function()
      for _ in api("/a"):watch { every = 0.01, until_ = function() end } do lull.sleep(0) end
    end)
    equal(value, nil)
    equal(err.cause.kind, "timeout")
  end)

  it("is over with its loop", function()
    local api, sent = stepping { "1", "2", "3" }
    local watch
    do
      local next_value, state, control, closing = api("/a"):watch { every = 0.01 }
      equal(state, nil)
      equal(control, nil)
      equal(next_value, closing)
      watch = next_value
      for content in next_value, state, control, closing do
        if content == 1 then break end
      end
    end
    equal(watch.resource, nil)
    lull.sleep(0.05)
    equal(#sent, 1)
  end)

  it("that an error leaves is over too", function()
    local api = stepping { "1" }
    local watch = api("/a"):watch {}
    pcall(function()
      for _ in watch, nil, nil, watch do error "out" end
    end)
    equal(watch.resource, nil)
  end)

  it("ends with the task that waits for it, and its request with it", function()
    local cancelled = 0
    local api = spec.fake(function()
      local _ <close> = setmetatable({}, { __close = function() cancelled = cancelled + 1 end })
      lull.sleep(60)
    end)
    local reached = false
    local task = lull.spawn(function()
      for _ in api("/a"):watch {} do reached = true end
      reached = true
    end)
    lull.sleep(0.01)
    equal(#api("/a").load_requests, 1)
    task:cancel()
    spec.turn()
    equal(#api("/a").load_requests, 0)
    equal(cancelled, 1)
    equal(reached, false)
  end)

  it("cancelled between polls polls no more", function()
    local api, sent = stepping { "1" }
    local seen = 0
    local task = lull.spawn(function()
      for _ in api("/a"):watch { every = 0.02 } do seen = seen + 1 end
    end)
    assert(lull.wait_until(function() return seen == 1 end, { every = 0.005 }))
    spec.turn()
    task:cancel()
    local count = #sent
    lull.sleep(0.06)
    equal(#sent, count)
  end)

  it("may be stopped by another task while it is waited for", function()
    local api = stepping { "1" }
    local watch = api("/a"):watch { every = 60 }
    equal(watch(), 1)
    local task = lull.spawn(function() return "got", watch() end)
    spec.turn()
    watch:stop()
    local word, value = task:await()
    equal(word, "got")
    equal(value, nil)
  end)

  it("may be stopped by its own until_, and is resumed once", function()
    local api = stepping { "1", "2" }
    local watch
    watch = api("/a"):watch { every = 0.01, until_ = function(content)
      if content == 2 then watch:stop() end
    end }
    equal(watch(), 1)
    local order = {}
    equal(watch(), 2)
    for i = 1, 3 do
      lull.sleep(0.01)
      order[i] = i
    end
    same(order, { 1, 2, 3 })
    equal(watch(), nil)
  end)

  it("is waited for by one coroutine at a time", function()
    local api = stepping { "1" }
    local watch = api("/a"):watch { every = 60 }
    watch()
    local task = lull.spawn(function() watch() end)
    spec.turn()
    raises("another coroutine is already waiting for this watch", function() watch() end)
    watch:stop()
    task:await()
  end)

  it("says that it would wait for itself", function()
    local api = stepping { "1" }
    local message
    api:transform("/**", function(content, entity)
      message = select(2, pcall(api("/a"):watch {}))
      return content, entity
    end)
    api("/a"):load():await()
    contains(message, "this would wait for itself")
  end)

  it("does not work where nothing can wait", function()
    local api = stepping { "1" }
    local message
    table.sort({ 2, 1 }, function(a, b)
      message = message or select(2, pcall(api("/a"):watch {}))
      return a < b
    end)
    contains(message, "cannot wait")
    equal(#api("/a").load_requests, 0)
  end)

  it("that is abandoned is collected, with what only it holds", function()
    local api = stepping { '{"n":1}' }
    local weak = setmetatable({}, { __mode = "v" })
    do
      local held = { count = 0 }
      weak.held = held
      weak.watch = api("/a"):watch { until_ = function() held.count = held.count + 1 end }
      weak.watch()
      equal(held.count, 1)
    end
    spec.collect()
    equal(weak.watch, nil)
    equal(weak.held, nil)
  end)

  it("refuses what makes no sense", function()
    local a = stepping { "1" }("/a")
    raises("'every' must be a number of seconds, more than 0, got 0", function() a:watch { every = 0 } end)
    raises("'every' must be a number of seconds, more than 0, got 'x'", function() a:watch { every = "x" } end)
    raises("'timeout' must be a number of seconds, 0 or more, got -1", function() a:watch { timeout = -1 } end)
    raises("'every' must be", function() a:watch { every = 0 / 0 } end)
    raises("'until_' must be a function, got true", function() a:watch { until_ = true } end)
    raises("unknown setting 'until' (did you mean 'until_'?)", function() a:watch { ["until"] = print } end)
    raises("unknown setting 'evry' (did you mean 'every'?)", function() a:watch { evry = 1 } end)
    raises("bad argument #1 to 'watch' (table expected, got number)", function() a:watch(2) end)
    raises("too many arguments to 'watch'", function() a:watch({}, 1) end)
  end)

  it("works in the main chunk, and in stock Lua too", function()
    local result = spec.script [[
      local lull = require "lull"
      local n = 0
      local api = lull.service { base_url = "http://x.test", networking = function()
        n = n + 1
        return { status = 200, headers = { ["Content-Type"] = "application/json" }, body = tostring(n) }
      end }
      for content in api("/a"):watch { every = 0.01, until_ = function(c) return c == 3 end } do
        print(content)
      end
      print "end"
    ]]
    equal(result.err, "")
    equal(result.out, "1\n2\n3\nend\n")
    equal(result.code, 0)
  end)
end)
