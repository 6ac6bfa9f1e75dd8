import Testing

@testable import LullHost

/// What the host notes for itself must not grow with what is over.
@Suite(.serialized, .timeLimit(.minutes(20))) struct UpkeepTests {
  @Test func `CACHE-22 tables that were caches once are not remembered for ever`() throws {
    let harness = try HostHarness()
    for _ in 1...20 {
      harness.run(
        """
        for i = 1, 50 do
          local api = lull.service("https://api.test")
          api:configure({ pipeline = { parsing = { cache = {
            key = function() end, read = function() end, write = function() end,
            remove = function() end,
          } } } })
          assert(not api("/a").is_up_to_date)
        end
        """)
      harness.collect()
    }
    #expect(harness.host.callbacks.cacheTables.count < 400)
    harness.finish()
  }

  @Test func `CACHE-22 one table is noted once, for however many resources`() throws {
    let harness = try HostHarness()
    harness.run(
      """
      kept = lull.service("https://api.test")
      local cache = {
        key = function() end, read = function() end, write = function() end,
        remove = function() end,
      }
      kept:configure(function(config) config.pipeline.parsing.cache = cache end)
      for i = 1, 500 do assert(not kept("/" .. i).is_up_to_date) end
      """)
    #expect(harness.host.callbacks.cacheTables.count == 1)
    harness.run("kept = nil")
    harness.finish()
  }

  @Test(arguments: [
    "lull.custom_request { start = function() again() return lull.success {} end }:start()",
    """
    lull.service { base_url = "https://api.test", networking = function()
        again()
        return { status = 200, body = "x" }
      end }("/a"):load()
    """,
  ])
  func `what was made for a function that could not be called is given back`(start: String) throws {
    let harness = try HostHarness()
    harness.run(
      """
      lull.on_error(function() return true end)
      local started = 0
      function again()
        started = started + 1
        if started < 1000 then \(start) end
      end
      again()
      again = nil
      assert(started > 10 and started < 1000, started)
      lull.on_error(nil)
      """)
    harness.finish()
  }

  @Test func `what waits when the state closes cannot be cancelled afterwards`() throws {
    let harness = try HostHarness()
    harness.run("lull.sleep(60)", settling: false)
    let context = try #require(harness.host.coroutines.waiting.values.first)
    harness.close()
    harness.host.coroutines.cancel(context)
    // Its completion was not called.
    #expect(harness.host.loop.taskCount == 1)
  }

  @Test(arguments: ["api(nil)", "api:resource_at('http://[')", "api('/a')"])
  func `a request that never starts does not outlive its service, whatever resource it loads`(
    resource: String
  ) throws {
    let harness = try HostHarness()
    harness.run(
      """
      api = lull.service("https://api.test")
      local resource = \(resource)
      resource:load_using(lull.custom_request { start = function() end })
      resource:load_using(api("/b"):request("GET"))
      """)
    #expect(harness.leftovers() == [])
  }

  @Test(arguments: ["resource:add_observer(observer, print)", "resource:observe(observer)"])
  func `an observer goes with a resource that no service remembers, though its owner lives on`(
    observing: String
  ) throws {
    let harness = try HostHarness()
    harness.run(
      """
      api = lull.service("https://api.test")
      seen = setmetatable({}, { __mode = "k" })
      do
        local resource = api:resource_at("http://[")
        local marker = {}
        seen[marker] = true
        local observer = function() return marker end
        \(observing)
      end
      """)
    // The observer goes with the resource, its closure with the turn after that.
    harness.collect()
    harness.collect()
    harness.collect()
    #expect(harness.run("return tostring(next(seen))") == .finished("nil"))
    #expect(harness.leftovers() == [])
  }

  @Test(arguments: ["all", "any"])
  func `a list lets go of its one request that will never complete`(gather: String) throws {
    let harness = try HostHarness()
    harness.run(
      """
      local request = lull.custom_request { start = function() end }:start()
      _problem = tostring(select(2, pcall(lull.\(gather), { request })))
      """)
    harness.collect()
    harness.collect()
    let end = harness.run(
      "return tostring(_problem and _problem:find('will never complete') ~= nil)")
    #expect(end == .finished("true"))
    #expect(harness.leftovers() == [])
  }
}
