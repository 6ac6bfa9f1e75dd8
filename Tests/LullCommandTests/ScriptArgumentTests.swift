import Testing

@Suite("What a script gets", .timeLimit(.minutes(20)))
struct ScriptArgumentTests {
  private static let listing = """
    local first, last = 0, 0
    while arg[first - 1] do first = first - 1 end
    while arg[last + 1] do last = last + 1 end
    for i = first, last do print(i, (arg[i]:gsub('^.*/', ''))) end
    print(select('#', ...), ...)
    """

  @Test func `gives arguments as the stock interpreter does`() throws {
    let folder = try TemporaryFolder()
    try folder.write("x.lua", Self.listing)
    let words = ["x.lua", "a", "", "--help", "-e", "ä b", "--", "-"]
    let ending = try Child(Binaries.lull, words, folder: folder.path).wait()
    #expect(
      ending.output == """
        -1\tlull
        0\tx.lua
        1\ta
        2\t
        3\t--help
        4\t-e
        5\tä b
        6\t--
        7\t-
        7\ta\t\t--help\t-e\tä b\t--\t-

        """)
    let stock = try Child("lua5.4", words, folder: folder.path).wait()
    #expect(ending.output == stock.output.replacing("lua5.4", with: "lull"))
  }

  @Test func `counts the words before the script downwards`() throws {
    let folder = try TemporaryFolder()
    try folder.write("x.lua", Self.listing)
    let ending = try lull("run", "x.lua", "a", folder: folder.path)
    #expect(ending.output == "-2\tlull\n-1\trun\n0\tx.lua\n1\ta\n1\ta\n")
  }

  @Test func `has no arguments if there are none`() throws {
    let folder = try TemporaryFolder()
    try folder.write("x.lua", "print(#arg, select('#', ...))")
    #expect(try lull("x.lua", folder: folder.path).output == "0\t0\n")
  }

  @Test func `sets arguments for standard input`() throws {
    #expect(
      try lull("-", "a", input: Self.listing).output == "-1\tlull\n0\t-\n1\ta\n1\ta\n")
  }

  @Test func `takes words after the code for arguments`() throws {
    #expect(try lull("-e", "print(arg[1], arg[2])", "a", "--version").output == "a\t--version\n")
  }
}
