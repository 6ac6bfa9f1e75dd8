-- resource:changes() and lull.status (OBS-120, STA-120).
local lull = require "lull"
local spec = ...
local describe, it, equal, same = spec.describe, spec.it, spec.equal, spec.same
local check, contains, raises, json = spec.check, spec.contains, spec.raises, spec.json

describe("changes", function()
  it("OBS-120 gives events as observers hear them, with the source of new data", function()
    local service, sent = spec.fake(json "1")
    local user = service("/a")
    local heard = {}
    local load = user:load()
    for event, source in user:changes() do
      heard[#heard + 1] = event .. (source and " " .. source or "")
      if event == "new_data" then equal(user.content, 1) break end
    end
    assert(load:await())
    same(heard, { "observer_added", "new_data network" })
    equal(#sent, 1)
  end)

  it("OBS-120 hears from the call on, and loads nothing", function()
    local service, sent = spec.fake(json "1")
    local user = service("/a")
    local changes = user:changes()
    user:override_local_content(5)
    equal(changes(), "observer_added")
    same({ changes() }, { "new_data", "local_override" })
    user:wipe()
    same({ changes() }, { "new_data", "wipe" })
    equal(#sent, 0)
    changes:stop()
    equal(changes(), nil)
    equal(changes.resource, nil)
  end)

  it("OBS-121 keeps each kind once, at the place of its last time", function()
    local user = spec.fake(json "1")("/a")
    local changes <close> = user:changes()
    for i = 1, 3 do user:override_local_content(i) end
    user:load():await()
    user:override_local_content(9)
    local heard = {}
    for _ = 1, 4 do
      local event, source = changes()
      heard[#heard + 1] = event .. (source and " " .. source or "")
    end
    same(heard, { "observer_added", "requested", "new_data network", "new_data local_override" })
    equal(user.content, 9)
  end)

  it("OBS-121 comes after observers and hooks", function()
    local user = spec.fake(json "1")("/a")
    local order = {}
    local changes <close> = user:changes()
    changes()
    user:observe(function(_, event) order[#order + 1] = "observer " .. event end)
    local task = lull.spawn(function()
      repeat local event = changes() order[#order + 1] = "loop " .. event until event == "new_data"
    end)
    lull.sleep(0)
    user:load():on_success(function() order[#order + 1] = "hook" end)
    task:await()
    same(order, { "observer observer_added", "observer requested", "loop requested", "observer new_data",
      "hook", "loop new_data" })
  end)

  it("OBS-122 ends when nothing else is left to do", function()
    for _, start in ipairs {
      "lull.spawn(loop)", "loop()", "lull.spawn(loop) lull.run() print 'run'",
      "lull.spawn(loop) lull.spawn(loop)",
    } do
      local result = spec.script(([[
        local lull = require "lull"
        local user = lull.service{ networking = function() return { json = 1 } end }:resource_at "https://x.test/a"
        local function loop()
          for event in user:changes() do print(event) end
          print "end"
        end
        user:load()
        %s
        lull.run()
      ]]):format(start), { seconds = 5 })
      equal(result.err, "", start)
      equal(result.code, 0, start)
      contains(result.out, "new_data\n", start)
      contains(result.out, "end\n", start)
    end
  end, { seconds = 20 })

  it("OBS-122 waits for nothing where lull.run is called again and again", function()
    local result = spec.script([[
      local lull = require "lull"
      for _ = 1, 3 do lull.run() end
      print "done"
    ]], { seconds = 4 })
    equal(result.out, "done\n")
    equal(result.code, 0)
  end)

  it("OBS-122 ends its wait with its task, and observes no more", function()
    local user = spec.fake(json "1")("/a")
    local task = lull.spawn(function()
      for _ in user:changes() do spec.check(true) end
    end)
    spec.turn()
    task:cancel()
    equal(task.state, "cancelled")
    local closed
    lull.timeout(0.01, function()
      local changes <close> = user:changes()
      closed = changes
      while true do changes() end
    end)
    equal(closed(), nil)
    contains(tostring(closed), "over")
  end)

  it("cannot be waited for twice", function()
    local user = spec.fake(json "1")("/a")
    local changes <close> = user:changes()
    changes()
    local task = lull.spawn(function() return changes() end)
    lull.sleep(0)
    raises("another coroutine is already waiting for these changes", function() changes() end)
    changes:stop()
    equal(task:await(), nil)
    contains(tostring(changes), "Changes(")
  end)

  it("lets go of the resource with the iterator", function()
    local service = spec.fake(json "1")
    do
      local changes = service("/a"):changes()
      changes()
    end
    spec.collect()
    spec.turn()
    service:flush_unused_resources()
    local count = 0
    for _ in service:resources() do count = count + 1 end
    equal(count, 0)
  end)
end)

describe("a status", function()
  local function world()
    local service, sent = spec.fake(function(http)
      if http.url:find("bad") then return json("{}", nil, 500) end
      return json "1"
    end, { retry_time = 60 })
    return service("/good"), service("/bad"), sent
  end

  it("STA-120 is that of the first rule that applies", function()
    local good, bad = world()
    local status = lull.status { good, bad }
    equal(status.state, "none")
    local load = good:load()
    equal(status.state, "loading")
    equal(status.is_loading, true)
    assert(load:await())
    equal(status.state, "success")
    equal(status.has_any_data, true)
    equal(status.has_all_data, false)
    bad:load():await()
    equal(status.state, "error")
    equal(status.error.http_status, 500)
    same({ #status.failed, #status.resources }, { 1, 2 })
    equal(status.failed[1], bad)
    local any = lull.status({ good, bad }, { priority = { "any_data", "error" } })
    equal(any.state, "success")
    local all = lull.status({ good, bad }, { priority = { "all_data", "error" } })
    equal(all.state, "error")
    bad:override_local_content(1)
    equal(all.state, "success")
    equal(tostring(all), "Status(success, 2 resources)")
    equal(lull.status(good).state, "success")
    equal(lull.status {}.state, "none")
    equal(#lull.status { good, good }.resources, 1)
  end)

  it("STA-121 retries what failed, however recently, and nothing twice", function()
    local good, bad, sent = world()
    local status = lull.status { good, bad }
    lull.all { good:load() }
    bad:load():await()
    equal(bad:load_if_needed(), nil)
    local loads = status:retry()
    equal(#loads, 1)
    equal(loads[1].resource, bad)
    equal(status:retry()[1], loads[1])
    equal(select(2, loads[1]:await()).http_status, 500)
    equal(#sent, 3)
    equal(#lull.status(good):retry(), 0)
  end)

  it("STA-122 waits until none is loading, and gives state and error", function()
    local good, bad = world()
    local status = lull.status { good, bad }
    equal(status:await(), "none")
    good:load()
    bad:load()
    local state, err = status:await()
    equal(state, "error")
    equal(err.http_status, 500)
    same({ lull.status(good):await() }, { "success" })
  end)

  it("STA-122 is followed by its changes", function()
    local good, bad = world()
    local states = {}
    local task = lull.spawn(function()
      for state in lull.status { good, bad }:changes() do
        states[#states + 1] = state
        if state == "error" then break end
      end
    end)
    lull.sleep(0)
    assert(good:load():await())
    spec.turn()
    bad:load():await()
    task:await()
    same(states, { "none", "loading", "success", "loading", "error" })
  end)

  it("holds its resources", function()
    local service = spec.fake(json "1")
    local status = lull.status { service("/a"), service("/b") }
    spec.collect()
    service:flush_unused_resources()
    local count = 0
    for _ in service:resources() do count = count + 1 end
    equal(count, 2)
    check(status.state == "none")
  end)

  it("takes resources and rules only", function()
    local good = world()
    raises("bad argument #1 to 'status' (a list of resources expected, got nil)", function() lull.status(nil) end)
    raises("a list of resources expected, got string as element 2", function() lull.status { good, "x" } end)
    raises("got the key 'priority'; options are a second table", function()
      lull.status { good, priority = { "error" } }
    end)
    raises("'priority' must be a list of \"loading\", \"error\", \"any_data\", \"all_data\", got 'data'",
      function() lull.status({ good }, { priority = { "data" } }) end)
    raises("unknown", function() lull.status({ good }, { prioroty = {} }) end)
  end)
end)
