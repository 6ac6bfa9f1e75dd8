import LullLibC
import Testing

/// The command's allocator, in a small program that has no other.
@Suite(.timeLimit(.minutes(20))) struct AllocatorTests {
  private func run(_ what: String) throws -> Child.Ending {
    try Child(Binaries.folder + "/allocator-program", [what]).wait()
  }

  @Test func `a small block that is freed twice ends the program`() throws {
    let ending = try run("twice")
    #expect(ending.signal == SIGABRT)
    #expect(
      ending.errors.hasPrefix("lull: a block of memory was freed twice\n"), "\(ending.errors)")
  }

  @Test func `a block that looks freed by its bytes alone is freed like any other`() throws {
    let ending = try run("likeness")
    #expect(ending.code == 0, "\(ending.errors)")
  }

  @Test func `no block is handed out twice, whatever sizes come and go`() throws {
    let ending = try run("many")
    #expect(ending.code == 0, "\(ending.errors)")
  }
}
