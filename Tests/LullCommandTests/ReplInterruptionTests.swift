import LullLibC
import Testing

/// Ctrl-C where a line has run and its values, or its error, are being shown.
@Suite("Ctrl-C while a session shows something", .timeLimit(.minutes(20)))
struct ReplInterruptionTests {
  private static let busy = "busy = function() io.write('busy\\n') while true do end end\n"

  @Test(arguments: [
    "setmetatable({}, { __tostring = busy })", "{ setmetatable({}, { __tostring = busy }) }",
    "{ [setmetatable({}, { __tostring = busy })] = 1 }",
    "setmetatable({}, { __tostring = function() while true do pcall(busy) end end })",
    "error(setmetatable({}, { __tostring = busy }))",
    "do local x <close> = setmetatable({}, { __close = busy }) end",
    "print(setmetatable({}, { __tostring = busy }))",
    "for _ in pairs(setmetatable({}, { __pairs = busy })) do end",
    "setmetatable({}, { __index = busy }).x",
    "lull.inspect(setmetatable({}, { __tostring = busy }))",
  ])
  func `ends that and nothing else`(line: String) throws {
    let child = try Child.prompt()
    try child.type(
      (Self.busy, "\r\n> "), ("\(line)\n", "\r\nbusy\r\n"), (Child.controlC, "interrupted!\r\n> "),
      ("1 + 1\n", "]: 2\r\n> "), ("lull.sleep(0.01) return 'on'\n", "]: \"on\"\r\n> "))
    let text = child.outputText
    #expect(text.ranges(of: "interrupted!").count == 1)
    #expect(!text.contains("__tostring raises"))
    #expect(try child.leave() == 0)
  }

  @Test func `ends what is shown of an error`() throws {
    let child = try Child.prompt()
    try child.type(
      (Self.busy, "\r\n> "),
      ("error({ setmetatable({}, { __tostring = busy }) })\n", "\r\nbusy\r\n"),
      (Child.controlC, "\r\n> "), ("1 + 1\n", "]: 2\r\n> "))
    #expect(try child.leave() == 0)
  }

  @Test func `shows no more of many values`() throws {
    let child = try Child.prompt()
    try child.type(
      (Self.busy, "\r\n> "),
      ("t = {} for i = 1, 30 do t[i] = setmetatable({}, { __tostring = busy }) end\n", "\r\n> "),
      ("t\n", "\r\nbusy\r\n"), (Child.controlC, "^Cinterrupted!\r\n> "), ("#t\n", "]: 30\r\n> "))
    #expect(try child.leave() == 0)
  }

  /// What has been computed stays.
  @Test func `keeps what the line has done`() throws {
    let child = try Child.prompt()
    try child.type(
      (Self.busy, "\r\n> "),
      ("local a = setmetatable({}, { __tostring = busy }) b = 5 return a\n", "\r\nbusy\r\n"),
      (Child.controlC, "interrupted!\r\n> "), ("b, type(a)\n", "]: 5\t\"table\"\r\n> "))
    #expect(try child.leave() == 0)
  }

  @Test func `says how to leave what cannot be interrupted`() throws {
    let child = try Child.prompt()
    let line = "print('begins') return ('x'):rep(100):find(('.-'):rep(40) .. 'y')\n"
    let message =
      "lull: a C function that runs cannot be interrupted; a second Ctrl-C ends the session"
    // A Ctrl-C before the second function has begun does interrupt: then once more.
    repeat {
      try child.type((line, "\r\nbegins\r\n"))
      let before = child.output.count
      child.type(Child.controlC)
      try child.waitForOutput(anyOf: ["interrupted!\r\n> ", message], after: before)
    } while !child.outputText.contains(message)
    child.type(Child.controlC)
    #expect(try child.wait().code == 130)
  }

  @Test func `says nothing of what has ended`() throws {
    let child = try Child.prompt()
    try child.type(
      ("print('begins') while true do end\n", "\r\nbegins\r\n"),
      (Child.controlC, "interrupted!\r\n> "), ("lull.sleep(1.5) return 'on'\n", "\"on\"\r\n> "))
    #expect(!child.outputText.contains("cannot be interrupted"))
    #expect(try child.leave() == 0)
  }
}
