-- resource:fetch() and the hint that leads to it; methods of a service's own (LOAD-120, NIL-120, SVC-120).
local lull = require "lull"
local spec = ...
local describe, it, equal, same = spec.describe, spec.it, spec.equal, spec.same
local contains, excludes, raises, json = spec.contains, spec.excludes, spec.raises, spec.json

describe("fetch", function()
  it("LOAD-120 loads what is not fresh, and gives fresh data without a request", function()
    local service, sent = spec.fake(json '{"name":"Ann"}')
    local user = service("/users/7")
    local entity = assert(user:fetch())
    equal(entity.content.name, "Ann")
    equal(user:fetch(), entity)
    equal(#sent, 1)
    user:invalidate()
    assert(user:fetch())
    equal(#sent, 2)
  end)

  it("LOAD-120 joins the load in flight", function()
    local service, held = spec.held()
    local user = service("/users/7")
    local tasks = {}
    for i = 1, 3 do tasks[i] = lull.spawn(function() return user:fetch() end) end
    spec.turn()
    equal(#held, 1)
    held[1](json "7")
    for i = 1, 3 do equal(assert(tasks[i]:await()).content, 7) end
  end)

  it("LOAD-121 gives nil and the error, also while that is recent", function()
    local service, sent = spec.fake(json("{}", nil, 404), { retry_time = 60 })
    local user = service("/users/0")
    for _ = 1, 2 do
      local entity, err = user:fetch()
      equal(entity, nil)
      equal(err.http_status, 404)
    end
    equal(#sent, 1)
  end)

  it("LOAD-121 has data of any age offline, and fails without any", function()
    local service = spec.fake(json "1", { expiration_time = 0 })
    local there, missing = service("/a"), service("/b")
    assert(there:fetch())
    service.is_offline = true
    equal(assert(there:fetch()).content, 1)
    equal(select(2, missing:fetch()).cause.kind, "offline")
  end)

  it("LOAD-120 waits for the first data of a stream that is followed", function()
    local service, held = spec.held()
    local feed = service("/feed")
    local follow <close> = feed:follow { reduce = function(_, row) return row end }
    equal(follow.resource, feed)
    local task = lull.spawn(function() return feed:fetch() end)
    spec.turn()
    equal(task.state, "running")
    equal(#held, 1)
    held[1](spec.answer("application/x-ndjson", '{"n":1}\n'))
    equal(assert(task:await()).content.n, 1)
  end)
end)

-- What is reported of a task with this code.
local function reported(code)
  local result = spec.script(([[
    local lull = require "lull"
    local api = lull.service{ base_url = "https://api.test", networking = function()
      return { json = { name = "Ann" } }
    end }
    local user = api("/users/7")
    lull.spawn(function()
      user:load():await()
      %s
    end)
    lull.run()
  ]]):format(code))
  return result.err
end

local HINT = "load_if_needed() returns nil if no load is needed: resource:fetch() returns the entity"

describe("the report of a load that was not needed", function()
  it("NIL-120 names fetch", function()
    contains(reported "print(user:load_if_needed():await())", HINT)
    contains(reported 'print(api("/users/7"):load_if_needed():await().content)', HINT)
    contains(reported "user:load_if_needed() print(user:load_if_needed():await())", HINT)
    contains(reported "user:load_if_needed()\n:await()", HINT)
    contains(reported "local request = user:load_if_needed()\nrequest:await()", HINT)
  end, { seconds = 20 })

  it("NIL-120 says nothing where another value may have been nil", function()
    for _, code in ipairs {
      "local function none() end user:load() none():load_if_needed():await()",
      "local request\nrequest:await()",
      "local request = user.latest_error\nrequest:await()",
      "local x = nil user:load_if_needed() x.y = 1",
      "api('/none'):load_if_needed():await().latest.x = 1",
    } do
      local text = reported(code)
      contains(text, "lull: ", code)
      excludes(text, HINT, code)
    end
  end, { seconds = 20 })
end)

describe("functions of a service", function()
  it("SVC-120 are its methods, and get it first", function()
    local calls = {}
    local service = spec.fake(json '{"name":"Ann"}', { functions = {
      profile = function(api, id) return api("/users"):child(id) end,
      name = nil,
      greet = function(api, id, ...)
        calls[#calls + 1] = { api, ... }
        return "Hello " .. api:profile(id):fetch().content.name
      end,
    } })
    equal(service:profile(7).url, "https://api.test/v1/users/7")
    equal(service:greet(7, "a", nil, "b"), "Hello Ann")
    equal(calls[1][1], service)
    equal(calls[1][4], "b")
    spec.collect()
    equal(service("/x").service:profile(8).url, "https://api.test/v1/users/8")
  end)

  it("SVC-121 cannot take the name of a member, and are functions with names", function()
    local function make(functions) return function() lull.service { functions = functions } end end
    for _, name in ipairs { "resource", "base_url", "configure", "__call", "__gc" } do
      raises("'functions." .. name .. "' is a name that every service has", make { [name] = print })
    end
    raises("'functions.me' must be a function, got string", make { me = "x" })
    raises("'functions' must be a table of functions by name, got function", make(print))
    raises("'functions' must have names as keys, got 1", make { print })
    raises("'functions' must have names as keys, got 'a b'", make { ["a b"] = print })
    equal(lull.service { functions = {} }.base_url, nil)
  end)

  it("SVC-122 are suggested where a name is mistyped", function()
    local service = spec.fake(json "1", { functions = { profile = print } })
    raises("a Service has no field 'profil' (did you mean 'profile'?)", function() service:profil() end)
    raises("a Service has no field 'resorce' (did you mean 'resource'?)", function() service:resorce() end)
    raises("a Service has no field 'zzzzzz'", function() return service.zzzzzz end)
    raises("a Service has no field of type number", function() return service[1] end)
    raises("has no field 'profile'", function() service.profile = print end)
  end)
end)

describe("configuration_for", function()
  it("CFG-120 takes a path of the service, and a URL", function()
    local service = spec.fake(json "1")
    service:configure("/users/*", { expiration_time = 7 })
    equal(service:configuration_for("/users/1").expiration_time, 7.0)
    equal(service:configuration_for("users/1").expiration_time, 7.0)
    equal(service:configuration_for("https://api.test/v1/users/1").expiration_time, 7.0)
    equal(service:configuration_for("https://other.test/v1/users/1").expiration_time, 30.0)
    equal(service:configuration_for(service("/users/1")).expiration_time, 7.0)
    raises("Resource, path or URL expected, got table", function() service:configuration_for {} end)
  end)
end)

describe("an entity", function()
  it("ENT-120 equals itself, by whichever way one got it", function()
    local service = spec.fake { json '"a"', json '"b"' }
    local user = service("/users/7")
    local first = assert(user:load():await())
    equal(first == user.latest_data, true)
    equal(user.latest_data == user.latest_data, true)
    local second = assert(user:load():await())
    equal(first == second, false)
    equal(second == user.latest_data, true)
  end)

  it("ENT-120 is no other one, nor one of your own", function()
    local user = spec.fake(json '"a"')("/users/7")
    local entity = assert(user:load():await())
    local own = lull.copy(entity)
    equal(entity == own, false)
    equal(own == own, true)
    equal(entity == user, false)
    equal(entity == io.stdout, false)
    equal(io.stdout == entity, false)
    equal(entity == nil, false)
    same({ entity ~= user.latest_data }, { false })
  end)
end)

describe("a link that may be missing", function()
  it("PATH-19 is nil for null", function()
    local user = spec.fake(json "1")("/users/7")
    equal(user:optional_relative(lull.null), nil)
    equal(user:optional_relative(nil), nil)
    equal(user:optional_relative("8").url, "https://api.test/v1/users/8")
    equal(user:optional_relative(8).url, "https://api.test/v1/users/8")
    equal(user.service:resource_at(lull.null).url, ":")
    raises("bad argument #1 to 'optional_relative' (string expected, got table)", function()
      user:optional_relative({})
    end)
  end)
end)
