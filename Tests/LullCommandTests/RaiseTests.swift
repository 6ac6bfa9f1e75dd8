import Testing

/// What a hundred thousand errors leave behind, in a process of its own, whose memory is only its own.
@Suite("Errors raised over the boundary", .measuringRelease, .timeLimit(.minutes(20)))
struct RaiseTests {
  @Test func `leak nothing`() throws {
    let ending = try releasedLull(
      "-",
      input: """
        local lull = require "lull"
        local api = lull.service("https://api.test")
        local function resident()
          for line in io.lines("/proc/self/status") do
            local kilobytes = line:match("^VmRSS:%s*(%d+)")
            if kilobytes then return tonumber(kilobytes) end
          end
        end
        local function raise(count)
          for _ = 1, count do
            pcall(api.resource, api)
            pcall(lull.service, { expiraton_time = 1 })
            pcall(lull.entity, { content = {}, nope = 1 })
            pcall(function() return api.nope end)
          end
          collectgarbage()
          collectgarbage()
        end
        raise(2000)
        local before = resident()
        raise(25000)
        -- One object a raise would be at least 5 MB.
        local grown = resident() - before
        assert(grown < 2000, "grown by " .. grown .. " KB")
        print("fine")
        """)
    #expect(ending.errors == "")
    #expect(ending.output == "fine\n")
  }
}
