-- Caches: lull.cache.memory() and tables of functions (CACHE, STA-15, LOAD-29, WIPE-07, OVR-12).
local lull = require "lull"
local spec = ...
local describe, it, equal, same, check = spec.describe, spec.it, spec.equal, spec.same, spec.check
local contains, raises, json = spec.contains, spec.raises, spec.json

-- A cache that keeps entities in `store`, by URL and stage, and notes each operation in `log`.
local function recorder(overrides)
  local cache = { store = {}, log = {} }
  local function note(...) cache.log[#cache.log + 1] = table.concat({ ... }, " ") end
  function cache.key(_, resource, stage)
    return resource.url:match("[^/]*$") .. "@" .. tostring(stage)
  end
  function cache:read(key)
    note("read", key)
    return self.store[key]
  end
  function cache:write(key, entity)
    note("write", key)
    self.store[key] = entity
  end
  function cache:remove(key)
    note("remove", key)
    self.store[key] = nil
  end
  for name, value in pairs(overrides or {}) do cache[name] = value or nil end
  return cache, cache.log, cache.store
end

local function cached(answers, cache, stage, settings)
  local service, sent = spec.fake(answers, settings)
  service:configure { pipeline = { [stage or "model"] = { cache = cache } } }
  return service, sent
end

local function entity(content, age)
  return lull.entity { content = content, content_type = "application/json", timestamp = lull.now() - (age or 0) }
end

-- With whatever makes caches: the same behaviour.
local function suite(name, make)
  describe(name, function()
    it("CACHE-02 CACHE-07 STA-15 a miss: loads as without, an asynchronous phase before", function()
      local service, sent = cached(json "17", make())
      local resource = service("/a")
      local events = spec.record(resource)
      local request = resource:load_if_needed()
      equal(resource.is_loading, true)
      same(resource.all_requests, {}, "LOAD-29")
      equal(resource.load_requests[1], request)
      equal(#sent, 0)
      equal(request:await().content, 17)
      same(events, { "observer_added []", "requested [L]", "new_data(network) [D]" })
      equal(#sent, 1)
    end)

    it("CACHE-01 CACHE-14 CACHE-31 a hit: data without a load, with its age", function()
      local cache = make()
      local first = cached(json('{"a":1}', { ETag = '"x"' }), cache)
      local loaded = first("/a"):load():await()
      spec.turn()
      local service, sent = cached(json '{"a":2}', cache)
      local resource = service("/a")
      equal(resource.latest_data, nil)
      spec.turn()
      equal(resource.content.a, 1)
      equal(resource.latest_data.etag, '"x"')
      equal(resource.latest_data.content_type, "application/json")
      equal(resource.timestamp, loaded.timestamp)
      equal(resource.is_up_to_date, true)
      equal(resource:load_if_needed(), nil, "CACHE-06")
      equal(#sent, 0)
    end)

    it("a part of the whole is not kept", function()
      local cache = make()
      local service = cached(function(http)
        return http.headers.range and { status = 206, headers = { ["Content-Type"] = "application/json" }, body = "1" }
          or json "123"
      end, cache)
      service:configure { headers = { Range = "bytes=0-0" } }
      equal(service("/a"):load():await().content, 1)
      spec.turn()
      equal(cached(json "2", cache)("/a"):load_if_needed():await().content, 2)
      spec.turn()
      equal(service("/a"):load():await().content, 1)
      spec.turn()
      local other, sent = cached(json "3", cache)
      equal(other("/a"):load_if_needed():await().content, 2)
      equal(#sent, 0)
    end)

    it("CACHE-05 CACHE-09 CACHE-38 a fresh hit under load_if_needed: new_data(cache), not_modified, no load", function()
      local cache = make()
      local loaded = cached(json "1", cache)("/a"):load():await()
      spec.turn()
      local service, sent = cached(json "2", cache)
      local resource = service("/a")
      local events = spec.record(resource)
      local one, two = resource:load_if_needed(), resource:load_if_needed()
      equal(one, two, "LOAD-16")
      one:on_new_data(spec.expect(1)):on_not_modified(spec.never())
      one:on_completion(spec.expect(function(response) check(response.is_new) end))
      equal(one:await().content, 1)
      same(events, { "observer_added []", "new_data(cache) [LD]", "not_modified [D]" })
      equal(resource.timestamp, loaded.timestamp)
      equal(#sent, 0)
    end)

    it("CACHE-08 a stale hit: new_data(cache), then a load", function()
      local cache = make()
      cached(json "1", cache)("/a"):load():await()
      spec.turn()
      local service = cached(json "2", cache, nil, { expiration_time = 0 })
      lull.sleep(0.005)
      local resource = service("/a")
      local events = spec.record(resource)
      equal(resource:load_if_needed():await().content, 2)
      same(events, {
        "observer_added []", "new_data(cache) [LD]", "requested [LD]", "new_data(network) [D]",
      })
    end)

    it("CACHE-16 CACHE-18 failures are not written, and remove nothing", function()
      local cache = make()
      local service = cached({ json "1", { status = 500 } }, cache)
      service("/a"):load():await()
      service("/a"):load():await()
      service("/b"):load():await()
      spec.turn()
      local other = cached(json "2", cache)
      check(other("/a").latest_data == nil and other("/b").latest_data == nil)
      spec.turn()
      equal(other("/a").content, 1)
      equal(other("/b").latest_data, nil)
    end)

    it("CACHE-19 CACHE-26 NM-04 a 304 makes the cached entity as young as the resource", function()
      local cache = make()
      local service = cached({ json("1", { ETag = '"x"' }), { status = 304 } }, cache)
      local resource = service("/a")
      local first = resource:load():await().timestamp
      lull.sleep(0.01)
      resource:load():await()
      spec.turn()
      check(resource.timestamp > first)
      local other = cached(json "2", cache)("/a")
      check(other.latest_data == nil)
      spec.turn()
      equal(other.content, 1)
      equal(other.timestamp, resource.timestamp)
    end)

    it("CACHE-20 OVR-12 an override removes the entry and is not written", function()
      local cache = make()
      local service = cached(json "1", cache)
      service("/a"):load():await()
      service("/a"):override_local_content({ 2 })
      spec.turn()
      local other = cached(json "3", cache)("/a")
      check(other.latest_data == nil)
      spec.turn()
      equal(other.latest_data, nil)
    end)

    it("CACHE-29 plain and other requests write nothing; load_using with another method removes", function()
      local cache = make()
      local service = cached(json "1", cache)
      service("/a"):get():await()
      service("/b"):load():await()
      service("/b"):load_using(service("/b"):post()):await()
      spec.turn()
      local other = cached(json "2", cache)
      check(other("/a").latest_data == nil and other("/b").latest_data == nil)
      spec.turn()
      equal(other("/a").latest_data, nil)
      equal(other("/b").latest_data, nil)
    end)

    it("CACHE-29 load_using with a plain GET that has ended removes what is older", function()
      local cache = make()
      local service = cached({ json "1", json "2" }, cache)
      local resource = service("/a")
      resource:load():await()
      local request = resource:get()
      request:await()
      resource:load_using(request)
      spec.turn()
      equal(resource.content, 2)
      resource:wipe()
      check(resource.latest_data == nil)
      spec.turn()
      equal(resource.latest_data, nil)
      local other = cached(json "3", cache)("/a")
      check(other.latest_data == nil)
      spec.turn()
      equal(other.latest_data, nil)
    end)

    it("CACHE-38 of a hit that is not fresh a 304 is no new data", function()
      local cache = make()
      cached(json("1", { ETag = "e" }), cache)("/a"):load():await()
      spec.turn()
      local service, sent = cached(function(http)
        return { status = http.headers["if-none-match"] and 304 or 500 }
      end, cache, nil, { expiration_time = 0 })
      lull.sleep(0.01)
      local resource = service("/a")
      local request = resource:load_if_needed()
      request:on_new_data(spec.never()):on_not_modified(spec.expect(1))
      equal(request:await().content, 1)
      equal(#sent, 1)
    end)

    it("CACHE-32 WIPE-07 survives a wipe, which asks it again", function()
      local cache = make()
      local service, sent = cached(json "1", cache)
      local resource = service("/a")
      resource:load():await()
      spec.turn()
      local events = spec.record(resource)
      resource:wipe()
      equal(resource.latest_data, nil)
      spec.turn()
      equal(resource.content, 1)
      same(events, { "observer_added [D]", "new_data(wipe) []", "new_data(cache) [D]" })
      equal(#sent, 1)
    end)

    it("CACHE-03 CACHE-34 data that came first wins, and the check is over", function()
      local cache = make()
      cached(json "1", cache)("/a"):load():await()
      spec.turn()
      local service = cached(json "2", cache)
      local resource = service("/a")
      local events = spec.record(resource)
      resource:override_local_content("mine")
      spec.turn()
      equal(resource.content, "mine")
      same(events, { "observer_added []", "new_data(local_override) [D]" })
      resource:invalidate()
      local request = resource:load_if_needed()
      equal(resource.all_requests[1], request, "straight to the network")
      equal(request:await().content, 2)
    end)

    it("INV-59 AGE-07 is stale for others after an invalidation, and after a write", function()
      local cache = make()
      local function answer(value)
        return function(http) return http.method == "GET" and json(value) or { status = 204 } end
      end
      local first = cached(answer "1", cache)
      first("/a"):load():await()
      spec.turn()
      for value, change in ipairs {
        function(resource) resource:invalidate() end,
        function() first:invalidate_resources("/a") end,
        function(resource) assert(resource:patch { json = 1 }:await()) end,
      } do
        change(first("/a"))
        spec.turn()
        local other, sent = cached(answer(tostring(value + 1)), cache)
        equal(other("/a"):load_if_needed():await().content, value + 1)
        equal(#sent, 1)
        spec.turn()
        local third, none = cached(answer "0", cache)
        equal(third("/a"):load_if_needed():await().content, value + 1)
        equal(#none, 0, "it has been asked for since")
      end
    end)

    it("CACHE-35 the composite cancelled while the cache is asked: no event at all", function()
      local cache = make()
      cached(json "1", cache)("/a"):load():await()
      spec.turn()
      local service, sent = cached(json "2", cache)
      local resource = service("/a")
      local events = spec.record(resource)
      local request = resource:load_if_needed()
      request:cancel()
      equal(resource.is_loading, false)
      equal(select(2, request:await()).cause.kind, "request_cancelled")
      spec.turn()
      for _, event in ipairs(events) do spec.excludes(event, "cancelled") end
      equal(#sent, 0)
    end)

    it("CACHE-36 a resource that goes before the check is over is not missed", function()
      local cache = make()
      cached(json "1", cache)("/a"):load():await()
      spec.turn()
      local service = cached(json "2", cache)
      local function look() check(service("/a").latest_data == nil) end
      look()
      service:flush_unused_resources()
      spec.turn()
      spec.collect()
      local resource = service("/a")
      check(resource.latest_data == nil or resource.content == 1)
      spec.turn()
      equal(resource.content, 1)
    end)

    it("CACHE-33 none configured, or switched off: no asynchronous phase", function()
      for _, off in ipairs { false, true } do
        local service = off and cached(json "1", make()) or spec.fake(json "1")
        if off then
          service:configure("/**", function(config) config.pipeline.model.cache = nil end)
          service:configure { pipeline = { model = { cache = false } } }
        end
        local resource = service("/a")
        local request = resource:load_if_needed()
        equal(resource.all_requests[1], request)
        request:await()
      end
    end)

    it("STA-81 keeps content made by Lua alive, and gives a copy of it", function()
      local cache = make()
      local seen = setmetatable({}, { __mode = "k" })
      local service = cached(json "1", cache)
      service:transform(function(content)
        local model = { model = content }
        seen[model] = true
        return model
      end)
      local function load() service("/a"):load():await() end
      load()
      spec.turn()
      service:wipe_resources()
      service = nil
      spec.collect()
      spec.collect()
      check(next(seen), "it is gone")
      local other = cached(json "2", cache)("/a")
      check(other.latest_data == nil)
      spec.turn()
      equal(other.content.model, 1)
      check(not seen[other.content])
      other:override_local_content("mine")
      spec.turn()
      spec.collect()
      spec.collect()
      equal(next(seen), nil, "removed")
      check(service == nil)
    end)

    it("CACHE-12 a hit that later stages cannot use counts as a miss", function()
      local cache = make()
      cached(json "1", cache, "parsing")("/a"):load():await()
      spec.turn()
      local service = cached(json "2", cache, "parsing")
      service:transform(function(content)
        if content == 1 then error(lull.error "outdated") end
        return content
      end)
      local resource = service("/a")
      equal(resource:load_if_needed():await().content, 2)
    end)

    it("CACHE-11 CACHE-30 a hit runs through the stages after its own", function()
      local cache = make()
      cached(json '"raw"', cache, "parsing")("/a"):load():await()
      spec.turn()
      local service, sent = cached(json "2", cache, "parsing")
      service:transform(function(content)
        lull.sleep(0)
        return { model = content }
      end)
      equal(service("/a"):load_if_needed():await().content.model, "raw")
      equal(#sent, 0)
    end)
  end)
end

suite("lull.cache.memory()", lull.cache.memory)
suite("a table of functions", function() return (recorder()) end)
suite("a table whose functions wait", function()
  local cache = recorder()
  for _, name in ipairs { "read", "write", "remove" } do
    local fn = cache[name]
    cache[name] = function(...)
      lull.sleep(0)
      return fn(...)
    end
  end
  return cache
end)

describe("lull.cache.memory()", function()
  it("CACHE-15 CACHE-37 is shared by stages and services, each with its own entries", function()
    local cache = lull.cache.memory()
    contains(tostring(cache), "Cache")
    local function make(answer)
      local service, sent = spec.fake(answer)
      service:configure { pipeline = { raw_data = { cache = cache }, model = { cache = cache } } }
      service:transform(function(content) return { model = content } end)
      return service, sent
    end
    make(json "1")("/a"):load():await()
    spec.turn()
    local service, sent = make(json "2")
    equal(service("/a"):load_if_needed():await().content.model, 1)
    equal(#sent, 0)
  end)

  it("is another one each time", function()
    check(lull.cache.memory() ~= lull.cache.memory())
    raises("too many arguments", function() lull.cache.memory(1) end)
  end)
end)

describe("a table as a cache", function()
  it("is called with methods, in order, serialised", function()
    local cache, log = recorder()
    local seen = {}
    for _, name in ipairs { "key", "read", "write", "remove" } do
      local fn = cache[name]
      cache[name] = function(self, ...)
        equal(self, cache)
        seen[name] = select("#", ...)
        return fn(self, ...)
      end
    end
    local service = cached(json "1", cache)
    local resource = service("/a")
    resource:load_if_needed():await()
    resource:override_local_content(2)
    spec.turn()
    same(log, { "read a@model", "write a@model", "remove a@model" })
    equal(seen.read, 1)
    equal(seen.write, 2)
    equal(seen.remove, 1)
  end)

  it("CACHE-22 its operations never overlap, and come in the order issued, from two services too", function()
    local running, order = 0, {}
    local cache = recorder()
    local function slow(name)
      return function(_, key)
        running = running + 1
        equal(running, 1, "two at once")
        order[#order + 1] = name .. " " .. key:match("^[^@]*")
        lull.sleep(0.003)
        running = running - 1
      end
    end
    for _, name in ipairs { "read", "write", "remove" } do cache[name] = slow(name) end
    local one, two = cached(json "1", cache), cached(json "2", cache)
    local requests = {}
    for i = 1, 3 do
      requests[#requests + 1] = one("/" .. i):load()
      requests[#requests + 1] = two("/" .. i):load()
    end
    for _, request in ipairs(requests) do request:await() end
    one("/1"):override_local_content(0)
    lull.wait_until(function() return #order >= 13 end, { timeout = 10, every = 0.005 })
    lull.sleep(0.02)
    equal(#order, 13)
    equal(order[#order], "remove 1")
    for i = 1, 6 do equal(order[i]:match("^%a+"), "read") end
    for i = 7, 12 do equal(order[i]:match("^%a+"), "write") end
  end)

  it("shared by two stages is asked for the later one first (CACHE-10, CACHE-13, CACHE-17)", function()
    local cache, log, store = recorder()
    local service = spec.fake(json '"x"')
    service:configure { pipeline = { parsing = { cache = cache }, model = { cache = cache } } }
    service:transform(function(content)
      if content == "bad" then error(lull.error "bad") end
      return { model = content }
    end)
    service("/a"):load_if_needed():await()
    spec.turn()
    same(log, { "read a@model", "read a@parsing", "write a@parsing", "write a@model" })
    equal(store["a@parsing"].content, "x")
    equal(store["a@model"].content.model, "x")
    store["b@parsing"] = entity "early"
    equal(service("/b"):load_if_needed():await().content.model, "early")
    spec.turn()
    equal(store["b@model"].content.model, "early", "CACHE-13")
    equal(log[#log], "write b@model")
    local failing = spec.fake(json '"bad"')
    failing:configure { pipeline = { parsing = { cache = cache }, model = { cache = cache } } }
    failing:transform(function() error(lull.error "bad") end)
    failing("/c"):load():await()
    spec.turn()
    equal(store["c@parsing"].content, "bad", "CACHE-17")
    equal(store["c@model"], nil, "CACHE-16")
  end)

  it("CACHE-25 gets back its own keys, of every Lua type", function()
    local keys = {
      "text", "\0\255", "", 7, 1.5, math.mininteger, true, false, {}, print, coroutine.create(print), io.stdout,
      lull.null, spec.fake(json "1")("/x"),
    }
    for _, key in ipairs(keys) do
      local got = {}
      local cache = recorder {
        key = function() return key end,
        read = function(_, k) got[#got + 1] = k end,
        write = function(_, k) got[#got + 1] = k end,
        remove = function(_, k) got[#got + 1] = k end,
      }
      local resource = cached(json "1", cache)("/a")
      resource:load():await()
      resource:override_local_content(2)
      spec.turn()
      equal(#got, 3, tostring(key))
      for i = 1, 3 do
        check(rawequal(got[i], key), tostring(key) .. " came back as " .. tostring(got[i]))
        equal(math.type(got[i]), math.type(key))
      end
    end
  end)

  it("keeps a key that is garbage otherwise until its operations are over, and no longer", function()
    local seen = setmetatable({}, { __mode = "k" })
    local got = {}
    local cache = recorder {
      key = function(_, resource)
        local key = { url = resource.url }
        seen[key] = true
        return key
      end,
      read = function(_, key) lull.sleep(0.01) got[#got + 1] = key.url end,
      write = function(_, key) lull.sleep(0.01) got[#got + 1] = key.url end,
    }
    local service = cached(json "1", cache)
    local requests = {}
    for i = 1, 5 do requests[i] = service("/" .. i):load() end
    spec.collect()
    for _, request in ipairs(requests) do request:await() end
    lull.sleep(0.15)
    equal(#got, 10)
    requests = nil
    spec.collect()
    spec.collect()
    equal(next(seen), nil)
    check(requests == nil)
  end)

  it("CACHE-24 a key of nil: not cached, and no asynchronous phase", function()
    local cache, log = recorder { key = function(_, resource)
      if resource.url:match("/cached$") then return "key" end
    end }
    local service = cached(json "1", cache)
    local resource = service("/plain")
    local request = resource:load_if_needed()
    equal(resource.all_requests[1], request)
    request:await()
    resource:override_local_content(2)
    spec.turn()
    same(log, {})
    service("/cached"):load():await()
    spec.turn()
    same(log, { "read key", "write key" })
  end)

  it("CACHE-23 key is asked with the resource, which may be empty, and must answer at once", function()
    local message, seen
    local cache = recorder { key = function(_, resource, stage)
      seen = { resource.url, stage, resource.latest_data }
      message = select(2, pcall(lull.sleep, 0))
      return "key"
    end }
    local resource = cached(json "1", cache)("/a")
    check(resource.latest_data == nil)
    spec.turn()
    same(seen, { "https://api.test/v1/a", "model" })
    contains(message, "cannot wait inside a cache's key function: it must return at once")
  end)

  it("an entity given to write comes back through read with its timestamp", function()
    local cache, _, store = recorder()
    local loaded = cached(json('{"a":1}', { ETag = '"x"', ["X-Foo"] = "bar" }), cache)("/a"):load():await()
    spec.turn()
    local kept = store["a@model"]
    equal(kept.timestamp, loaded.timestamp)
    equal(kept.etag, '"x"')
    equal(kept:header("x-foo"), "bar")
    equal(kept.content.a, 1)
    local resource = cached(json "2", cache)("/a")
    check(resource.latest_data == nil)
    spec.turn()
    equal(resource.timestamp, loaded.timestamp)
    equal(resource.latest_data:header("x-foo"), "bar")
    check(rawequal(resource.content, kept.content))
  end)

  it("an entity a script stored as text and made again is as good", function()
    local files = {}
    local cache = {
      key = function(_, resource) return resource.url end,
      read = function(_, key)
        local file = files[key]
        if not file then return nil end
        return lull.entity {
          content = lull.json.decode(file.json), content_type = file.type, headers = { ETag = file.etag },
          timestamp = file.timestamp,
        }
      end,
      write = function(_, key, e)
        files[key] = {
          json = lull.json.encode(e.content), type = e.content_type, timestamp = e.timestamp, etag = e.etag,
        }
      end,
      update_timestamp = function(_, key, timestamp) files[key].timestamp = timestamp end,
      remove = function(_, key) files[key] = nil end,
    }
    local service = cached({ json('{"a":[1,2]}', { ETag = '"x"' }), { status = 304 } }, cache)
    service("/a"):load():await()
    lull.sleep(0.005)
    service("/a"):load():await()
    spec.turn()
    local timestamp = service("/a").timestamp
    local resource = cached(json "2", cache)("/a")
    equal(resource:load_if_needed():await().content.a[2], 2)
    equal(resource.timestamp, timestamp)
    equal(resource.latest_data.etag, '"x"')
  end)

  -- One that keeps strings alone, as a cache in files does.
  local function strings()
    local files, hits = {}, { count = 0 }
    return {
      key = function(_, resource, stage) return resource.url .. stage end,
      read = function(_, key)
        local file = files[key]
        if not file then return nil end
        hits.count = hits.count + 1
        return lull.entity { content = file.content, content_type = file.type, timestamp = file.timestamp }
      end,
      write = function(_, key, e)
        files[key] = { content = e.content, type = e.content_type, timestamp = e.timestamp }
      end,
      remove = function(_, key) files[key] = nil end,
    }, hits
  end

  it("CACHE-101 a string made again is bytes where nothing has made text of it", function()
    for _, row in ipairs {
      { "application/json", '{"a":1}' }, { "text/plain", "abc" }, { "text/plain", "caf\xE9", "café" },
      { "text/plain; charset=utf-8", "café" }, { "x/y", "abc" }, { "x/y", "ab\255" },
    } do
      for _, stage in ipairs { "raw_data", "decoding" } do
        local cache, hits = strings()
        local function load()
          local service, sent = cached(spec.answer(row[1], row[2]), cache, stage)
          service:transform(function(content) return content end, { stage = "decoding", input = "data" })
          return assert(service("/a"):load_if_needed():await()), sent
        end
        local first = load()
        spec.turn()
        local again, sent = load()
        equal(#sent, 0, row[1] .. " at " .. stage)
        equal(hits.count, 1)
        same(again.content, first.content)
        equal(again.text, first.text)
        if row[3] then equal(again.content, row[3]) end
      end
    end
  end)

  it("CACHE-101 and text where a parser or a function has", function()
    local cache = strings()
    cached(spec.answer("text/plain", "abc"), cache, "parsing")("/a"):load():await()
    spec.turn()
    local service, sent = cached(json "1", cache, "parsing")
    equal(service("/a"):load_if_needed():await().text, "abc")
    equal(#sent, 0)
    cache = strings()
    for _ = 1, 2 do
      service, sent = cached(spec.answer("x/y", "abc"), cache, "decoding")
      service:transform(function(content) return content end, { stage = "decoding", output = "text" })
      equal(service("/a"):load_if_needed():await().text, "abc")
      spec.turn()
    end
    equal(#sent, 0)
    cache = strings()
    for _ = 1, 2 do
      service, sent = cached(spec.answer("x/y", "abc"), cache, "parsing")
      service:transform(function(content) return #content end, { input = "data" })
      equal(service("/a"):load_if_needed():await().content, 3)
      spec.turn()
    end
    equal(#sent, 0)
  end)

  it("CACHE-26 with update_timestamp is not read and written for a 304", function()
    local updates = {}
    local cache, log = recorder {
      update_timestamp = function(_, key, timestamp) updates[#updates + 1] = { key, timestamp } end,
    }
    local resource = cached({ json("1", { ETag = '"x"' }), { status = 304 } }, cache)("/a")
    resource:load():await()
    resource:load():await()
    spec.turn()
    same(log, { "read a@model", "write a@model" })
    same(updates, { { "a@model", resource.timestamp } })
    equal(math.type(updates[1][2]), "float")
  end)

  it("CACHE-26 without it is read and written; nothing if there is no entry", function()
    local cache, log, store = recorder()
    local resource = cached({ json("1", { ETag = '"x"' }), { status = 304 } }, cache)("/a")
    resource:load():await()
    spec.turn()
    resource:load():await()
    spec.turn()
    equal(store["a@model"].timestamp, resource.timestamp)
    store["a@model"] = nil
    for i = #log, 1, -1 do log[i] = nil end
    resource:load():await()
    spec.turn()
    same(log, { "read a@model" })
  end)

  it("CACHE-28 may ignore writes", function()
    local cache = recorder { write = function() end }
    local resource = cached(json "1", cache)("/a")
    equal(resource:load_if_needed():await().content, 1)
  end)

  it("may have its functions from a metatable", function()
    local class = recorder()
    class.__index = class
    local cache = setmetatable({ store = {} }, class)
    cached(json "1", cache)("/a"):load():await()
    spec.turn()
    equal(cache.store["a@model"].content, 1)
    local proxy = setmetatable({}, { __index = function(_, name) return class[name] end })
    equal(cached(json "2", proxy)("/b"):load():await().content, 2)
  end)

  it("its functions are looked up at each call", function()
    local cache, log = recorder()
    local service = cached(json "1", cache)
    service("/a"):load():await()
    cache.read = function() return entity("replaced") end
    equal(service("/b"):load_if_needed():await().content, "replaced")
    spec.turn()
    same(log, { "read a@model", "write a@model" })
  end)
end)

describe("a cache function that raises is reported, and the load goes on:", function()
  for _, name in ipairs { "key", "read", "write", "remove", "update_timestamp" } do
    it(name, function()
      for _, waits in ipairs { false, true } do
        local cache = recorder { [name] = function()
          if waits and name ~= "key" then lull.sleep(0) end
          error("kaputt in " .. name)
        end }
        local service = cached({ json("1", { ETag = '"x"' }), { status = 304 } }, cache)
        local resource = service("/a")
        local events = spec.record(resource)
        equal(resource:load_if_needed():await().content, 1)
        equal(resource:load():await().content, 1)
        resource:override_local_content(2)
        spec.turn()
        local reports = spec.reports()
        check(#reports > 0, "not reported")
        for _, report in ipairs(reports) do
          contains(report.message, "kaputt in " .. name)
          contains(report.where, name .. " function of a cache")
          contains(report.traceback, "caches_spec.lua:")
        end
        equal(events[#events], "new_data(local_override) [D]")
        equal(resource.latest_error, nil)
      end
    end)
  end

  it("read that returns something else", function()
    for _, value in ipairs { 7, "text", {}, true, lull.error "x", lull.success {} } do
      local cache = recorder { read = function() return value end }
      equal(cached(json "1", cache)("/a"):load_if_needed():await().content, 1)
      local reports = spec.reports()
      equal(#reports, 1)
      contains(reports[1].message, "a cache's 'read' must return an Entity or nil, got ")
    end
  end)

  it("a function that has gone since", function()
    local cache = recorder()
    local service = cached(json "1", cache)
    cache.read, cache.write = nil, 7
    equal(service("/a"):load_if_needed():await().content, 1)
    spec.turn()
    local reports = spec.reports()
    equal(#reports, 1, "a missing one does nothing")
    contains(reports[1].message, "attempt to call a number value")
    contains(reports[1].where, "write function of a cache")
  end)

  it("the next operation is not held up", function()
    local count = 0
    local cache, _, store = recorder { read = function()
      count = count + 1
      if count == 1 then error("once") end
    end }
    local service = cached(json "1", cache)
    equal(service("/a"):load_if_needed():await().content, 1)
    equal(service("/b"):load_if_needed():await().content, 1)
    spec.turn()
    check(store["a@model"] and store["b@model"])
    equal(#spec.reports(), 1)
  end)
end)

describe("a cache function that waits", function()
  it("may load other resources, of the same service too", function()
    local service
    local cache, _, store = recorder()
    local read = cache.read
    cache.read = function(self, key)
      if key == "a@model" then
        local other = assert(service("/plain"):get():await())
        return entity("via " .. other.content)
      end
      return read(self, key)
    end
    service = cached(json '"net"', cache)
    equal(service("/a"):load_if_needed():await().content, "via net")
    equal(store["a@model"], nil)
  end)

  it("raises when it waits for the very check it is part of", function()
    local service, message
    local cache = recorder { read = function()
      message = select(2, pcall(function() return service("/a"):load_if_needed():await() end))
    end }
    service = cached(json "1", cache)
    equal(service("/a"):load_if_needed():await().content, 1)
    contains(message, "this would wait for itself")
  end)

  it("raises when it waits for a check that stands in its own queue", function()
    local service
    local messages = {}
    local cache = recorder()
    cache.write = function(_, key)
      if key == "a@model" then
        local ok, message = pcall(function() return service("/b"):load_if_needed():await() end)
        messages[#messages + 1] = ok and "it waited" or message
      end
    end
    service = cached(json "1", cache)
    equal(service("/a"):load():await().content, 1)
    lull.sleep(0.02)
    equal(#messages, 1)
    contains(messages[1], "this would wait for itself")
    equal(service("/b").content, 1, "it went on without waiting")
  end)

  it("a transformer of a hit that waits for the check it is part of", function()
    local service, message
    local cache, _, store = recorder()
    store["a@parsing"] = entity "early"
    service = cached(json '"net"', cache, "parsing")
    service:transform(function(content)
      message = select(2, pcall(function() return service("/a"):load_if_needed():await() end))
      return content
    end)
    equal(service("/a"):load_if_needed():await().content, "early")
    contains(message, "this would wait for itself")
  end)

  it("is cancelled with nothing: a write goes on when its request is long over", function()
    local cache, _, store = recorder()
    local write = cache.write
    cache.write = function(...)
      lull.sleep(0.02)
      write(...)
    end
    local service = cached(json "1", cache)
    service("/a"):load():await()
    service:wipe_resources()
    equal(store["a@model"], nil)
    lull.sleep(0.05)
    equal(store["a@model"].content, 1)
  end)

  it("still waiting when everything ends does not keep the script, or break it", function()
    local result = spec.script [[
      local lull = require "lull"
      local service = lull.service {
        base_url = "http://x.test", networking = function() return { status = 200, json = 1 } end,
      }
      service:configure { pipeline = { model = { cache = {
        key = function() return 1 end, read = function() lull.sleep(0.01) end,
        write = function() lull.sleep(0.02) print "written" end, remove = function() end,
      } } } }
      print(service("/a"):load_if_needed():await().content)
    ]]
    contains(result.out, "1\n")
    equal(result.err, "")
    equal(result.code, 0)
  end)
end)

describe("cache = …", function()
  it("raises for what is no cache", function()
    local service = spec.fake(json "1")
    local function set(cache)
      return function() service:configure { pipeline = { model = { cache = cache } } } end
    end
    local function nothing() end
    raises("'cache' must be lull.cache.memory(), lull.cache.file(), lull.cache.shared(), "
        .. "a table of functions or nil, got number", set(7))
    raises("got string", set("memory"))
    raises("got function", set(lull.cache.memory))
    raises("got boolean", set(true))
    raises("got Service", set(service))
    raises("a cache needs the function 'key'; see lull.cache.memory() for a ready one", set({}))
    raises("a cache needs the function 'read'", set({ key = nothing }))
    raises("a cache needs the function 'write'", set({ key = nothing, read = nothing }))
    raises("a cache needs the function 'remove'", set({ key = nothing, read = nothing, write = nothing }))
    raises("a cache needs the function 'read'", set({ key = nothing, read = 7, write = nothing, remove = nothing }))
    raises("a cache needs the function 'key'", set(setmetatable({}, { __index = function() error "no" end })))
  end)

  it("is read back as it was assigned", function()
    local memory, own = lull.cache.memory(), recorder()
    local service = spec.fake(json "1")
    local seen = {}
    service:configure("/**", function(config)
      seen[1] = config.pipeline.model.cache
      config.pipeline.model.cache = memory
      config.pipeline.cleanup.cache = own
      seen[2], seen[3] = config.pipeline.model.cache, config.pipeline.cleanup.cache
    end)
    local settings = service:configuration_for(service("/a"))
    equal(seen[1], memory == nil and 1 or nil)
    equal(seen[2], memory)
    equal(seen[3], own)
    equal(settings.pipeline.model.cache, memory)
    equal(settings.pipeline.cleanup.cache, own)
  end)
end)
