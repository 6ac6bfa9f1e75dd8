import Testing

@Suite("Errors of a script", .timeLimit(.minutes(20)))
struct ScriptErrorTests {
  /// Everything a callback does wrong is reported, nothing else stops, and the exit code is 1.
  @Test(arguments: [
    ("observer", "r:observe(function() error('boom') end) lull.sleep(0)"),
    (
      "observer",
      "local o = { resource_changed = function() error('boom') end } r:observe(o) lull.sleep(0)"
    ),
    ("on_success", "r:load():on_success(function() error('boom') end):await() lull.sleep(0)"),
    ("on_completion", "r:load():on_completion(function() error('boom') end):await() lull.sleep(0)"),
    (
      "on_failure",
      "api:resource('/no'):load():on_failure(function() error('boom') end):await() lull.sleep(0)"
    ),
    ("on_progress", "r:load():on_progress(function() error('boom') end):await() lull.sleep(0)"),
    ("transformer", "api:transform('/**', function() error('boom') end) r:load():await()"),
    ("configure", "api:configure('/**', function() error('boom') end) r:load():await()"),
    (
      "mutat",
      "api:configure{ mutate_requests = function() error('boom') end } r:load():await()"
    ),
    ("task", "lull.spawn(function() error('boom') end) lull.sleep(0)"),
    ("task", "lull.spawn(function() lull.sleep(0.01) error('boom') end)"),
  ])
  func `EXIT-01 reports an error in a callback`(place: String, code: String) throws {
    let ending = try lull("-", input: Self.service + code + "\nprint('end')")
    #expect(ending.output == "end\n")
    #expect(ending.errors.contains(": boom\n"))
    #expect(ending.errors.contains("stack traceback:\n"))
    let line = ending.errors.split(separator: "\n").first { $0.hasPrefix("  in ") }
    #expect(line?.contains(place) ?? false, "the report does not say where")
    #expect(ending.errors.components(of: ": boom\n") == 1, "reported more than once")
    #expect(ending.code == 1)
  }

  @Test func `reports an error in a networking function`() throws {
    let ending = try lull(
      "-",
      input: """
        local lull = require 'lull'
        local api = lull.service{ base_url = 'http://x.invalid',
                                  networking = function() error('boom') end }
        local _, err = api:resource('/a'):load():await()
        print(err.cause.kind)
        """)
    #expect(ending.output == "script_error\n")
    #expect(ending.errors.components(of: "stdin:3: boom") == 1)
    #expect(ending.code == 1)
  }

  @Test func `ends the script at an error in its main chunk`() throws {
    let ending = try lull(
      "-",
      input: """
        local function inner() error('boom') end
        local function outer() inner() return 1 end
        print('before')
        outer()
        print('after')
        """)
    #expect(ending.output == "before\n")
    #expect(
      ending.errors.hasPrefix(
        """
        lull: stdin:1: boom
          1 | local function inner() error('boom') end
            |                        ^^^^^
        stack traceback:

        """))
    #expect(ending.errors.contains("in upvalue 'inner'"))
    #expect(ending.errors.contains("stdin:4: in main chunk"))
    #expect(ending.code == 1)
  }

  @Test func `cancels what is in flight at an error in the main chunk`() throws {
    let ending = try lull(
      "-",
      input: Self.service + """
        local request = api:resource('/slow'):with_param('seconds', '30'):load()
        request:on_failure(function(err) print(err.cause.kind) end)
        lull.spawn(function() lull.sleep(30) print('never') end)
        lull.sleep(0.05)
        error('boom')
        """)
    #expect(ending.output == "request_cancelled\n")
    #expect(ending.code == 1)
  }

  /// What the stock interpreter shows for the same script, with its own name.
  @Test(
    .enabled(if: Binaries.lua != nil, "lua5.4 is not installed"),
    arguments: [
      "error('boom')", "error('boom', 0)",
      "error(setmetatable({}, { __tostring = function() return 'mine' end }))",
      "error{}", "error()", "error(42)", "local x = nil; x.y = 1", "missing()", "return 1 + {}",
      "error('two\\nlines')", "string.rep()", "('x'):rep(1e10)",
    ])
  func `describes errors as the stock interpreter does`(code: String) throws {
    let folder = try TemporaryFolder()
    let file = try folder.write("x.lua", code)
    let ours = try lull(file)
    let stock = try Child("lua5.4", [file]).wait()
    #expect(Self.message(ours.errors, of: "lull") == Self.message(stock.errors, of: "lua5.4"))
    #expect(ours.code == stock.code)
  }

  @Test func `shows an error of the outside world without guessing`() throws {
    let ending = try lull(
      "-", input: Self.service + "assert(api:resource('/status/404'):load():await())")
    #expect(ending.errors.contains("GET"))
    #expect(ending.errors.contains("/status/404"))
    #expect(ending.errors.contains("404"))
    #expect(!ending.errors.contains("table: 0x"))
    #expect(!ending.errors.contains("userdata: 0x"))
    #expect(ending.code == 1)
  }

  @Test func `is fine if the error of a task is caught`() throws {
    let ending = try lull(
      "-",
      input: """
        local lull = require 'lull'
        local task = lull.spawn(function() error('boom') end)
        print(pcall(task.await, task))
        """)
    #expect(ending.output == "false\tstdin:2: boom\n")
    #expect(ending.errors == "")
    #expect(ending.code == 0)
  }

  @Test func `leaves the report to a handler`() throws {
    let code = """
      local lull = require 'lull'
      lull.on_error(function(err, traceback, where)
        print(err, traceback:match('stack traceback') ~= nil, where:match('task') ~= nil)
        return HANDLED
      end)
      lull.spawn(function() error('boom', 0) end)
      """
    let handled = try lull("-", input: "HANDLED = true\n" + code)
    #expect(handled.output == "boom\ttrue\ttrue\n")
    #expect(handled.errors == "")
    #expect(handled.code == 0)
    let unhandled = try lull("-", input: code)
    #expect(unhandled.output == "boom\ttrue\ttrue\n")
    #expect(unhandled.errors == "")
    #expect(unhandled.code == 1)
  }

  private static let service = """
    local lull = require 'lull'
    local api = lull.service(lull.demo())
    local r = api:resource('/users/1')

    """

  /// Everything before the traceback, and before the source, which only the command shows.
  private static func message(_ errors: String, of program: String) -> String {
    let ends = ["\nstack traceback:", "\n  at ", "\n  1 | ", "\n  value: "].compactMap {
      errors.firstRange(of: $0)?.lowerBound
    }
    let end = ends.min() ?? errors.endIndex
    var text = errors[..<end]
    // Without a traceback the line ends here.
    if text.last == "\n" { text.removeLast() }
    return text.hasPrefix(program + ": ") ? String(text.dropFirst(program.count + 2)) : String(text)
  }
}

extension String {
  /// How often `part` occurs.
  fileprivate func components(of part: String) -> Int { ranges(of: part).count }
}
