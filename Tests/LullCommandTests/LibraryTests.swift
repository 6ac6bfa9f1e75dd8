import Testing

/// libcurl is loaded when a script makes its first request.
@Suite("The library of the network", .timeLimit(.minutes(20)))
struct LibraryTests {
  /// As on a machine whose libcurl is broken.
  private func run(_ script: String) throws -> Child.Ending {
    let folder = try TemporaryFolder()
    try folder.write("libcurl.so.4", "no library")
    return try lull("-", input: script, environment: ["LD_LIBRARY_PATH": folder.path])
  }

  @Test func `is not needed by scripts that make no requests`() throws {
    let ending = try run(
      """
      local lull = require 'lull'
      local api = lull.service{
        base_url = 'http://stub.invalid',
        networking = lull.testing.stub{ ['GET /x'] = { json = { n = 1 } } },
      }
      print(assert(api:resource('/x'):load():await()).content.n)
      """)
    #expect(ending.errors == "")
    #expect(ending.output == "1\n")
    #expect(ending.code == 0)
  }

  @Test func `fails the requests of a machine that lacks it, naming what to install`() throws {
    let ending = try run(
      """
      local lull = require 'lull'
      local resource = lull.service('http://127.0.0.1:1'):resource('/x')
      for _ = 1, 2 do
        local _, err = resource:load():await()
        print(err.cause.kind, err.user_message)
      end
      """)
    let lines = ending.output.split(separator: "\n")
    #expect(lines.count == 2)
    for line in lines {
      #expect(line.hasPrefix("network\tlibcurl cannot be used: "))
      #expect(line.hasSuffix("(the Debian package is libcurl4)"))
    }
    #expect(ending.code == 0)
  }
}
