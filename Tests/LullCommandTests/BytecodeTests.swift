import Testing

@Suite("--allow-bytecode", .timeLimit(.minutes(20)))
struct BytecodeTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    let ending = try lull(
      "-e",
      """
      local file <close> = io.open('module.lua', 'wb')
      file:write(string.dump(load('return { text = "ran" }')))
      """, folder: folder.path)
    #expect(ending.code == 0)
  }

  static let ways = [
    "load(string.dump(function() return { text = 'ran' } end))",
    "load(string.dump(function() return { text = 'ran' } end), 'x', 'b')",
    "load(coroutine.wrap(function() local code = string.dump(load('return { text = \"ran\" }'))"
      + " coroutine.yield(code:sub(1, 1)) coroutine.yield(code:sub(2)) end))",
    "loadfile('module.lua')",
    "loadfile('module.lua', 'b')",
    "load(string.dump(function() return { text = 'ran' } end), 'x', 'bb')",
    "loadfile('module.lua', 'b b')",
    "function() return dofile('module.lua') end",
    "function() return require('module') end",
  ]

  @Test(arguments: ways)
  func `is needed for every way in`(way: String) throws {
    let code = """
      local chunk, problem = \(way)
      local ok, result = pcall(chunk or error, problem)
      print(ok and result.text or result)
      """
    let refused = try lull("-e", code, folder: folder.path)
    #expect(
      refused.output.contains(
        "attempt to load a precompiled chunk (only --allow-bytecode permits it)"))
    #expect(!refused.output.contains("ran"))
    let allowed = try lull("--allow-bytecode", "-e", code, folder: folder.path)
    #expect(allowed.output == "ran\n")
    #expect(allowed.code == 0)
  }

  @Test func `is needed for the script itself`() throws {
    let refused = try lull("module.lua", folder: folder.path)
    #expect(refused.errors.contains("only --allow-bytecode permits it"))
    #expect(refused.code == 3)
    #expect(try lull("--allow-bytecode", "module.lua", folder: folder.path).code == 0)
  }

  /// The functions that take the place of the stock ones do what those do.
  @Test(arguments: [
    "load('return ...')(1) == 1",
    "load('return x', 'n', 't', { x = 2 })() == 2",
    "load('return x', 'n', 'bt', { x = 2 })() == 2",
    "load('return x', 'n', nil, { x = 2 })() == 2",
    "select(2, load('return +', '=n')) == \"n:1: unexpected symbol near '+'\"",
    "select(2, load('return 1', 'n', 'x')):find(\"attempt to load a text chunk (mode is 'x')\", 1, true)",
    "load(coroutine.wrap(function() coroutine.yield('return ') coroutine.yield('3') end))() == 3",
    "select(2, load(coroutine.wrap(function() coroutine.yield(1) coroutine.yield('x') end))) ~= nil",
    "select(2, pcall(load)):find('bad argument #1')",
    "select(2, pcall(load, nil, 'x', 'b')):find('bad argument #1')",
    "not load('return 1', 'x', 'bb') and not load('return 1', 'x', 'B')",
    "not loadfile('text.lua', 'bb') and loadfile('text.lua', 'btb')() == 'text'",
    "select(2, loadfile('none.lua', 'b')):find('cannot open')",
    "select(2, load(function() return {} end)):find('reader function must return a string')",
    "loadfile('text.lua')() == 'text'",
    "loadfile('text.lua', 't', { tostring = 5 })",
    "select(2, loadfile('none.lua')):find('cannot open')",
    "dofile('text.lua') == 'text'",
    "not pcall(dofile, 'none.lua')",
    "select(2, require('text')) == './text.lua' and require('text') == 'text'",
    "select(2, pcall(require, 'none')):find(\"no file './none.lua'\", 1, true)",
    "select(2, pcall(require, 'broken')):find(\"error loading module 'broken'\")",
    "coroutine.wrap(function() return dofile('yielding.lua') end)() == 1",
  ])
  func `changes nothing for text`(condition: String) throws {
    try folder.write("text.lua", "return 'text'")
    try folder.write("broken.lua", "return +")
    try folder.write("yielding.lua", "coroutine.yield(1)")
    let code = "assert(\(condition))"
    let ending = try lull("-e", code, folder: folder.path)
    #expect(ending.errors == "")
    #expect(ending.code == 0)
    let stock = try Child("lua5.4", ["-e", code], folder: folder.path).wait()
    #expect(stock.errors == "", "the test itself is wrong")
  }
}
