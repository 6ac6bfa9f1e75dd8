-- Content that a script changes where it is shared, and content that it may change (STA-78 to STA-82).
local lull = require "lull"
local spec = ...
local describe, it, equal, same, check = spec.describe, spec.it, spec.equal, spec.same, spec.check
local contains, json = spec.contains, spec.json

local body = '{"items":[{"name":"a"}],"a/b":{},"visits":1,"e":[],"x":null,"f":1.5,"s":"long"}'

-- Answers GETs with the document first and 304 then, and writes with a status.
local function answering(text, write_status)
  local has_answered = {}
  return function(http)
    if http.method ~= "GET" then return { status = write_status or 409 } end
    if has_answered[http.url] and http.headers["if-none-match"] then return { status = 304 } end
    has_answered[http.url] = true
    return json(text, { ETag = '"v1"' })
  end
end

-- The one report there has been; of what a 304 finds it comes with the next turn.
local function report()
  spec.turn()
  local reports = spec.reports()
  equal(#reports, 1)
  return reports[1] and reports[1].message or ""
end

local function loaded(text, settings, write_status)
  local service, sent = spec.fake(answering(text or body, write_status), settings)
  local resource = service("/users/7")
  assert(resource:load():await())
  return resource, sent, service
end

describe("shared content that a script changes", function()
  it("STA-78 STA-79 is what the server sent after a write that was refused and a 304", function()
    local user, sent = loaded()
    local content = user.content
    content.visits = -1
    local _, err = user:put { json = content }:await()
    equal(err.http_status, 409)
    equal(lull.json.decode(sent[2].body).visits, -1, "the body is what the script asked for")
    local message = report()
    contains(message, "the shared content of https://api.test/v1/users/7 was changed at /visits:")
    contains(message, "lull.copy")
    equal(user.content.visits, 1)
    local seen
    user:observe(function(r, event) if event == "not_modified" then seen = r.content.visits end end)
    equal(assert(user:load():await()).content.visits, 1)
    equal(sent[3].headers["if-none-match"], '"v1"')
    equal(seen, 1)
    equal(content.visits, -1, "what the script has is its own")
    same(spec.reports(), {})
  end)

  it("STA-78 is found by a 304, by where it was changed", function()
    for pointer, change in pairs {
      ["/items/0/name"] = function(c) c.items[1].name = "b" end,
      ["/items/1"] = function(c) c.items[2] = 1 end,
      ["/items"] = function(c) c.items = nil end,
      ["/items/x"] = function(c) c.items.x = 1 end,
      ["/new"] = function(c) c.new = 1 end,
      ["/a~1b/x"] = function(c) c["a/b"].x = 1 end,
      ["/visits"] = function(c) c.visits = nil end,
      ["/e/0"] = function(c) c.e[1] = 1 end,
      ["/x"] = function(c) c.x = 0 end,
      ["/f"] = function(c) c.f = 1.25 end,
      ["/s"] = function(c) c.s = "lonG" end,
    } do
      local user = loaded()
      change(user.content)
      local answer = assert(user:load():await())
      equal(answer.content.visits, 1)
      local message = report()
      contains(message, " was changed at ")
      if pointer ~= "/items/1" and pointer ~= "/e/0" then contains(message, "at " .. pointer .. ":") end
      equal(lull.json.equal(user.content, lull.json.decode(body)), true)
    end
  end)

  it("STA-78 is found where 304 and change are far apart, in large content", function()
    local parts = {}
    for i = 1, 3000 do parts[i] = ('{"id":%d,"tags":["a","b"],"name":"n%d"}'):format(i, i) end
    local list = loaded("[" .. table.concat(parts, ",") .. "]")
    list.content[2999].tags[2] = "c"
    assert(list:load():await())
    contains(report(), "was changed at /2998/tags/1:")
    equal(list.content[2999].tags[2], "b")
    list.content[1].id = 0
    assert(list:load():await())
    contains(report(), "was changed at /0/id:")
  end)

  it("STA-78 STA-79 is found when it is handed out again, and once for each change", function()
    local user = loaded()
    for i = 1, 2 do
      user.content.visits = 10 + i
      equal(user.content.visits, 1)
      contains(report(), "was changed at /visits:")
    end
    equal(user.json_dict.visits, 1)
    equal(user.latest_data.content.visits, 1)
    same(spec.reports(), {})
  end)

  it("STA-78 is found through whatever has handed it out", function()
    for _, read in ipairs {
      function(user) return user.content end, function(user) return user.latest_data.content end,
      function(user) return user.json_dict end, function(user) return user:typed_content({}) end,
      function(user) return user:load():await().content end,
    } do
      local user = loaded()
      local content = read(user)
      content.visits = 2
      assert(user:load():await())
      contains(report(), "was changed at /visits:")
      equal(user.content.visits, 1)
      equal(content.visits, 2)
    end
  end)

  it("STA-78 is found by any request that writes, which is sent as it is", function()
    for _, method in ipairs { "put", "post", "patch", "delete" } do
      local user = loaded(nil, nil, 204)
      user.content.visits = 2
      assert(user[method](user):await())
      contains(report(), "was changed at /visits:")
    end
  end)

  it("STA-78 does not come back from a cache in memory", function()
    local cache = lull.cache.memory()
    local _, _, service = loaded(nil, { expiration_time = 1000 })
    service:configure { pipeline = { parsing = { cache = cache } } }
    local user = service "/users/8"
    assert(user:load():await())
    local content = user.content
    content.visits = 2
    user:wipe()
    equal(user.latest_data, nil)
    spec.turn()
    equal(user.content.visits, 1)
    contains(report(), "/users/8 was changed at /visits:")
    equal(content.visits, 2)
  end)

  it("STA-79 says nothing of what holds the same", function()
    local user = loaded()
    local content = user.content
    content.visits, content.s, content.items[1].name = 1, "lon" .. ("g"):rep(1), "a"
    content.visits = 1.0
    content.tmp = 1
    content.tmp = nil
    content.items[2] = 1
    content.items[2] = nil
    for _ = 1, 20 do check(rawequal(user.content, content)) end
    assert(user:load():await())
    assert(user:put { json = content }:await() == nil)
    same(spec.reports(), {})
    -- A key that comes twice.
    user = loaded '{"a":1,"b":2,"a":3}'
    equal(user.content.a, 3)
    assert(user:load():await())
    same(spec.reports(), {})
  end)

  it("STA-79 makes the exit code 1, and is told of at the end at the latest", function()
    local head = [[
      local lull = require "lull"
      local service = lull.service { base_url = "http://x.test", networking = function()
        return { status = 200, headers = { ["Content-Type"] = "application/json" }, body = '{"n":1}' }
      end }
      local user = service("/users/7")
      user:load():await()
    ]]
    local result = spec.script(head .. "keep = user.content keep.n = 2")
    equal(result.err, "lull: the shared content of http://x.test/users/7 was changed at /n: "
      .. "edit a copy (lull.copy), and publish it with override_local_content\n")
    if not spec.is_stock then equal(result.code, 1) end
    result = spec.script(head .. [[
      for i = 1, 100 do
        service("/" .. i):load():await()
        service("/" .. i).content.n = 2
      end
    ]])
    equal(select(2, result.err:gsub(" was changed at /n:", "")), 100)
  end)
end)

describe("shared content that a transformer has made", function()
  -- A service whose content each of these functions gives.
  local function made(transform)
    local service, sent = spec.fake(answering(body))
    service:transform(transform)
    local user = service("/users/7")
    assert(user:load():await())
    return user, sent, service
  end

  local transformers = {
    function(content) return content end,
    function(content) content.visits = 1 return content end,
    function(content) return { visits = content.visits, items = content.items } end,
    function(content) return { visits = 1, items = { { name = content.items[1].name } }, at = print } end,
  }

  it("STA-82 is what it was as it was published, after a 304 and after a write", function()
    for _, transform in ipairs(transformers) do
      local user, sent = made(transform)
      local content = user.content
      content.visits = -1
      user:put { json = { visits = content.visits } }:await()
      contains(report(), "the shared content of https://api.test/v1/users/7 was changed at /visits:")
      equal(user.content.visits, 1)
      equal(content.visits, -1, "what the script has is its own")
      user.content.items[1].name = "b"
      assert(user:load():await())
      equal(sent[3].headers["if-none-match"], '"v1"')
      contains(report(), "was changed at /items/0/name:")
      equal(user.content.items[1].name, "a")
      user.content.items[2] = {}
      assert(user:load():await())
      contains(report(), "was changed at /items/1:")
      user.content.new = true
      assert(user:load():await())
      contains(report(), "was changed at /new:")
      spec.collect()
      assert(user:load():await())
      spec.turn()
      equal(user.content.items[2], nil)
      equal(user.content.new, nil)
      same(spec.reports(), {})
    end
  end)

  it("STA-82 is not reported if it holds the same, or other data has taken its place", function()
    local user = made(function(content) return { n = 0 / 0, list = content.items, f = print } end)
    user.content.list = { { name = "a" } }
    user:load():await()
    user.content.n = 1
    user:override_local_content { own = 1 }
    user.content.own = 2
    user:load():await()
    user:wipe()
    user:load():await()
    spec.turn()
    same(spec.reports(), {})
  end)

  it("STA-82 is not compared inside tables with a metatable of the script's", function()
    local user = made(function() return { object = setmetatable({ n = 1 }, {}) } end)
    user.content.object.n = 2
    assert(user:load():await())
    equal(user.content.object.n, 2)
    user.content.object = nil
    assert(user:load():await())
    contains(report(), "was changed at /object:")
    equal(user.content.object.n, 2)
  end)

  it("STA-82 is found at the end at the latest", function()
    local result = spec.script [[
      local lull = require "lull"
      local service = lull.service { base_url = "http://x.test", networking = function()
        return { status = 200, headers = { ["Content-Type"] = "application/json" }, body = '{"n":1}' }
      end }
      service:transform(function(content) return content end)
      local user = service("/users/7")
      user:load():await()
      user.content.n = 2
    ]]
    contains(result.err, "lull: the shared content of http://x.test/users/7 was changed at /n: ")
    if not spec.is_stock then equal(result.code, 1) end
  end)

  it("STA-81 does not come back from a cache", function()
    local service = spec.fake(json(body), { expiration_time = 1000 })
    service:configure { pipeline = { model = { cache = lull.cache.memory() } } }
    service:transform(function(content) return content end)
    local user = service("/users/7")
    for _ = 1, 3 do
      local entity = assert(user:load_if_needed():await())
      spec.turn()
      equal(entity.content.visits, 1)
      entity.content.visits = 9
      user:wipe()
      spec.collect()
    end
    same(spec.reports(), {})
  end)
end)

describe("content that may be changed:", function()
  it("STA-80 copies", function()
    local user = loaded()
    local copy = lull.copy(user.content)
    copy.visits, copy.items[1].name = 2, "b"
    local other = lull.copy(user.document)
    other.visits = 5
    local entity = lull.copy(user.latest_data)
    entity.content.visits = 3
    spec.collect()
    equal(entity.content.visits, 3)
    equal(user.content.visits, 1)
    assert(user:load():await())
    user:override_local_data(entity)
    equal(user.content.visits, 3)
    user.content.visits = 4
    equal(user.content.visits, 4, "what a script has published is not compared")
    same(spec.reports(), {})
  end)

  it("STA-80 what came with an answer that is no resource's data", function()
    local user = loaded(nil, nil, 200)
    local service = spec.fake(json '{"n":1}')
    local answer = assert(service("/a"):post():await())
    answer.content.n = 2
    equal(answer.content.n, 2)
    equal(answer.content.n, 2)
    user.content.items[1] = nil
    check(user.content.items[1])
    contains(report(), "/users/7 was changed at /items/0:")
  end)

  it("STA-80 what a transformer is given, and what it has made, until it is published", function()
    local user, _, service = loaded()
    local runs = 0
    service:transform(function(content, entity)
      runs = runs + 1
      check(rawequal(entity.content, content), "one table")
      content.visits = content.visits + 1
      return content
    end, { input = function(content) return content.visits ~= nil end })
    service:transform(function(content)
      content.visits = content.visits * 10
      return content
    end, { action = "append" })
    user:invalidate()
    user:wipe()
    equal(assert(user:load():await()).content.visits, 20)
    equal(user.content.visits, 20)
    equal(assert(user:load():await()).content.visits, 20)
    equal(runs, 1)
    same(spec.reports(), {})
  end)

  it("STA-80 the content of a response that a transformer returns", function()
    local service = spec.fake(answering(body))
    service:configure(function(configuration)
      configuration.pipeline.model:add_transformer(function(response)
        response.entity.content.visits = 2
        spec.collect()
        response.entity.content.items[1].name = "b"
        return response
      end)
      configuration.pipeline.cleanup:add_transformer(function(response)
        spec.collect()
        equal(response.entity.content.visits, 2)
        response.entity.content.visits = 3
        return lull.success(response.entity)
      end)
    end)
    local user = service("/a")
    assert(user:load():await())
    spec.collect()
    equal(user.content.visits, 3)
    equal(user.content.items[1].name, "b")
    equal(user.content.f, 1.5)
    assert(user:load():await())
    equal(user.content.visits, 3)
    same(spec.reports(), {})
  end)

  it("STA-80 the content of an error that a transformer returns", function()
    local service = spec.fake(json('{"n":1}', nil, 500))
    service:configure(function(configuration)
      configuration.pipeline.model:add_transformer(function(response)
        response.error.content.n = 2
        return response
      end)
    end)
    local _, err = service("/a"):load():await()
    equal(err.content.n, 2)
    equal(service("/a").latest_error.content.n, 2)
    same(spec.reports(), {})
  end)

  it("STA-81 is what a transformer has made, where a cache has that", function()
    for _, returns in ipairs { "content", "response" } do
      local service = spec.fake(json(body), { expiration_time = 1000 })
      service:configure { pipeline = { model = { cache = lull.cache.memory() } } }
      service:transform(function(content) return { visits = content.visits, list = { 1 } } end)
      service:configure(function(configuration)
        if returns == "content" then
          configuration.pipeline.cleanup:add(function(content)
            content.visits = content.visits + 1
            content.list[#content.list + 1] = 2
            return content
          end)
        else
          configuration.pipeline.cleanup:add_transformer(function(response)
            local content = response.entity.content
            content.visits = content.visits + 1
            content.list[#content.list + 1] = 2
            return response
          end)
        end
      end)
      local user = service("/" .. returns)
      for _ = 1, 3 do
        local entity = assert(user:load_if_needed():await())
        spec.turn()
        same(entity.content, { visits = 2, list = { 1, 2 } })
        user:wipe()
      end
    end
  end)

  for _, name in ipairs { "memory", "file" } do
    it("STA-81 is changed by a transformer once for each hit of lull.cache." .. name, function()
      local folder, _ <close> = spec.temporary_folder()
      local cache = name == "memory" and lull.cache.memory()
        or lull.cache.file { path = folder .. "/cache.db" }
      for _, returns in ipairs { "content", "response" } do
        local service, sent = spec.fake(json(body), { expiration_time = 1000 })
        service:configure { pipeline = { parsing = { cache = cache } } }
        if returns == "content" then
          service:transform(function(content)
            content.visits = content.visits + 1
            return content
          end)
        else
          service:configure(function(configuration)
            configuration.pipeline.model:add_transformer(function(response)
              local content = response.entity.content
              content.visits = content.visits + 1
              return response
            end)
          end)
        end
        local user = service("/" .. returns)
        local seen = {}
        for i = 1, 4 do
          local entity = assert(user:load_if_needed():await())
          spec.turn()
          seen[i] = entity.content.visits
          user:wipe()
          lull.sleep(0.02)
        end
        same(seen, { 2, 2, 2, 2 })
        equal(#sent, 1)
      end
    end)
  end
end)
