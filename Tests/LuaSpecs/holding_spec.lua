-- How long functions and values of a script live that requests, chains, configurations and caches may
-- yet call or hand out: as long as needed, and no longer; in both modes of the collector.
local lull = require "lull"
local spec = ...
local describe, it, equal, check = spec.describe, spec.it, spec.equal, spec.check
local json = spec.json

local function weak() return setmetatable({}, { __mode = "k" }) end

local function count(set)
  for _ = 1, 4 do
    collectgarbage("collect")
    lull.sleep(0)
  end
  local n = 0
  for _ in pairs(set) do n = n + 1 end
  return n
end

local function suite(mode)
  local function gc(name, body)
    it(name, function()
      collectgarbage(mode)
      local ok, err = xpcall(body, function(err) return err end)
      collectgarbage("incremental")
      if not ok then error(err, 0) end
    end)
  end

  gc("the mutation of a repeated request that has not started lives until it is dropped", function()
    local seen = weak()
    local calls = 0
    local function make()
      local function mutation(http)
        calls = calls + 1
        http.headers.A = "b"
      end
      seen[mutation] = true
      return spec.fake(json "1")("/a"):get(nil, mutation):repeated()
    end
    local again = make()
    equal(count(seen), 1)
    local third = again:repeated()
    equal(calls, 3)
    equal(third:start():await().content, 1)
    again, third = nil, nil
    equal(count(seen), 0)
    check(again == nil and third == nil)
  end)

  gc("a chain's function lives while the chain may call it, though nobody holds the chain", function()
    local seen, heard = weak(), nil
    local service, held = spec.held()
    local function make()
      local function fn(response)
        heard = response.entity.content
      end
      seen[fn] = true
      service("/a"):get():chained(fn)
    end
    make()
    spec.turn()
    equal(count(seen), 1)
    held[1](json "17")
    spec.turn()
    equal(heard, 17)
    equal(count(seen), 0)
  end)

  gc("a chain that has not started keeps its function, and the chain's repetition too", function()
    local seen = weak()
    local function make()
      local function fn() return lull.success { content = { made = true } } end
      seen[fn] = true
      return spec.fake(json "1")("/a"):get():repeated():chained(fn)
    end
    local chain = make()
    equal(count(seen), 1)
    local again = chain:repeated()
    chain = nil
    equal(count(seen), 1)
    equal(again:start():await().content.made, true)
    again = nil
    equal(count(seen), 0)
    check(chain == nil and again == nil)
  end)

  gc("a chain in a chain in a chain, not started, keeps all functions", function()
    local seen = weak()
    local order = ""
    local function make()
      local request = spec.fake(json "1")("/a"):get():repeated()
      for i = 1, 3 do
        local function fn() order = order .. i end
        seen[fn] = true
        request = request:chained(fn)
      end
      return request
    end
    local request = make()
    equal(count(seen), 3)
    local again = request:repeated()
    request:start():await()
    equal(order, "123")
    request = nil
    equal(count(seen), 3)
    again:start():await()
    equal(order, "123123")
    again = nil
    equal(count(seen), 0)
    check(request == nil and again == nil)
  end)

  gc("the functions of a custom request live while it may call them, started or not", function()
    local seen = weak()
    local function make()
      local functions = {
        start = function(complete) complete(lull.success { content = { 1 } }) end, progress = function() return 0 end,
        cancel = function() end,
      }
      functions.repeated = function() return { start = functions.start } end
      for _, fn in pairs(functions) do seen[fn] = true end
      return lull.custom_request(functions)
    end
    local request = make()
    equal(count(seen), 4)
    local again = request:repeated()
    equal(request:start():await().content[1], 1)
    request = nil
    equal(count(seen), 1, "start")
    equal(again:start():await().content[1], 1)
    again = nil
    equal(count(seen), 0)
    check(request == nil and again == nil)
  end)

  gc("a custom request in flight that only its complete holds is completed by it", function()
    local seen, heard = weak(), nil
    local finish
    local function make()
      local function start(complete) finish = complete end
      seen[start] = true
      lull.custom_request({ start = start }):start():on_success(function(entity) heard = entity.content[1] end)
    end
    make()
    count(seen)
    finish(lull.success { content = { 7 } })
    spec.turn()
    equal(heard, 7)
    finish = nil
    equal(count(seen), 0)
    check(finish == nil)
  end)

  gc("a hook on a not-started request lives with it", function()
    local seen, heard = weak(), 0
    local function make()
      local function hook() heard = heard + 1 end
      seen[hook] = true
      return spec.fake(json "1")("/a"):get():repeated():on_completion(hook)
    end
    local request = make()
    equal(count(seen), 1)
    request:start():await()
    equal(heard, 1)
    request = nil
    equal(count(seen), 0)
    check(request == nil)
  end)

  gc("cycles between requests and their functions are collected", function()
    local seen = weak()
    local function make()
      local service = spec.fake(json "1")
      local repeated
      repeated = service("/a"):get(nil, function() return repeated end):repeated()
      local chain
      chain = repeated:chained(function() return chain end)
      local custom
      custom = lull.custom_request {
        start = function(complete) return complete, custom, chain end, progress = function() return custom end,
        cancel = function() return custom, service end, repeated = function() return custom end,
      }
      local hooked = custom:repeated()
      check(hooked)
      custom:on_completion(function() return custom, chain, repeated end)
      for _, object in ipairs { service, repeated, chain, custom } do seen[object] = true end
    end
    make()
    equal(count(seen), 0)
  end)

  gc("so are cycles of those that have run", function()
    local seen = weak()
    local function make()
      local service = spec.fake(json "1")
      local request, chain, custom
      request = service("/a"):get(nil, function() return request, chain end)
      chain = request:chained(function() return custom end)
      custom = lull.custom_request { start = function(complete)
        complete(lull.success { content = { request, chain, custom } })
      end }
      check(rawequal(chain:await().content[3], custom))
      for _, object in ipairs { service, request, chain, custom } do seen[object] = true end
    end
    make()
    equal(count(seen), 0)
  end)

  gc("so are cycles of those that were cancelled, or failed", function()
    local seen = weak()
    local function make()
      local service = spec.held()
      local request, chain, custom
      request = service("/a"):get(nil, function() return request, chain end)
      chain = request:chained(function() return chain, custom end)
      custom = lull.custom_request { start = function(complete)
        repeat lull.sleep(0.001) until not custom
        complete(custom)
      end }:start()
      local failed = service("/b"):get():chained(function() error({ chain, custom }) end)
      for _, object in ipairs { service, request, chain, custom, failed } do seen[object] = true end
      spec.turn()
      for object in pairs(seen) do if object ~= service then object:cancel() end end
    end
    make()
    equal(count(seen), 0)
  end)

  gc("so are a service and a cache table, decorators and stages that refer to it", function()
    local seen = weak()
    local function make()
      local service = spec.fake(json "1")
      local cache = {
        key = function() return service end, read = function() return nil, service end,
        write = function() return service end, remove = function() end,
      }
      local memory = lull.cache.memory()
      service:configure("/**", function(config)
        config.pipeline.model.cache = cache
        config.pipeline.cleanup.cache = memory
        config.pipeline.model:add(function(content) return { content, service, cache } end)
        config.pipeline.cleanup:add_transformer(function(response) return response, memory end)
        config:decorate_requests(function(_, request) return request, service end)
      end)
      seen[service], seen[cache], seen[memory] = true, true, true
      service("/a"):load():await()
      spec.turn()
    end
    make()
    spec.turn()
    equal(count(seen), 0)
  end)

  gc("content made in a response lives with the response, the request and the data", function()
    local seen = weak()
    local function content()
      local made = {}
      seen[made] = true
      return made
    end
    local response = lull.success { content = content() }
    equal(count(seen), 1)
    check(next(response.entity.content) == nil)
    local request = lull.hard_wired_request(response)
    response = nil
    equal(count(seen), 1)
    local resource = spec.fake(json "1")("/a")
    resource:load_using(request):await()
    request = nil
    equal(count(seen), 1)
    check(seen[resource.content])
    resource:wipe()
    equal(count(seen), 0)
    check(response == nil and request == nil)
  end)

  gc("an error's entity and cause live with a failed request", function()
    local seen = weak()
    local function make()
      local cause, content = {}, {}
      seen[cause], seen[content] = true, true
      return lull.failed_request(lull.error {
        user_message = "no", cause = cause, entity = lull.entity { content = content },
      })
    end
    local request = make()
    equal(count(seen), 2)
    local err = select(2, request:await())
    request = nil
    equal(count(seen), 2)
    check(seen[err.entity.content] and seen[err.cause.value or err.cause])
    err = nil
    equal(count(seen), 0)
    check(request == nil and err == nil)
  end)

  gc("content of a settled request reaches hooks, chains and loads that come late", function()
    local seen = weak()
    local function settled()
      local made = { 1 }
      seen[made] = true
      local request = lull.hard_wired_request(lull.success { content = made })
      spec.turn()
      return request
    end
    local heard, chained, failed
    settled():on_success(function(entity) heard = entity.content[1] end)
    settled():chained(function(response) chained = response.entity.content[1] end)
    local resource = spec.fake(json "1")("/a")
    resource:load_using(settled())
    lull.failed_request(lull.error { cause = { 1 } }):on_failure(function(err)
      failed = (err.cause.value or err.cause)[1]
    end)
    count(weak())
    equal(heard, 1)
    equal(chained, 1)
    equal(failed, 1)
    equal(resource.content[1], 1)
    equal(count(seen), 1)
  end)

  gc("a response that a waiting chain function may yet keep is kept", function()
    local service = spec.fake(json "1"):transform(function(content) return { content } end)
    local function make()
      return service("/a"):get():chained(function()
        for _ = 1, 5 do
          collectgarbage("collect")
          lull.sleep(0)
        end
      end)
    end
    equal(make():await().content[1], 1)
  end)

  gc("an error's entity and cause of a resource live with it", function()
    local resource = spec.fake(json("1", nil, 500)):configure("/**", function(config)
      config.pipeline.model:add_transformer(function()
        return lull.failure(lull.error { cause = { "cause" }, entity = lull.entity { content = { "entity" } } })
      end)
    end)("/a")
    resource:load():await()
    count(weak())
    local err = resource.latest_error
    equal(err.entity.content[1], "entity")
    equal((err.cause.value or err.cause)[1], "cause")
    resource:wipe()
    count(weak())
    equal(err.entity.content[1], "entity")
    equal((err.cause.value or err.cause)[1], "cause")
  end)

  gc("content that a chain made reaches whoever the chain's chain is for", function()
    local function make(request, value)
      return request:chained(function()
        collectgarbage("collect")
        local response = lull.success { content = { value } }
        collectgarbage("collect")
        lull.sleep(0)
        return response
      end)
    end
    local request = make(make(spec.fake(json "1")("/a"):get(), 1), 2)
    local last = request:chained(function(response)
      collectgarbage("collect")
      equal(response.entity.content[1], 2)
    end)
    spec.collect()
    equal(last:await().content[1], 2)
    equal(request:await().content[1], 2)
  end)

  gc("requests started while their userdata awaits its finaliser leave nothing pinned", function()
    local seen = weak()
    local function make()
      local service = spec.fake(json "1")
      for i = 1, 200 do
        local request = service("/" .. i):get(nil, function() return i end):repeated()
        local function fn() return nil, i end
        seen[fn] = true
        local chain = request:chained(fn)
        request = nil
        for _ = 1, 3 do collectgarbage("step", 1) end
        chain:start()
        for _ = 1, i % 5 do collectgarbage("step", 2) end
        check(request == nil)
      end
    end
    make()
    lull.sleep(0.01)
    equal(count(seen), 0)
  end)

  gc("collecting inside every new callback breaks nothing", function()
    local function collect() collectgarbage("collect") end
    local cache = {
      store = {},
      key = function(_, resource) collect() return { resource.url } end,
      read = function() collect() lull.sleep(0) collect() end,
      write = function(self, key, entity) collect() self.store[key[1]] = entity collect() end,
      update_timestamp = collect, remove = collect,
    }
    local service = spec.fake(function(_, complete, report)
      collect()
      report { received = 1, to_receive = 2 }
      complete(json '{"a":1}')
      collect()
    end)
    service:configure("/**", function(config)
      collect()
      config.pipeline.order = { "raw_data", "decoding", "parsing", "own", "model", "cleanup" }
      collect()
      config.pipeline.own:add(function(content) collect() return { content } end)
      config.pipeline.model:add_transformer(function(response) collect() return response end)
      config.pipeline.model.cache = cache
      config:decorate_requests(function(_, request)
        collect()
        return request:chained(function(response)
          collect()
          return response.is_success and lull.success { content = { response.entity.content } } or nil
        end)
      end)
      collect()
    end)
    for i = 1, 5 do
      local resource = service("/" .. i)
      equal(resource:load_if_needed():await().content[1][1].a, 1)
      equal(resource:load():on_progress(collect):await().content[1][1].a, 1)
      local custom = lull.custom_request {
        start = function(complete) collect() complete(lull.success { content = { i } }) collect() end,
        progress = function() collect() return 0.5 end, cancel = collect,
        repeated = function() collect() return nil end,
      }
      check(custom:on_progress(collect).progress)
      equal(resource:load_using(custom):start():await().content[1], i)
      spec.collect()
      equal(resource.content[1], i)
    end
  end)
end

describe("incremental:", function() suite("incremental") end)
describe("generational:", function() suite("generational") end)

describe("memory stays flat", function()
  local function grown(work, rounds)
    for _ = 1, 3 do work() end
    spec.collect()
    spec.collect()
    local before = collectgarbage("count")
    for _ = 1, rounds do work() end
    spec.collect()
    spec.collect()
    return collectgarbage("count") - before
  end

  it("over 20,000 evicted resources whose configure function registers closures", function()
    local service = spec.fake(json "1")
    service.cached_resource_count_limit = 50
    local calls = 0
    service:configure("/**", function(config)
      config:mutate_requests(function() calls = calls + 1 end)
      config:decorate_requests(function(_, request) return request end)
      config.pipeline.model:add(function(content) return content end)
      config.pipeline.cleanup:add_transformer(function(response) return response end)
    end)
    local number = 0
    local function work()
      for _ = 1, 4000 do
        number = number + 1
        service:configuration_for(service("/" .. number))
        if number % 500 == 0 then lull.sleep(0) end
      end
    end
    local kilobytes = grown(work, 4)
    check(kilobytes < 300, ("grown by %.0f KB"):format(kilobytes))
    equal(service("/x"):load():await().content, 1)
    equal(calls, 1)
  end, { seconds = 60 })

  it("over configurations invalidated again and again", function()
    local service = spec.fake(json "1")
    service:configure("/**", function(config)
      config:mutate_requests(function() end)
      config.pipeline.model.cache = lull.cache.memory()
    end)
    local resource = service("/a")
    local function work()
      for i = 1, 500 do
        service:invalidate_configuration()
        service:configuration_for(resource)
        if i % 50 == 0 then lull.sleep(0) end
      end
    end
    local kilobytes = grown(work, 4)
    check(kilobytes < 200, ("grown by %.0f KB"):format(kilobytes))
  end, { seconds = 20 })

  it("over chains, custom requests, repetitions and cached loads", function()
    local service = lull.service {
      base_url = "https://api.test", networking = function() return json '{"a":1}' end,
    }
    local store = {}
    local cache = {
      key = function(_, resource) return { resource.url } end, read = function(_, key) return store[key[1]] end,
      write = function(_, key, entity) store[key[1]] = entity end, remove = function(_, key) store[key[1]] = nil end,
    }
    service:configure { pipeline = { model = { cache = cache }, cleanup = { cache = lull.cache.memory() } } }
    service:transform(function(content) return { content } end)
    local function work()
      for i = 1, 100 do
        local resource = service("/" .. i % 10)
        resource:load():chained(function() return lull.success { content = {} } end):await()
        resource:get(nil, function() end):repeated():start():await()
        lull.custom_request({ start = function(complete) complete(lull.success { content = {} }) end }):start():await()
        resource:wipe()
        local _ = resource.latest_data
      end
      lull.sleep(0)
    end
    local kilobytes = grown(work, 10)
    check(kilobytes < 400, ("grown by %.0f KB"):format(kilobytes))
  end, { seconds = 20 })
end)
