import LullLibC
import LullSystem
import LullTestSupport
import Testing

@Suite("Programs that are started", .timeLimit(.minutes(20)))
struct ChildProcessTests {
  @Test func `have the environment and what is added to it, and their exit code comes back`() throws
  {
    let process = try DescriptorLock.hold {
      try ChildProcess.start(
        ["sh", "-c", #"[ "$LULL_TEST_WORD" = "a b" ] && [ -n "$PATH" ] && exit 7"#],
        input: .nowhere, output: .nowhere, variables: ["LULL_TEST_WORD=a b"])
    }
    #expect(ChildProcess.wait(for: process) == 7)
  }

  @Test func `are ended with all their group`() throws {
    let process = try DescriptorLock.hold {
      try ChildProcess.start(["sh", "-c", "sleep 1000 & wait"], input: .nowhere)
    }
    #expect(getpgid(process) == process)
    kill(-process, SIGTERM)
    #expect(ChildProcess.wait(for: process) == 128 + SIGTERM)
  }

  @Test func `are an error where there is none`() {
    #expect(throws: ChildProcess.Failure.self) { try ChildProcess.start(["/nowhere/at/all"]) }
    #expect(throws: ChildProcess.Failure.self) { try ChildProcess.start([]) }
  }
}
