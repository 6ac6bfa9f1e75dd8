import LullLibC
import Testing

@Suite("The sample API", .timeLimit(.minutes(20)))
struct DemoCommandTests {
  @Test(arguments: [SIGTERM, SIGINT])
  func `serves until a signal`(signal: Int32) throws {
    let child = try Child(Binaries.lull, ["demo", "--port", "0"], input: .held)
    try child.waitForOutput("/users")
    let line = child.outputText.prefix { $0 != "\n" }
    #expect(line.wholeMatch(of: /.* http:\/\/127\.0\.0\.1:\d+/) != nil)
    let answer = try lull(
      "-e",
      "print(lull.service(...):resource('/users/1'):load():await().content.id)",
      String(line.split(separator: " ").last ?? ""))
    #expect(answer.output == "1\n")
    child.send(signal)
    let ending = try child.wait()
    #expect(ending.errors == "")
    #expect(!Port(ofURL: line).isOpen)
  }

  @Test func `refuses a port that is taken`() throws {
    let first = try Child(Binaries.lull, ["demo"], input: .held)
    try first.waitForOutput("/users")
    let port = Port(ofURL: first.outputText.prefix { $0 != "\n" }).number
    let second = try lull("demo", "--port", String(port))
    #expect(second.errors.contains("\(port)"))
    #expect(second.errors.lowercased().contains("in use"))
    #expect(second.output == "")
    #expect(second.code != 0)
  }

  @Test func `starts once for a script`() throws {
    let ending = try lull("-e", "print(lull.demo() == lull.demo(), lull.demo())")
    #expect(ending.output.wholeMatch(of: /true\thttp:\/\/127\.0\.0\.1:\d+\n/) != nil)
    #expect(ending.code == 0)
    #expect(!Port(ofURL: ending.output).isOpen)
  }

  @Test func `dies with a script that is killed`() throws {
    let child = try Child(
      Binaries.lull, ["-e", "print(lull.demo()) io.flush() lull.sleep(30)"], input: .held)
    try child.waitForOutput("\n")
    let port = Port(ofURL: child.outputText)
    #expect(port.isOpen)
    child.send(SIGKILL)
    #expect(try child.wait().signal == SIGKILL)
    #expect(port.isClosed(within: 5))
  }

  @Test func `dies though another child of the script lives`() throws {
    let child = try Child(
      Binaries.lull,
      [
        "-e",
        """
        print(lull.demo())
        io.flush()
        io.popen('exec sleep 5 >/dev/null 2>&1', 'w')
        lull.sleep(30)
        """,
      ], input: .held)
    try child.waitForOutput("\n")
    let port = Port(ofURL: child.outputText)
    usleep(100_000)
    child.send(SIGKILL)
    #expect(try child.wait().signal == SIGKILL)
    #expect(port.isClosed(within: 5))
  }

  @Test func `says what is missing`() throws {
    let folder = try TemporaryFolder()
    let ending = try shell(
      "cp $(command -v lull) lonely && PATH=/usr/bin:/bin ./lonely -e 'lull.demo()'",
      folder: folder.path)
    #expect(ending.errors.contains("lull-mock"))
    #expect(ending.code == 1)
  }
}
