import LullCore
import LullTestSupport
import LullTesting
import Testing

@testable import LullHost

/// Every kind of crossing between Lua and Swift, and what it leaves behind: nothing.
@Suite(.serialized, .timeLimit(.minutes(20))) struct BoundaryTests {
  /// That their memory is given back too, a process of its own shows: see `RaiseTests`.
  @Test func `raises leave no handle and no pin`() throws {
    let harness = try HostHarness()
    harness.run(
      """
      local api = lull.service("https://api.test")
      for _ = 1, 1000 do
        pcall(api.resource, api)                          -- raised by the trampoline
        pcall(lull.service, { expiraton_time = 1 })       -- raised for Swift, after it returned
        pcall(lull.entity, { content = {}, nope = 1 })
        pcall(function() return api.nope end)
      end
      """)
    harness.finish()
  }

  @Test func `requests observers and hooks leave no handle and no pin`() throws {
    let harness = try HostHarness()
    harness.provider.stub("GET", "https://api.test/a", .json(#"{"n": 1}"#))
    let end = harness.run(
      """
      local api = lull.service("https://api.test")
      local heard = 0
      for i = 1, 100 do
        local r = api:resource("/a")
        local w = r:observe(function() heard = heard + 1 end)
        r:load():on_completion(function() heard = heard + 1 end):on_failure(function() end)
        w:stop()
      end
      local entity = assert(api:resource("/a"):load():await())
      return tostring(entity.content.n) .. " " .. heard
      """)
    #expect(end == .finished("1 300"))
    harness.finish()
  }

  @Test(arguments: ["incremental", "generational"])
  func `a ring of mutually observing resources is collected`(mode: String) throws {
    let harness = try HostHarness()
    harness.run(
      """
      collectgarbage("\(mode)")
      local services = {}
      for i = 1, 200 do services[i] = lull.service("https://api.test/" .. i) end
      for i = 1, 200 do
        local mine, next_one = services[i]("/r"), services[i % 200 + 1]("/r")
        mine:add_observer(function() return next_one.url end)
        local owner = { mine }
        owner.observer = function() return owner, next_one end
        next_one:add_observer(owner.observer, owner)
        mine:observe({ resource_changed = function() return next_one end })
      end
      """)
    harness.collect()
    harness.collect()
    harness.finish()
  }

  @Test func `content made by a transformer survives with its resource only`() throws {
    let harness = try HostHarness()
    harness.provider.stub("GET", "https://api.test/u", .json(#"{"name": "Ann"}"#))
    let end = harness.run(
      """
      api = lull.service("https://api.test")
      api:transform("/u", function(c) return setmetatable({ n = c.name }, { __name = "User" }) end)
      assert(api("/u"):load():await())
      collectgarbage() collectgarbage()
      return api("/u").content.n
      """)
    #expect(end == .finished("Ann"))
    harness.collect()
    #expect(harness.run("return api('/u').content.n") == .finished("Ann"))
    #expect(harness.run("api('/u'):wipe() return tostring(api('/u').content)") == .finished("nil"))
    harness.run("api = nil")
    harness.finish()
  }

  @Test func `a service dropped while a resource is kept lives on`() throws {
    let harness = try HostHarness()
    harness.provider.stub("GET", "https://api.test/u", .json("[1]"))
    harness.run(
      """
      kept = lull.service("https://api.test")("/u")
      kept:add_observer(function() heard = (heard or 0) + 1 end)
      kept.service:configure(function(config) config.headers["x-seen"] = "yes" end)
      """)
    harness.collect()
    harness.run("assert(kept:load():await())")
    #expect(harness.run("return heard") == .finished("3"))
    #expect(harness.provider.requests.last?.headers["x-seen"] == "yes")
    harness.run("kept = nil")
    harness.finish()
  }

  @Test func `closing with requests in flight drops them quietly`() throws {
    let harness = try HostHarness()
    harness.provider.holdsAnswers = true
    weak let host = harness.host
    harness.run(
      """
      local api = lull.service("https://api.test")
      for i = 1, 10 do api("/" .. i):load():on_completion(function() error("never") end) end
      lull.spawn(function() api("/x"):load():await() error("never") end)
      """, settling: false)
    harness.environment.turn()
    #expect(harness.provider.heldCount == 11)
    harness.close()
    #expect(harness.environment.isClosed)
    // Late answers find nobody.
    while harness.provider.heldCount > 0 { harness.provider.release() }
    harness.environment.pump.turn()
    #expect(host != nil)
  }

  @Test func `a late answer to a cancelled request changes nothing`() throws {
    let harness = try HostHarness()
    harness.provider.stub("GET", "https://api.test/a", .json("1"))
    harness.provider.holdsAnswers = true
    harness.run(
      """
      api = lull.service("https://api.test")
      outcome = {}
      request = api("/a"):load()
      request:on_completion(function(response) outcome[#outcome + 1] = tostring(response.error) end)
      request:cancel()
      """)
    harness.provider.releaseCancelled()
    harness.settle()
    #expect(
      harness.run("return #outcome .. outcome[1]")
        == .finished("1Request cancelled (GET https://api.test/a)"))
    #expect(harness.run("return tostring(api('/a').latest_data)") == .finished("nil"))
    harness.run("api, outcome, request = nil")
    harness.finish()
  }

  @Test func `callbacks nest about 190 deep and no deeper`() throws {
    let harness = try HostHarness()
    let end = harness.run(
      """
      local r = lull.service("https://api.test")("/deep")
      local depth, deepest, failures = 0, 0, {}
      lull.on_error(function(err) failures[#failures + 1] = tostring(err) return true end)
      r:add_observer(function(_, event)
        if event ~= "new_data" then return end
        depth = depth + 1
        deepest = math.max(deepest, depth)
        r:override_local_content("x" .. depth)
        depth = depth - 1
      end)
      r:override_local_content("start")
      assert(depth == 0)
      lull.on_error(nil)
      return deepest .. " " .. #failures .. " " .. tostring(failures[1])
      """)
    guard case .finished(let text?) = end else {
      Issue.record("ended with \(end)")
      return
    }
    let words = text.split(separator: " ", maxSplits: 2)
    #expect((Int(words[0]) ?? 0) > 150)
    #expect(words[1] == "1")
    #expect(words[2].contains("callbacks nested too deeply"))
    harness.finish()
  }

  @Test func `a userdata brought back by a finaliser is closed`() throws {
    let harness = try HostHarness()
    harness.run(
      """
      do
        local r = lull.service("https://api.test")("/a")
        setmetatable({}, { __gc = function() risen = r end })
      end
      """)
    harness.collect()
    // The finaliser of the table ran before or after the resource's own: either it is closed now, or
    // it is a perfectly good resource. It is never a crash.
    let end = harness.run(
      """
      local ok, err = pcall(function() return risen.url end)
      return ok and risen.url or err
      """)
    #expect(
      end == .finished("test:1: this Resource is closed ('url')")
        || end == .finished("https://api.test/a"))
    harness.run("risen = nil")
    harness.finish()
  }

  @Test func `waiting coroutines are closed with their variables`() throws {
    let harness = try HostHarness()
    let end = harness.run(
      """
      local log = {}
      local task = lull.spawn(function()
        local guard <close> = setmetatable({}, { __close = function() log[#log + 1] = "closed" end })
        pcall(lull.sleep, 1000)
        log[#log + 1] = "never"
      end)
      lull.sleep(1)
      task:cancel()
      local value, err = task:await()
      return task.state .. " " .. table.concat(log, ",") .. " " .. err.cause.kind
      """)
    #expect(end == .finished("cancelled closed request_cancelled"))
    harness.finish()
  }

  @Test func `an error in every kind of callback is reported and contained`() throws {
    let harness = try HostHarness()
    harness.provider.stub("GET", "https://api.test/a", .json("1"))
    let end = harness.run(
      """
      local places = {}
      lull.on_error(function(err, traceback, where)
        assert(traceback:find("stack traceback", 1, true))
        places[#places + 1] = where:match("^[%w_ .]+")
        return true
      end)
      local function boom() error("boom") end
      local function service(settings)
        return lull.service(settings or "https://api.test")
      end
      local function outcome(api)
        local entity, err = api("/a"):load():await()
        return entity and "ok" or err.cause.kind
      end
      local results = {}
      local api = service()
      api("/a"):observe(boom)
      api("/a"):load():on_success(boom):on_completion(boom):await()
      api = service() api:transform("/a", boom) results[1] = outcome(api)
      api = service() api:configure(boom) results[2] = outcome(api)
      api = service() api:configure(boom, { expiration_time = 1 }) results[3] = outcome(api)
      api = service() api:configure{ mutate_requests = boom } results[4] = outcome(api)
      results[5] = outcome(service{ base_url = "https://api.test", networking = boom })
      lull.log.handler = boom
      lull.log.enabled = "staleness"
      service()("/a"):load():cancel()
      lull.log.enabled, lull.log.handler = nil, nil
      local unawaited = lull.spawn(boom)
      lull.sleep(1)
      local ok, err = pcall(unawaited.await, unawaited)
      results[6] = ok and "ok" or "raised"
      lull.on_error(nil)
      return table.concat(results, " ") .. " | " .. table.concat(places, "; ")
      """)
    guard case .finished(let text?) = end else {
      Issue.record("ended with \(end)")
      return
    }
    let halves = text.split(separator: "|")
    #expect(
      halves[0] == "script_error script_error script_error script_error script_error raised ")
    for kind in [
      "observer ", "on_success hook", "on_completion hook", "transformer at",
      "configure function", "predicate of a pattern", "mutation", "networking function",
      "log handler",
    ] {
      #expect(halves[1].contains(kind), "\(kind) is missing in \(halves[1])")
    }
    #expect(harness.host.reporter.errorCount == 0)
    harness.finish()
  }

  @Test func `an observer may load stop and wipe while it is notified`() throws {
    let harness = try HostHarness()
    harness.provider.stub("GET", "https://api.test/a", .json("1"))
    let end = harness.run(
      """
      local r = lull.service("https://api.test")("/a")
      local log = {}
      local first, second
      first = r:observe(function(_, event, source)
        log[#log + 1] = "1" .. event
        if event == "new_data" and source == "network" then
          second:stop()
          first:stop()
          r:wipe()
          r:load()
        end
      end)
      second = r:observe(function(_, event) log[#log + 1] = "2" .. event end)
      r:load():await()
      lull.sleep(1)
      return table.concat(log, " ") .. " " .. tostring(r.content)
      """)
    #expect(
      end
        == .finished(
          "1observer_added 2observer_added 1requested 2requested 1new_data 1"))
    harness.finish()
  }
}
