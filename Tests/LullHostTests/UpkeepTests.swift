import Testing

@testable import LullHost

/// What the host notes for itself must not grow with what is over.
@Suite(.serialized) struct UpkeepTests {
  @Test("CACHE-22: tables that were caches once are not remembered for ever")
  func forgetsCachesThatAreGone() throws {
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
    #expect(harness.host.tableCaches.count < 400)
    harness.finish()
  }

  @Test("CACHE-22: one table is noted once, for however many resources")
  func notesACacheOnce() throws {
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
    #expect(harness.host.tableCaches.count == 1)
    harness.run("kept = nil")
    harness.finish()
  }
}
