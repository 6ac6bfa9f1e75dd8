-- What observers hear, as whole sequences, with the state they see (OBS).
local spec = ...
local describe, it, same, equal = spec.describe, spec.it, spec.same, spec.equal
local json = spec.json

local failure = json('{"message":"no"}', nil, 500)

describe("events of", function()
  it("OBS-02 OBS-03 a load that succeeds", function()
    local resource = spec.fake(json "1")("/a")
    local events = spec.record(resource)
    resource:load():await()
    same(events, { "observer_added []", "requested [L]", "new_data(network) [D]" })
  end)

  it("a load of the sample API", function()
    local resource = spec.demo()("/users/1")
    local events = spec.record(resource)
    resource:load():await()
    same(events, { "observer_added []", "requested [L]", "new_data(network) [D]" })
  end)

  it("OBS-05 NM-05 a 304", function()
    local resource = spec.demo()("/users/1")
    resource:load():await()
    local events = spec.record(resource)
    resource:load():await()
    same(events, { "observer_added [D]", "requested [LD]", "not_modified [D]" })
  end)

  it("OBS-06 NM-02 a 304 without data", function()
    local resource = spec.fake { status = 304 }("/a")
    local events = spec.record(resource)
    resource:load():await()
    same(events, { "observer_added []", "requested [L]", "error [E]" })
  end)

  it("OBS-07 CXL-10 a cancelled load", function()
    local resource = spec.held()("/a")
    local events = spec.record(resource)
    local request = resource:load()
    request:cancel()
    same(events, { "observer_added []", "requested [L]" })
    spec.turn()
    same(events, { "observer_added []", "requested [L]", "request_cancelled []" })
  end)

  it("OBS-08 a 500", function()
    local resource = spec.fake(failure)("/a")
    local events = spec.record(resource)
    resource:load():await()
    same(events, { "observer_added []", "requested [L]", "error [E]" })
  end)

  it("OBS-41 success, failure, success", function()
    local resource = spec.fake { json "1", failure, json "2" }("/a")
    local events = spec.record(resource)
    for _ = 1, 3 do resource:load():await() end
    same(events, {
      "observer_added []", "requested [L]", "new_data(network) [D]", "requested [LD]", "error [DE]",
      "requested [LDE]", "new_data(network) [D]",
    })
  end)

  it("OBS-09 a plain request: none", function()
    local resource = spec.fake(json "1")("/a")
    local events = spec.record(resource)
    resource:get():await()
    same(events, { "observer_added []" })
  end)

  it("two loads at once", function()
    local service, held = spec.held()
    local resource = service("/a")
    local events = spec.record(resource)
    resource:load()
    resource:load()
    held[1](json "1")
    spec.turn()
    held[2](json "2")
    spec.turn()
    same(events, {
      "observer_added []", "requested [L]", "requested [L]", "new_data(network) [LD]",
      "new_data(network) [D]",
    })
  end)

  it("CXL-10 one cancelled of two loads", function()
    local service, held = spec.held()
    local resource = service("/a")
    local events = spec.record(resource)
    local first = resource:load()
    resource:load()
    first:cancel()
    spec.turn()
    held[2](json "2")
    spec.turn()
    same(events, {
      "observer_added []", "requested [L]", "requested [L]", "request_cancelled [L]",
      "new_data(network) [D]",
    })
  end)

  it("LOAD-30 a cancelled load and a new one in the same turn", function()
    local resource = spec.fake(json "1")("/a")
    local events = spec.record(resource)
    resource:load():cancel()
    resource:load_if_needed():await()
    same(events, {
      "observer_added []", "requested [L]", "requested [L]", "request_cancelled [L]",
      "new_data(network) [D]",
    })
  end)

  it("a connection refused", function()
    local resource = require("lull").service("http://127.0.0.1:1")("/a")
    local events = spec.record(resource)
    resource:load():await()
    same(events, { "observer_added []", "requested [L]", "error [E]" })
  end)

  it("HOOK OBS-42 an observer is told before the hooks of the returned request", function()
    local resource = spec.fake(json "1")("/a")
    local order = {}
    resource:observe(function(_, event) order[#order + 1] = event end)
    resource:load():on_completion(function() order[#order + 1] = "hook" end):await()
    same(order, { "observer_added", "requested", "new_data", "hook" })
  end)

  it("OBS-33 several observers come in the order of their registration", function()
    local resource = spec.fake(json "1")("/a")
    local order = {}
    for i = 1, 5 do
      resource:add_observer(function(_, event) order[#order + 1] = i .. event:sub(1, 1) end)
    end
    resource:load():await()
    equal(table.concat(order, " "), "1o 2o 3o 4o 5o 1r 2r 3r 4r 5r 1n 2n 3n 4n 5n")
  end)

  it("OBS-35 a nested event reaches everyone before the outer broadcast goes on", function()
    local resource = spec.fake(json "1")("/a")
    local order = {}
    resource:add_observer(function(r, event, detail)
      order[#order + 1] = "A:" .. (detail or event)
      if detail == "network" then r:override_local_content("x") end
    end)
    resource:add_observer(function(_, event, detail) order[#order + 1] = "B:" .. (detail or event) end)
    order = {}
    resource:load():await()
    same(order, {
      "A:requested", "B:requested", "A:network", "A:local_override", "B:local_override", "B:network",
    })
  end)

  it("OBS-34 an observer added meanwhile hears observer_added only", function()
    local resource = spec.fake(json "1")("/a")
    local late = {}
    resource:add_observer(function(r, event)
      if event == "new_data" then
        r:add_observer(function(_, e) late[#late + 1] = e end)
      end
    end)
    resource:load():await()
    same(late, { "observer_added" })
  end)

  it("OBS-34 one removed by a peer hears nothing more, not even this event", function()
    local resource = spec.fake(json "1")("/a")
    local heard = {}
    local second = function(_, event) heard[#heard + 1] = event end
    resource:add_observer(function(r, event)
      if event == "requested" then r:remove_observers(second) end
    end)
    resource:add_observer(second)
    resource:load():await()
    same(heard, { "observer_added" })
  end)
end)
