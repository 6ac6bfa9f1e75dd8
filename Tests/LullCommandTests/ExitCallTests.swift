import Testing

@Suite("os.exit", .timeLimit(.minutes(20)))
struct ExitCallTests {
  @Test(arguments: [
    ("os.exit()", 0), ("os.exit(true)", 0), ("os.exit(false)", 1), ("os.exit(0)", 0),
    ("os.exit(1)", 1), ("os.exit(2)", 2), ("os.exit(42)", 42), ("os.exit(255)", 255),
    ("os.exit(7, true)", 7), ("os.exit(3.0)", 3), ("os.exit(-1)", 255), ("os.exit(256 + 7)", 7),
    ("os.exit(2^32 + 5)", 5),
  ])
  func `exits with`(code: String, expected: Int32) throws {
    let ending = try lull("-e", "print('before') \(code) print('after')")
    #expect(ending.output == "before\n")
    #expect(ending.errors == "")
    #expect(ending.code == expected)
  }

  @Test(arguments: [
    "os.exit('x')", "os.exit({})", "os.exit(1.5)", "os.exit(1e300)", "os.exit(0 / 0)",
    "os.exit(math.huge)",
  ])
  func `refuses what is no code`(code: String) throws {
    let ending = try lull("-e", code)
    #expect(ending.errors.contains("bad argument #1 to 'exit'"))
    #expect(ending.code == 1)
  }

  @Test(arguments: [
    "pcall(os.exit, 5)",
    "xpcall(os.exit, print, 5)",
    "pcall(pcall, pcall, os.exit, 5)",
    "coroutine.wrap(function() os.exit(5) end)()",
    "coroutine.resume(coroutine.create(function() os.exit(5) end))",
    "table.sort({ 3, 2, 1 }, function() os.exit(5) end)",
    "('x'):gsub('.', function() os.exit(5) end)",
    "load(function() os.exit(5) end)",
    "setmetatable({}, { __index = function() os.exit(5) end }).x = nil os.exit(5)",
    "lull.spawn(function() os.exit(5) end) lull.sleep(10)",
    "lull.spawn(function() pcall(os.exit, 5) print('after') end) lull.sleep(10)",
    "lull.spawn(function() lull.sleep(0) os.exit(5) end) lull.run()",
    "local task = lull.spawn(function() os.exit(5) end) task:await()",
  ])
  func `gets through everything`(code: String) throws {
    let ending = try lull("-e", code + " print('after')")
    #expect(ending.output == "")
    #expect(ending.errors == "")
    #expect(ending.code == 5)
  }

  @Test(arguments: [
    "the download was interrupted!", "the script called os.exit", "no such file",
  ])
  func `UNH-160 an error of the script is reported after os.exit, whatever its words are`(
    words: String
  ) throws {
    let ending = try lull(
      "-e",
      "local x <close> = setmetatable({}, { __close = function() error('\(words)') end }) os.exit(5)"
    )
    #expect(ending.errors.contains("\(words)\n"))
    #expect(ending.errors.contains("__close handler"))
    #expect(ending.code == 5)
  }

  @Test(arguments: [
    "r:observe(function() os.exit(5) end)",
    "r:load():on_success(function() os.exit(5) end)",
    "r:load():on_completion(function() pcall(os.exit, 5) print('after') end)",
    "r:load():on_progress(function() os.exit(5) end)",
    "api:transform('/**', function() os.exit(5) end) r:load()",
    "api:configure('/**', function() os.exit(5) end) r:load()",
  ])
  func `ends the run from a callback`(code: String) throws {
    let ending = try lull(
      "-",
      input: """
        local lull = require 'lull'
        local api = lull.service(lull.demo())
        local r = api:resource('/users/1')
        lull.spawn(function() lull.sleep(30) print('after') end)
        \(code)
        lull.sleep(30)
        print('after')
        """)
    #expect(ending.output == "")
    #expect(ending.errors == "")
    #expect(ending.code == 5)
  }

  @Test func `ends the run from an error handler`() throws {
    let ending = try lull(
      "-e",
      """
      lull.on_error(function() os.exit(5) end)
      lull.service('http://a.invalid'):resource('/x'):observe(function() error('x') end)
      lull.sleep(30)
      print('after')
      """)
    #expect(ending.output == "")
    // The error that was not handled may be reported, the way out is none.
    #expect(!ending.errors.contains("os.exit"))
    #expect(ending.code == 5)
  }

  /// What is found out between two turns, the last of which would wait for the end of the sleep: a
  /// minute, after which the test's own patience has ended too.
  @Test(arguments: [
    """
    lull.on_error(function() os.exit(5) end)
    lull.spawn(function() error('x') end)
    lull.sleep(0.01)
    collectgarbage() collectgarbage()
    """,
    """
    do
      local owner = {}
      r:add_observer({ resource_changed = function() end, stopped_observing = function() os.exit(5) end }, owner)
    end
    lull.sleep(0.01)
    collectgarbage() collectgarbage()
    """,
    """
    local observation = r:observe{ resource_changed = function() end,
      stopped_observing = function() os.exit(5) end }
    lull.spawn(function() lull.sleep(0) observation:stop() end)
    """,
  ])
  func `ends the run between two turns`(code: String) throws {
    let ending = try lull(
      "-",
      input: """
        local lull = require 'lull'
        local r = lull.service{ networking = function() end }:resource_at('http://a.test/')
        \(code)
        lull.sleep(60)
        print('after')
        """)
    #expect(ending.output == "")
    #expect(!ending.errors.contains("os.exit"))
    #expect(ending.code == 5)
  }

  @Test func `closes variables`() throws {
    let ending = try lull(
      "-",
      input: """
        local function closing(name)
          return setmetatable({}, { __close = function() print('closed ' .. name) end })
        end
        local lull = require 'lull'
        local main <close> = closing('main')
        lull.spawn(function()
          local waiting <close> = closing('waiting')
          lull.sleep(30)
        end)
        lull.spawn(function()
          local task <close> = closing('task')
          pcall(function()
            local inner <close> = closing('inner')
            os.exit(6)
          end)
          print('after')
        end)
        lull.sleep(30)
        """)
    #expect(
      ending.output.split(separator: "\n").sorted() == [
        "closed inner", "closed main", "closed task", "closed waiting",
      ])
    #expect(ending.errors == "")
    #expect(ending.code == 6)
  }

  @Test func `cancels what is in flight`() throws {
    let ending = try lull(
      "-",
      input: """
        local lull = require 'lull'
        local api = lull.service(lull.demo())
        api:resource('/slow'):with_param('seconds', '30'):load()
          :on_failure(function(err) print(err.cause.kind) end)
        lull.sleep(0.05)
        os.exit(4)
        """)
    #expect(ending.output == "request_cancelled\n")
    #expect(ending.code == 4)
  }

  @Test func `wins over script errors`() throws {
    let ending = try lull(
      "-e", "lull.spawn(function() error('boom') end) lull.sleep(0) os.exit(0)")
    #expect(ending.errors.contains("boom"))
    #expect(ending.code == 0)
  }

  @Test func `keeps the code of the first call`() throws {
    let ending = try lull(
      "-e",
      """
      local x <close> = setmetatable({}, { __close = function() os.exit(9) end })
      os.exit(4)
      """)
    #expect(ending.code == 4 || ending.code == 9)
    #expect(ending.errors == "")
  }
}
