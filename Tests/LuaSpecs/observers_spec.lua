-- Observers: functions, tables, owners, observations (OBS).
local lull = require "lull"
local spec = ...
local describe, it, equal, same, check = spec.describe, spec.it, spec.equal, spec.same, spec.check
local json, raises = spec.json, spec.raises

local function fresh() return spec.fake(json "1")("/a") end

-- A table observer that writes what it hears into `heard`.
local function listener(heard)
  return {
    resource_changed = function(_, _, event, detail)
      heard[#heard + 1] = detail and event .. " " .. detail or event
    end,
    stopped_observing = function() heard[#heard + 1] = "stopped" end,
  }
end

describe("add_observer", function()
  it("OBS-01 OBS-17 tells the new one at once, and gives the resource", function()
    local resource, heard = fresh(), {}
    equal(resource:add_observer(function(r, event, detail)
      equal(r, resource)
      heard[#heard + 1] = event
      equal(detail, nil)
    end), resource)
    same(heard, { "observer_added" })
  end)

  it("calls a table's methods, with the table as self", function()
    local resource, observer = fresh(), nil
    local count = 0
    observer = { resource_changed = function(self, r, event)
      check(rawequal(self, observer))
      equal(r, resource)
      count = count + 1
      check(event)
    end }
    resource:add_observer(observer)
    resource:load():await()
    equal(count, 3)
  end)

  it("takes an object whose methods are in its metatable", function()
    local Class = {}
    Class.__index = Class
    function Class:resource_changed(_, event) self.last = event end
    local object = setmetatable({}, Class)
    local resource = fresh():add_observer(object)
    equal(object.last, "observer_added")
    resource:load():await()
    equal(object.last, "new_data")
  end)

  it("OBS-39 takes a table with any one of the methods", function()
    for _, name in ipairs { "resource_changed", "resource_request_progress", "stopped_observing" } do
      local resource, count = fresh(), 0
      local observer = { [name] = function() count = count + 1 end }
      resource:add_observer(observer)
      resource:load():await()
      resource:remove_observers(observer)
      spec.turn()
      check(count > 0, name)
      local observation = resource:observe { [name] = function() end }
      observation:stop()
    end
  end)

  it("OBS-14 a table added twice hears each event once", function()
    local resource, heard = fresh(), {}
    local observer = listener(heard)
    resource:add_observer(observer):add_observer(observer)
    resource:load():await()
    same(heard, { "observer_added", "requested", "new_data network" })
  end)

  it("OBS-15 a function added twice counts twice", function()
    local resource, count = fresh(), 0
    local function observer() count = count + 1 end
    resource:add_observer(observer):add_observer(observer)
    equal(count, 2)
    resource:load():await()
    equal(count, 6)
  end)

  it("OBS-18 OBS-29 a table without owner is weak, and hears nothing when it is gone", function()
    local resource, heard = fresh(), {}
    resource:add_observer(listener(heard))
    spec.collect()
    resource:load():await()
    same(heard, { "observer_added" })
  end)

  it("OBS-18 a table somebody holds is kept", function()
    local resource, heard = fresh(), {}
    local observer = listener(heard)
    resource:add_observer(observer)
    spec.collect()
    resource:load():await()
    equal(#heard, 3)
    check(observer)
  end)

  it("a function without owner is kept, though nobody holds it", function()
    local resource, count = fresh(), 0
    resource:add_observer(function() count = count + 1 end)
    spec.collect()
    resource:load():await()
    equal(count, 3)
  end)

  it("OBS-19 OBS-12 OBS-13 functions live as long as their owner", function()
    local resource, heard = fresh(), {}
    local owner = {}
    resource:add_observer(function(_, event) heard[#heard + 1] = "1" .. event end, owner)
    resource:add_observer(function(_, event) heard[#heard + 1] = "2" .. event end, owner)
    spec.collect()
    resource:load():await()
    same(heard, {
      "1observer_added", "2observer_added", "1requested", "2requested", "1new_data", "2new_data",
    })
    owner = nil
    spec.collect()
    resource:load():await()
    equal(#heard, 6)
    equal(owner, nil)
  end)

  it("OBS-28 tells a table of its owner's death", function()
    local resource, heard = fresh(), {}
    local observer = listener(heard)
    local function own() resource:add_observer(observer, {}) end
    own()
    spec.collect()
    resource:load():await()
    same(heard, { "observer_added", "stopped" })
    check(observer)
  end)

  it("OBS-27 tells a table that nobody but the resource and the owner held", function()
    local resource, heard = fresh(), {}
    local function own() resource:add_observer(listener(heard), {}) end
    own()
    spec.collect()
    resource:load():await()
    same(heard, { "observer_added", "stopped" })
  end)

  it("OBS-20 OBS-21 OBS-23 keeps an observer until its last owner has gone", function()
    local resource, heard = fresh(), {}
    local observer, one, two = listener(heard), {}, {}
    resource:add_observer(observer):add_observer(observer, one):add_observer(observer, two)
    same(heard, { "observer_added" })
    resource:remove_observers(one):remove_observers(observer)
    spec.turn()
    resource:load():await()
    same(heard, { "observer_added", "requested", "new_data network" })
    resource:remove_observers(two)
    spec.turn()
    equal(heard[#heard], "stopped")
    resource:load():await()
    equal(#heard, 4)
  end)

  it("OBS-22 an observer reduced to itself is weak, and strong again when owned", function()
    local resource, heard = fresh(), {}
    local owner = {}
    do
      local observer = listener(heard)
      resource:add_observer(observer)
      resource:add_observer(observer, owner)
    end
    spec.collect()
    resource:load():await()
    equal(#heard, 3)
    resource:remove_observers(owner)
    spec.collect()
    resource:load():await()
    equal(#heard, 3)
  end)

  it("an owner may be a resource, a service or a function", function()
    local resource = fresh()
    local count = 0
    for _, owner in ipairs { resource.service("/b"), resource.service, print } do
      resource:add_observer(function() count = count + 1 end, owner)
    end
    resource:load():await()
    equal(count, 9)
  end)

  it("takes a function or table, and an owner that can die", function()
    local resource = fresh()
    raises("'add_observer'", function() resource:add_observer(7) end)
    raises("'add_observer'", function() resource:add_observer() end)
    raises("owner", function() resource:add_observer(print, 7) end)
    raises("owner", function() resource:add_observer(print, "me") end)
  end)
end)

describe("remove_observers", function()
  it("OBS-24 does nothing for nil or a stranger", function()
    local resource, count = fresh(), 0
    resource:add_observer(function() count = count + 1 end)
    equal(resource:remove_observers(nil), resource)
    resource:remove_observers({})
    resource:remove_observers(print)
    resource:load():await()
    equal(count, 3)
  end)

  it("removes an ownerless function by itself, every addition of it", function()
    local resource, count = fresh(), 0
    local function observer() count = count + 1 end
    resource:add_observer(observer):add_observer(observer)
    resource:remove_observers(observer)
    resource:load():await()
    equal(count, 2)
  end)

  it("OBS-25 OBS-26 removes a self-owned table, and tells it with the resource", function()
    local resource, told = fresh(), nil
    local observer = {
      resource_changed = function() end,
      stopped_observing = function(self, r) told = { self, r } end,
    }
    resource:add_observer(observer)
    resource:remove_observers(observer)
    spec.turn()
    check(rawequal(told[1], observer))
    equal(told[2], resource)
  end)

  it("OBS-30 added and removed in turn alternates exactly", function()
    local resource, heard = fresh(), {}
    local observer = listener(heard)
    for _ = 1, 3 do
      resource:add_observer(observer)
      resource:remove_observers(observer)
    end
    spec.turn()
    same(heard, {
      "observer_added", "stopped", "observer_added", "stopped", "observer_added", "stopped",
    })
  end)

  it("OBS-31 from inside the observer ends it", function()
    local resource, heard = fresh(), {}
    local observer
    observer = function(r, event)
      heard[#heard + 1] = event
      if event == "requested" then r:remove_observers(observer) end
    end
    resource:add_observer(observer)
    resource:load():await()
    same(heard, { "observer_added", "requested" })
  end)

  it("OBS-43 switches a table from one resource to another", function()
    local service = spec.fake(json "1")
    local one, two, heard = service("/1"), service("/2"), {}
    local view = { resource_changed = function(_, r, event) heard[#heard + 1] = r.url:sub(-1) .. event end }
    one:add_observer(view)
    one:remove_observers(view)
    two:add_observer(view):load_if_needed():await()
    one:load():await()
    same(heard, { "1observer_added", "2observer_added", "2requested", "2new_data" })
  end)
end)

describe("observe", function()
  it("keeps a table literal until it is stopped", function()
    local resource, heard = fresh(), {}
    local observation = resource:observe(listener(heard))
    spec.collect()
    resource:load():await()
    same(heard, { "observer_added", "requested", "new_data network" })
    equal(observation.resource, resource)
    spec.contains(tostring(observation), "/a")
    observation:stop()
    spec.turn()
    equal(heard[4], "stopped")
    observation:stop()
    resource:load():await()
    equal(#heard, 4)
  end)

  it("keeps the observer though nobody holds the observation", function()
    local resource, count = fresh(), 0
    resource:observe(function() count = count + 1 end)
    spec.collect()
    resource:load():await()
    equal(count, 3)
  end)

  it("works with <close>", function()
    local resource, count = fresh(), 0
    do
      local _ <close> = resource:observe(function() count = count + 1 end)
      resource:load():await()
    end
    resource:load():await()
    equal(count, 3)
  end)

  it("works with <close> when an error leaves the block", function()
    local resource, count = fresh(), 0
    pcall(function()
      local _ <close> = resource:observe(function() count = count + 1 end)
      error("out")
    end)
    resource:load():await()
    equal(count, 1)
  end)

  it("may wait in the observer, which does not hold up the next event", function()
    local resource, heard = fresh(), {}
    local observation = resource:observe(function(_, event)
      lull.sleep(event == "requested" and 0.05 or 0)
      heard[#heard + 1] = event
    end)
    resource:load():await()
    lull.sleep(0.08)
    same(heard, { "observer_added", "new_data", "requested" })
    observation:stop()
  end)
end)

describe("the life of an observed resource", function()
  local function observed(service)
    local observer = function() end
    service("/a"):override_local_content(17):add_observer(observer, observer)
    return observer
  end

  it("OBS-36 OBS-37 OBS-38 it is kept while it is observed, and again when it is observed again", function()
    local service = spec.fake(json "1")
    local one = observed(service)
    service:flush_unused_resources()
    equal(service("/a").content, 17)
    service("/a"):remove_observers(one)
    local two = observed(service)
    service:flush_unused_resources()
    equal(service("/a").content, 17)
    service("/a"):remove_observers(two)
    service:flush_unused_resources()
    equal(service("/a").latest_data, nil)
  end)
end)

describe("DYN-07 the same table twice", function()
  it("is one observer, as a wrapper or not, with owners or by itself", function()
    local resource, heard = fresh(), {}
    local observer = listener(heard)
    local owner = {}
    resource:add_observer(observer)
    resource:add_observer(observer, owner)
    resource:add_observer(observer, observer)
    same(heard, { "observer_added" })
    resource:load():await()
    same(heard, { "observer_added", "requested", "new_data network" })
    resource:remove_observers(owner)
    resource:remove_observers(observer)
    spec.turn()
    same(heard, { "observer_added", "requested", "new_data network", "stopped" })
  end)

  it("OBS-40 hears of what a cache has only after observer_added", function()
    local cache = lull.cache.memory()
    local function make(answer)
      return spec.fake(answer):configure { pipeline = { model = { cache = cache } } }
    end
    make(json "1")("/a"):load():await()
    spec.turn()
    local heard = {}
    local observer = listener(heard)
    make(json "2")("/a"):add_observer(observer)
    same(heard, { "observer_added" })
    spec.turn()
    same(heard, { "observer_added", "new_data cache" })
    check(observer)
  end)
end)
