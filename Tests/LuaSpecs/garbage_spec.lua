-- What is kept by whom, as Lua sees it, in both modes of the collector.
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

  gc("a ring of resources that observe each other is collected", function()
    local seen = weak()
    local function ring()
      local service = spec.fake(json "1")
      seen[service] = true
      local resources = {}
      for i = 1, 100 do resources[i] = service("/" .. i) end
      for i = 1, 100 do
        local other = resources[i % 100 + 1]
        local observer = function() return other end
        seen[observer], seen[resources[i]] = true, true
        resources[i]:add_observer(observer, other)
      end
    end
    ring()
    equal(count(seen), 0)
  end)

  gc("so is a ring of ownerless observers, with their service", function()
    local seen = weak()
    local function ring()
      local service = spec.fake(json "1")
      for i = 1, 100 do
        local resource, other = service("/" .. i), service("/" .. i % 100 + 1)
        local observer = function() return other, service end
        seen[observer], seen[resource] = true, true
        resource:add_observer(observer)
      end
    end
    ring()
    equal(count(seen), 0)
  end)

  gc("so is an observer that refers to its resource, a table, and an observation", function()
    local seen = weak()
    local function make()
      local service = spec.fake(json "1")
      local resource = service("/a")
      local view = { resource = resource, resource_changed = function() end }
      resource:add_observer(view)
      local observation
      observation = resource:observe(function() return observation, resource end)
      seen[view], seen[observation], seen[resource], seen[service] = true, true, true, true
      resource:load():await()
    end
    make()
    equal(count(seen), 0)
  end)

  gc("so is a service whose settings and transformers refer to it", function()
    local seen = weak()
    local function make()
      local service = spec.fake(json "1")
      seen[service] = true
      service:configure("/**", function() return service end)
      service:configure(function() return service ~= nil end, { mutate_requests = function() return service end })
      service:transform(function(content) return { content, service } end)
      service("/a"):load():await()
    end
    make()
    equal(count(seen), 0)
  end)

  gc("so is a request with hooks that refer to it, once it has completed", function()
    local seen = weak()
    local function make()
      local request = spec.fake(json "1")("/a"):load()
      seen[request] = true
      request:on_success(function() return request end):await()
    end
    make()
    equal(count(seen), 0)
  end)

  gc("so is a request that was cancelled, with its task", function()
    local seen = weak()
    local function make()
      local request = spec.held()("/a"):load()
      local task
      task = lull.spawn(function() return request:await(), task end)
      seen[request], seen[task] = true, true
      spec.turn()
      request:cancel()
      spec.turn()
    end
    make()
    equal(count(seen), 0)
  end)

  gc("a request in flight keeps its service, hooks and observers, though nobody holds them", function()
    local done = 0
    local seen = weak()
    local function make()
      local service = spec.fake(function()
        lull.sleep(0.05)
        return json "1"
      end)
      seen[service] = true
      local resource = service("/a")
      resource:add_observer(function(_, event) if event == "new_data" then done = done + 1 end end)
      resource:load():on_success(function() done = done + 10 end)
    end
    make()
    count(seen)
    lull.sleep(0.08)
    equal(done, 11)
    equal(count(seen), 0)
  end)

  gc("a resource keeps its service and its settings", function()
    local function make()
      local service = spec.fake(json "1")
      service:transform(function(content) return { content } end)
      return service("/a")
    end
    local resource = make()
    spec.collect()
    equal(resource:load():await().content[1], 1)
    check(resource.service)
  end)

  gc("SVC-28 content of a Lua transformer outlives two collections without any reference", function()
    local service = spec.fake(json "1")
    local function load()
      service:transform(function(content) return { model = content } end)
      service("/a"):load():await()
    end
    load()
    spec.collect()
    spec.collect()
    equal(service("/a").content.model, 1)
  end)

  gc("content of a Lua transformer goes when it is replaced, wiped, or its service dies", function()
    local seen = weak()
    local function make()
      local service = spec.fake(json "1")
      service:transform(function()
        local made = {}
        seen[made] = true
        return made
      end)
      service("/a"):load():await()
      service("/a"):load():await()
      service("/b"):load():await()
      service("/b"):wipe()
      return service
    end
    local service = make()
    equal(count(seen), 1)
    check(service("/a").content)
    service = nil
    equal(count(seen), 0)
    equal(service, nil)
  end)

  gc("an entity keeps its content after the resource has other data", function()
    local service = spec.fake { json "1", json "2" }
    service:transform(function(content) return { model = content } end)
    local resource = service("/a")
    local old = resource:load():await()
    resource:load():await()
    spec.collect()
    equal(old.content.model, 1)
    equal(resource.content.model, 2)
  end)

  gc("an error keeps what was raised", function()
    local service = spec.fake(json "1")
    service:transform(function() error({ code = 7 }) end)
    local resource = service("/a")
    resource:load():await()
    spec.collect()
    equal(resource.latest_error.cause.value.code, 7)
    spec.reports()
  end)

  gc("entities, errors, responses and headers outlive their service", function()
    local function make()
      local service = spec.fake { json('{"a":1}', { ETag = '"x"' }), json('{"b":2}', nil, 500) }
      local request = service("/a"):load()
      local entity = request:await()
      local _, err = service("/a"):load():await()
      return entity, err, request.response, entity.headers
    end
    local entity, err, response, headers = make()
    spec.collect()
    equal(entity.content.a, 1)
    equal(err.json_dict.b, 2)
    equal(response.entity.content.a, 1)
    equal(headers.etag, '"x"')
  end)

  gc("a task's results and arguments are kept as long as it is, and no longer", function()
    local seen = weak()
    local function make()
      local value = {}
      seen[value] = true
      local task = lull.spawn(function(given)
        lull.sleep(0)
        return given
      end, value)
      return task
    end
    local task = make()
    spec.collect()
    check(type(task:await()) == "table")
    equal(count(seen), 1)
    task = nil
    equal(count(seen), 0)
    equal(task, nil)
  end)

  gc("an object of a finalised service raises a clear error, or still works, when resurrected", function()
    local kept
    local function make()
      local service = spec.fake(json "1")
      local resource = service("/a")
      setmetatable({}, { __gc = function() kept = { service, resource, resource:get() } end })
    end
    make()
    count(weak())
    check(kept, "finalised")
    for i = 1, 2 do
      local ok, result = pcall(function() return i == 1 and kept[1]("/b") or kept[2].url end)
      if not ok then
        spec.contains(tostring(result), "garbage_spec.lua")
        spec.contains(tostring(result):lower(), "closed")
      end
    end
    check(#tostring(kept[2]) > 0)
  end)

  gc("a resource resurrected by its own finalised holder raises or works, and nothing breaks", function()
    local kept = {}
    for i = 1, 50 do
      local function make()
        local holder = setmetatable({}, { __gc = function(self) kept[#kept + 1] = self.resource end })
        holder.resource = spec.fake(json "1")("/" .. i)
      end
      make()
    end
    count(weak())
    equal(#kept, 50)
    for _, resource in ipairs(kept) do
      pcall(function() return resource:load() end)
      pcall(function() return resource.service end)
      pcall(function() return resource:add_observer(function() end) end)
    end
    spec.turn()
  end)

  gc("collecting inside every callback breaks nothing", function()
    local function collect() collectgarbage("collect") end
    local service = spec.fake(function(http, complete)
      collect()
      complete(json(http.body or "1"))
      collect()
    end)
    service:configure("/**", function(config)
      collect()
      config.headers.A = "b"
    end)
    service:configure { mutate_requests = collect }
    service:transform(function(content)
      collect()
      return { content }
    end)
    local resource = service("/a")
    resource:add_observer(collect)
    resource:add_observer({ resource_changed = collect })
    resource:observe(collect)
    for _ = 1, 5 do
      local request = resource:load():on_success(collect):on_completion(collect):on_progress(collect)
      equal(request:await().content[1], 1)
      equal(lull.spawn(function()
        collect()
        return 1
      end):await(), 1)
    end
  end)

  gc("10,000 resources nobody holds leave no userdata", function()
    local seen = weak()
    local function make()
      local service = spec.fake(json "1")
      for i = 1, 10000 do
        local resource = service("/" .. i)
        if i % 100 == 0 then seen[resource] = true end
      end
    end
    make()
    equal(count(seen), 0)
  end)
end

describe("incremental:", function() suite("incremental") end)
describe("generational:", function() suite("generational") end)

describe("memory", function()
  it("does not grow with requests", function()
    local answer = json('{"a":"' .. ("x"):rep(1000) .. '"}')
    local resource = lull.service {
      base_url = "http://x.test", networking = function() return answer end,
    }("/a")
    local function work() for _ = 1, 300 do resource:load():await() end end
    work()
    spec.collect()
    local before = collectgarbage("count")
    for _ = 1, 5 do work() end
    spec.collect()
    local grown = collectgarbage("count") - before
    check(grown < 200, ("grown by %.0f KB"):format(grown))
  end)

  it("does not grow with tasks, observers and misuse", function()
    local resource = spec.fake(json "1")("/a")
    local function work()
      for _ = 1, 300 do
        lull.spawn(function() lull.sleep(0) end):await()
        resource:observe(function() end):stop()
        pcall(resource.child, resource)
        pcall(function() return resource.nonsense end)
        lull.json.decode("[")
      end
    end
    work()
    spec.collect()
    local before = collectgarbage("count")
    for _ = 1, 5 do work() end
    spec.collect()
    local grown = collectgarbage("count") - before
    check(grown < 200, ("grown by %.0f KB"):format(grown))
  end)
end)
