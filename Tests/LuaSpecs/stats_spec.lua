-- lull.stats: what is in memory and under way.
local lull = require "lull"
local spec = ...
local describe, it, equal, same, check = spec.describe, spec.it, spec.equal, spec.same, spec.check
local json = spec.json

-- What has changed since `before`, of the counts named.
local function change(before, ...)
  local now, changes = lull.stats(), {}
  for _, name in ipairs { ... } do changes[#changes + 1] = now[name] - before[name] end
  return changes
end

-- The numbers of garbage are another spec's.
local function stats()
  spec.collect()
  spec.collect()
  return lull.stats()
end

describe("stats", function()
  it("gives whole numbers, none of them negative, in a table of one's own", function()
    local first, names = lull.stats(), 0
    for name, count in pairs(first) do
      names = names + 1
      equal(math.type(count), "integer", name)
      check(count >= 0, name)
    end
    equal(names, 12)
    first.pins = -1
    check(lull.stats().pins >= 0)
  end)

  it("counts services and their resources, and which of them are in use", function()
    local before = stats()
    local service = spec.fake(json "1")
    local held, observed = service("/held"), service("/observed"):observe(function() end)
    for i = 1, 10 do service("/" .. i) end
    same(change(before, "services", "resources"), { 1, 12 })
    spec.collect()
    -- Those that nobody holds stay in memory until they are flushed. (SVC-28)
    same(change(before, "resources", "resources_in_use"), { 12, 2 })
    service:flush_unused_resources()
    same(change(before, "resources", "resources_in_use"), { 2, 2 })
    observed:stop()
    check(held)
  end)

  it("counts a resource whose model refers to it as in use, until it is wiped", function()
    local service = spec.fake(json "1")
    local before = stats()
    service:transform("/**", function(content, entity)
      return { content = content, resource = service("/model"), entity = entity }
    end)
    assert(service("/model"):load():await())
    spec.collect()
    same(change(before, "resources", "resources_in_use"), { 1, 1 })
    service("/model"):wipe()
    spec.collect()
    spec.collect()
    same(change(before, "resources", "resources_in_use"), { 1, 0 })
  end)

  it("counts observers", function()
    local service = spec.fake(json "1")
    local before = stats()
    local first = service("/a"):observe(function() end)
    local second = service("/b"):observe(function() end)
    service("/b"):add_observer(function() end)
    same(change(before, "observers"), { 3 })
    first:stop()
    same(change(before, "observers"), { 2 })
    second:stop()
    service = nil -- luacheck: ignore
    check(lull.stats().observers - before.observers <= 2)
  end)

  it("counts a request in flight until it has ended, and a chain as one", function()
    local service, held = spec.held()
    local before = stats()
    local request = service("/a"):load()
    service("/b"):load():chained(function() end)
    same(change(before, "requests_in_flight"), { 2 })
    check(lull.stats().pins > before.pins)
    spec.turn()
    for _, complete in ipairs(held) do complete(json "1") end
    request:await()
    spec.turn()
    request, held = nil, nil -- luacheck: ignore
    spec.collect()
    same(change(before, "requests_in_flight", "requests_queued", "pins"), { 0, 0, 0 })
  end)

  it("counts exchanges that wait for a connection", function()
    local service = spec.demo { connections_per_host = 2 }
    local before, requests = stats(), {}
    for i = 1, 5 do
      requests[i] = service("/slow"):with_params { seconds = 20, i = i }:get()
    end
    same(change(before, "requests_in_flight", "requests_queued"), { 5, 3 })
    requests[1]:cancel()
    requests[5]:cancel()
    same(change(before, "requests_in_flight", "requests_queued"), { 3, 1 })
    for i = 2, 4 do requests[i]:cancel() end
    same(change(before, "requests_in_flight", "requests_queued"), { 0, 0 })
  end)

  it("counts handles until what they stand for has been collected", function()
    local before = stats()
    local service = spec.fake(json "1")
    local resources = {}
    for i = 1, 100 do resources[i] = service("/" .. i) end
    same(change(before, "handles"), { 101 })
    check(#resources == 100)
    resources, service = nil, nil -- luacheck: ignore
    same({ stats().handles - before.handles }, { 0 })
  end)

  it("tells bytes of Lua from those of bodies and of documents", function()
    local size = 8 * 1024 * 1024
    local before = stats()
    local text = ("x"):rep(size)
    check(lull.stats().lua_bytes - before.lua_bytes >= size)
    local service = spec.fake(spec.answer("application/octet-stream", text))
    text = nil -- luacheck: ignore
    local entity = assert(service("/bytes"):load():await())
    check(lull.stats().body_bytes - before.body_bytes >= size)
    check(lull.stats().document_bytes - before.document_bytes < size)

    local large = '["' .. ("x"):rep(size) .. '"]'
    local other = spec.fake(json(large))
    large = nil -- luacheck: ignore
    local document = assert(other("/json"):load():await()).document
    check(lull.stats().document_bytes - before.document_bytes >= size)
    check(entity and document)
    entity, document, service, other = nil, nil, nil, nil -- luacheck: ignore
    local after = stats()
    check(after.body_bytes - before.body_bytes < size)
    check(after.document_bytes - before.document_bytes < size)
    check(after.lua_bytes - before.lua_bytes < size)
  end)

  it("takes no arguments that matter and never waits", function()
    local co = coroutine.create(function() return lull.stats() end)
    local ok, counts = coroutine.resume(co)
    check(ok and type(counts) == "table")
    equal(coroutine.status(co), "dead")
  end)
end)
