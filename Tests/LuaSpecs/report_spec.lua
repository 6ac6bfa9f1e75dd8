-- Progress: `report` of a networking function, on_progress, observers (PRG, NET-04).
local lull = require "lull"
local spec = ...
local describe, it, equal, same, check = spec.describe, spec.it, spec.equal, spec.same, spec.check
local contains, raises, json = spec.contains, spec.raises, spec.json

-- A request, what reports its bytes, and what answers it.
local function moving(method, body, settings)
  local report, complete
  local service = lull.service {
    base_url = "https://api.test", progress_reporting_interval = settings or 0.001,
    networking = function(_, c, r) complete, report = c, r end,
  }
  local request = service("/a"):request(method or "GET", body)
  spec.turn()
  return request, report, complete, service
end

describe("report", function()
  it("PRG-05 PRG-09 of a known size: more bytes, more progress; more than all is 1, and stays", function()
    local request, report = moving()
    equal(report { received = 0, to_receive = 1000 }, nil)
    local last = request.progress
    for _, received in ipairs { 1, 2, 500, 999 } do
      report { received = received }
      check(request.progress > last, tostring(received))
      last = request.progress
    end
    check(last < 1)
    report { received = 1001 }
    equal(request.progress, 1.0)
    report { received = 5000 }
    equal(request.progress, 1.0)
    equal(request.state, "in_progress", "PRG-30")
    request:cancel()
  end)

  it("PRG-06 PRG-07 PRG-20 of an unknown size: it rises, below 1", function()
    for _, unknown in ipairs { false, 0, -1 } do
      local request, report = moving()
      report { received = 1, to_receive = unknown or nil }
      local one = request.progress
      report { received = 20000 }
      check(request.progress > one)
      report { received = 1000000000 }
      check(request.progress < 1)
      request:cancel()
    end
  end)

  it("PRG-08 PRG-22 stays exactly where it is when the size becomes known", function()
    local request, report = moving()
    report { received = 1000 }
    local before = request.progress
    report { to_receive = 100000 }
    equal(request.progress, before)
    report { received = 2000 }
    check(request.progress > before)
    request:cancel()
  end)

  it("PRG-11 PRG-12 PRG-13 PRG-17 counts what is sent, and then what is received", function()
    local request, report = moving("POST", { text = ("x"):rep(1000) })
    report { sent = 10 }
    local ten = request.progress
    report { sent = 11 }
    check(request.progress > ten, "PRG-12")
    local eleven = request.progress
    report { to_send = 1000 }
    equal(request.progress, eleven, "PRG-13")
    report { sent = 500 }
    local half = request.progress
    check(half > eleven, "PRG-11")
    report { sent = 1000 }
    local all = request.progress
    check(all > half)
    report { received = 1, to_receive = 100 }
    report { received = 90 }
    check(request.progress > all, "PRG-17")
    check(request.progress < 1)
    request:cancel()
  end)

  it("PRG-23 GET with 1 of 1000 bytes at the first poll", function()
    local report
    local service = lull.service { base_url = "https://api.test", networking = function(_, _, r)
      r { received = 1, to_receive = 1000 }
      report = r
    end }
    local request = service("/a"):get()
    spec.near(request.progress, 0.000625, 1e-9)
    check(report)
    request:cancel()
  end)

  it("PRG-01 ends with exactly 1, whatever the outcome", function()
    for _, answer in ipairs { json "1", { status = 500 }, json "bad json" } do
      local request, report, complete = moving()
      report { received = 1, to_receive = 10 }
      complete(answer)
      request:await()
      equal(request.progress, 1.0)
    end
    local request, _, complete = moving()
    complete(nil, lull.error "no")
    request:await()
    equal(request.progress, 1.0)
    request = moving()
    request:cancel()
    equal(request.progress, 1.0)
  end)

  it("PRG-24 PRG-25 PRG-26 feeds on_progress: it never falls, ends with 1, before the other hooks", function()
    local request, report, complete = moving()
    local seen = {}
    request:on_progress(function(fraction) seen[#seen + 1] = fraction end)
    request:on_completion(spec.expect(function()
      equal(seen[#seen], 1.0)
      for i = 2, #seen do check(seen[i] >= seen[i - 1]) end
      check(#seen >= 4, "reports: " .. #seen)
    end))
    for i = 1, 5 do
      report { received = 100 * i, to_receive = 1000 }
      lull.sleep(0.01)
    end
    complete(json "1")
    request:await()
  end)

  it("PRG-29 feeds the observers of a load, its 1 before new_data; not those of a plain request", function()
    local report, complete
    local service = lull.service {
      base_url = "https://api.test", progress_reporting_interval = 0.001,
      networking = function(_, c, r) complete, report = c, r end,
    }
    local resource = service("/a")
    local heard = {}
    local observer = {
      resource_changed = function(_, _, event) heard[#heard + 1] = event end,
      resource_request_progress = function(_, r, fraction)
        equal(r, resource)
        heard[#heard + 1] = fraction
      end,
    }
    resource:add_observer(observer)
    local plain = resource:get()
    spec.turn()
    report { received = 500, to_receive = 1000 }
    lull.sleep(0.01)
    complete(json "1")
    plain:await()
    same(heard, { "observer_added" })
    local load = resource:load()
    spec.turn()
    report { received = 500, to_receive = 1000 }
    lull.sleep(0.01)
    complete(json "1")
    load:await()
    equal(heard[2], "requested")
    check(type(heard[3]) == "number" and heard[3] > 0 and heard[3] <= 1)
    equal(heard[#heard - 1], 1.0)
    equal(heard[#heard], "new_data")
  end)

  it("PRG-27 reads 1 while the response is transformed", function()
    local request, progress, service
    service = spec.fake(json "1"):transform(function(content)
      progress = request.progress
      return content
    end)
    request = service("/a"):get()
    request:await()
    equal(progress, 1.0)
  end)

  it("CHN-18 feeds a chain around the request", function()
    local request, report, complete = moving()
    local chain = request:chained(function() end)
    report { received = 500, to_receive = 1000 }
    equal(chain.progress, request.progress)
    check(chain.progress > 0.2)
    complete(json "1")
    chain:await()
    equal(chain.progress, 1.0)
  end)

  it("after the answer, a cancel, or the service's end does nothing", function()
    local request, report, complete = moving()
    complete(json "1")
    report { received = 1 }
    request:await()
    report { received = 1 }
    equal(request.progress, 1.0)
    request, report = moving()
    request:cancel()
    report { received = 1 }
    spec.collect()
    report { received = 1 }
    equal(request.progress, 1.0)
  end)

  it("takes any number, however odd", function()
    local request, report = moving()
    for _, number in ipairs { 0, -1, 1.5, 2 ^ 53, math.maxinteger, math.mininteger } do
      for _, name in ipairs { "sent", "to_send", "received", "to_receive" } do
        report { [name] = number }
        local progress = request.progress
        check(progress >= 0 and progress <= 1, name .. " " .. number .. " gives " .. progress)
      end
    end
    report {}
    request:cancel()
  end)

  it("raises for wrong use, and the request goes on", function()
    local request, report, complete = moving()
    raises("bad argument #1 to 'report'", function() report() end)
    raises("bad argument #1 to 'report'", function() report(7) end)
    raises("unknown setting 'recieved' (did you mean 'received'?)", function() report { recieved = 1 } end)
    raises("'sent' must be a number of bytes, got string", function() report { sent = "x" } end)
    raises("'sent' must be a number of bytes", function() report { sent = 0 / 0 } end)
    raises("'sent' must be a number of bytes", function() report { sent = math.huge } end)
    complete(json "17")
    equal(request:await().content, 17)
  end)

  it("an error in a networking function's own report call fails that request only", function()
    local service = spec.fake(json "1")
    local bad = lull.service {
      base_url = "https://api.test", networking = function(_, _, report) report { nonsense = 1 } end,
    }
    local _, err = bad("/a"):get():await()
    equal(err.cause.kind, "script_error")
    contains(err.cause.message, "nonsense")
    equal(#spec.reports(), 1)
    equal(service("/a"):get():await().content, 1)
  end)
end)
