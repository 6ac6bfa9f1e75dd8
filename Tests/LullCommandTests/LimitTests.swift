import Testing

/// Scripts that try to outlive their limits. Each must end with code 1 and say why.
@Suite("Limits", .timeLimit(.minutes(20)))
struct LimitTests {
  static let time = "the script ran for more than 0.2 s (--max-time)\n"
  static let instructions = "the script ran more than 100000 instructions (--max-instructions)\n"
  static let memory = memory(16)

  static func memory(_ megabytes: Int) -> String {
    "the script needs more than \(megabytes) MB of memory (--max-memory)\n"
  }

  /// What hooks reach, whatever is around it.
  static let endless = [
    "while true do end",
    "::again:: goto again",
    "repeat until false",
    "local function f() return f() end f()",
    "for i = 1, math.huge do end",
    "while true do pcall(busy) end",
    "while true do pcall(error) end",
    "while true do pcall(pcall, pcall, busy) end",
    "while true do xpcall(busy, busy) end",
    "xpcall(error, busy)",
    "xpcall(error, function() xpcall(error, busy) busy() end)",
    "xpcall(xpcall, busy, busy, busy)",
    "while true do xpcall(busy, coroutine.wrap(busy)) end",
    "while true do pcall(coroutine.wrap(busy)) end",
    "while true do coroutine.resume(coroutine.create(function() while true do pcall(busy) end end)) end",
    """
    local function chain() coroutine.resume(coroutine.create(chain)) busy() end
    while true do pcall(chain) end
    """,
    "while true do for _ in coroutine.wrap(function() while true do coroutine.yield(1) end end) do end end",
    "local t = setmetatable({}, { __index = function(t, k) return t[k .. 'x'] end }) while true do pcall(function() return t.x end) end",
    "while true do pcall(table.sort, { 3, 2, 1 }, function() pcall(busy) return true end) end",
    "while true do pcall(string.gsub, 'xxx', '.', function() pcall(busy) end) end",
    "while true do pcall(load, function() pcall(busy) return ' ' end) end",
    "load(function() return ' ' end)",
    "do local x <close> = setmetatable({}, { __close = function() while true do pcall(busy) end end }) end",
    """
    while true do
      pcall(function()
        local x <close> = setmetatable({}, { __close = busy })
        busy()
      end)
    end
    """,
    """
    local function closing(n)
      local x <close> = setmetatable({}, { __close = busy })
      if n > 0 then closing(n - 1) else busy() end
    end
    while true do pcall(closing, 50) end
    """,
    "while true do pcall(error, setmetatable({}, { __tostring = busy })) end",
    "while true do tostring(setmetatable({}, { __tostring = busy })) end",
    "lull.spawn(function() while true do pcall(busy) end end) while true do pcall(lull.sleep, 0) end",
    "local function again() lull.spawn(again) end again() lull.run()",
    "while true do local task = lull.spawn(busy) pcall(task.await, task) end",
    """
    lull.on_error(busy)
    lull.service('http://a.invalid'):resource('/x'):observe(error)
    while true do pcall(lull.sleep, 0) end
    """,
    "lull.log.handler = busy lull.log.enabled = 'all' lull.service('http://a.invalid'):resource('/x'):load()",
    """
    local r = lull.service('http://a.invalid'):resource('/x')
    r:observe(function() pcall(busy) end)
    while true do r:override_local_content('x') end
    """,
    """
    lull.service('http://a.invalid'):resource('/x'):load():on_failure(function() while true do pcall(busy) end end)
    while true do pcall(lull.sleep, 0) end
    """,
    // In functions of the library.
    "local x = ('a'):rep(40):find(('.-'):rep(40) .. 'b')",
    "while true do pcall(string.find, ('a'):rep(40), ('.-'):rep(40) .. 'b') end",
    "('a'):rep(40):gsub(('a-'):rep(40) .. 'b', '')",
    "table.move({}, 1, 1 << 60, 2)",
    "table.concat(setmetatable({}, { __index = function() return '' end }), '', 1, 1 << 60)",
    "xpcall(table.move, busy, {}, 1, 1 << 60, 2)",
  ]

  private static let busy = "local function busy() while true do end end "

  @Test(arguments: endless)
  func `time ends what hooks reach`(code: String) throws {
    let ending = try lull("--max-time", "0.2", "-e", Self.busy + code + " print('after')")
    #expect(ending.output == "")
    #expect(ending.errors.contains(Self.time))
    #expect(ending.errors.components(of: "--max-time") == 1, "\(ending.errors)")
    #expect(ending.code == 1)
  }

  @Test(arguments: endless)
  func `instructions end what hooks reach`(code: String) throws {
    let ending = try lull(
      "run", "--max-instructions=100000", "-e", Self.busy + code + " print('after')")
    #expect(ending.output == "")
    #expect(ending.errors.contains(Self.instructions))
    #expect(ending.code == 1)
  }

  /// What none reaches: the watchdog ends the process a second later.
  @Test(arguments: [
    "setmetatable({}, { __gc = busy }) collectgarbage()",
    "setmetatable({}, { __gc = function() while true do pcall(busy) end end }) lull.sleep(30)",
    "os.execute('sleep 3')",
  ])
  func `the watchdog ends what hooks do not reach`(code: String) throws {
    let ending = try lull("--max-time", "0.2", "-e", Self.busy + code + " print('after')")
    #expect(ending.output == "")
    #expect(ending.errors.contains(Self.time))
    #expect(ending.code == 1)
  }

  /// Those of what is left when the script has ended.
  @Test func `the watchdog ends the last finalisers`() throws {
    let ending = try lull(
      "--max-time", "0.5", "-e", Self.busy + "setmetatable({}, { __gc = busy })")
    #expect(ending.errors == "lull: the script ran for more than 0.5 s (--max-time)\n")
    #expect(ending.code == 1)
  }

  @Test(arguments: [
    "lull.sleep(30)", "lull.run() lull.sleep(30)", "pcall(lull.sleep, 30)",
    "lull.spawn(lull.sleep, 30)",
    "coroutine.wrap(function() lull.sleep(30) end)()",
    "lull.service('http://a.invalid', nil)",
    "lull.service{ networking = function() lull.sleep(30) end }:resource_at('http://a.invalid/'):load():await()",
    "lull.all{ lull.spawn(lull.sleep, 30), lull.spawn(lull.sleep, 40) }",
  ])
  func `time ends waiting`(code: String) throws {
    let ending = try lull("--max-time=0.2", "-e", "pcall(function() \(code) end) lull.sleep(30)")
    #expect(ending.output == "")
    #expect(ending.errors == "lull: " + Self.time)
    #expect(ending.code == 1)
  }

  @Test func `time says where the script was`() throws {
    let folder = try TemporaryFolder()
    try folder.write("x.lua", "local function spin()\n  while true do end\nend\nspin()\n")
    let ending = try lull("--max-time", "0.2", "x.lua", folder: folder.path)
    #expect(ending.errors.contains("x.lua:2: " + Self.time))
    #expect(ending.errors.contains("x.lua:4:"))
    #expect(ending.code == 1)
  }

  /// Nothing of the script runs after the end of its time, to say nothing of starting more.
  @Test func `nothing runs after a limit`() throws {
    let ending = try lull(
      "--max-time", "0.2", "-e",
      """
      io.stdout:setvbuf('no')
      local api = lull.service(lull.demo())
      local request = api:resource('/slow'):with_param('seconds', '30'):load()
      request:on_failure(function() print('hook') end)
      lull.on_error(function() print('handler') end)
      lull.spawn(function()
        local x <close> = setmetatable({}, { __close = function() print('closed') end })
        lull.sleep(30)
      end)
      lull.sleep(0)
      local x <close> = setmetatable({}, { __close = function() print('closed too') end })
      while true do end
      """)
    #expect(ending.output == "")
    #expect(ending.errors.contains(Self.time))
    #expect(ending.code == 1)
  }

  static let hungry = [
    "local t = {} while true do t[#t + 1] = {} end",
    "local t = {} for i = 1, math.huge do t[i] = i end",
    "local t = {} while true do t[#t + 1] = ('x'):rep(1000) .. #t end",
    "local s = 'x' while true do s = s .. s end",
    "string.rep('x', 1 << 30)",
    "pcall(string.rep, 'x', 1 << 30)",
    "print(pcall(string.rep, 'x', 1 << 30))",
    "local t = {} while true do pcall(function() while true do t[#t + 1] = ('x'):rep(9999) .. #t end end) end",
    "local t = {} while true do xpcall(function() while true do t[#t + 1] = ('x'):rep(9999) .. #t end end, function() while true do end end) end",
    "local t = {} while true do pcall(coroutine.wrap(function() while true do t[#t + 1] = {} end end)) end",
    "local t = {} while true do t[#t + 1] = coroutine.create(print) end",
    "local function f() return 1 + f() end while true do pcall(f) end",
    "table.concat(setmetatable({}, { __index = function() return ('x'):rep(1000) end }), '', 1, 1 << 30)",
    "('x'):rep(10000):gsub('x', ('y'):rep(10000))",
    "local t = {} while true do t[#t + 1] = lull.spawn(lull.sleep, 30) end",
    "local t = {} local api = lull.service('http://a.invalid') for i = 1, math.huge do t[i] = api:resource('/' .. i) end",
    "local t = {} for i = 1, math.huge do t[i] = lull.entity{ content = 'x' } end",
    "local t = {} for i = 1, math.huge do t[i] = lull.entity{ content = ('x'):rep(100000) .. i } end",
    "local t, s = {}, ('x'):rep(1000000) for i = 1, math.huge do t[i] = lull.error(s) end",
    "local t, s = {}, ('x'):rep(100000) for i = 1, math.huge do t[i] = lull.service('http://a.invalid/' .. s) end",
    "local t, s = {}, ('x'):rep(100000) for i = 1, math.huge do t[i] = lull.custom_request{ start = print, description = s .. i } end",
    "local t, s = {}, ('x'):rep(100000) local a = lull.service('http://a.invalid') for i = 1, math.huge do t[i] = a:resource('/' .. i):child(s) end",
    "local t, s = {}, ('x'):rep(100000) local r = lull.service('http://a.invalid'):resource('/') for i = 1, math.huge do t[i] = r:with_param('p', s .. i) end",
    "local t, s = {}, ('x'):rep(100000) for i = 1, math.huge do t[i] = lull.entity{ content = 'x', content_type = 'text/' .. s } end",
    "local t, s = {}, ('x'):rep(100000) for i = 1, math.huge do t[i] = lull.entity{ content = 'x', headers = { a = s } } end",
    "local s, a = ('x'):rep(100000), lull.service('http://a.invalid') for i = 1, math.huge do a:configure('/' .. s, { headers = { b = s } }) end",
    "local t, s = {}, ('x'):rep(10000) for i = 1, math.huge do t[i] = lull.regex(s) end",
    "local t, s = {}, ('x'):rep(100000) for i = 1, math.huge do t[i] = lull.testing.stub{ ['GET /a'] = { body = s } } end",
    "local t = {} for i = 1, 40 do t = { t, t } end lull.json.encode(t)",
    "local t = {} for i = 1, 40 do t = { t, t } end pcall(lull.json.encode, t) while true do end",
    "local t = {} while true do t[#t + 1] = lull.json.decode('[[],[],[],[],[],[],[],[]]') end",
    """
    local kept, api = {}, lull.service{
      base_url = 'http://a.invalid',
      networking = function() return { status = 200, body = '[' .. ('1,'):rep(50000) .. '1]',
        headers = { ['content-type'] = 'application/json' } } end }
    for i = 1, math.huge do kept[i] = assert(api:resource('/' .. i):load():await()) end
    """,
    """
    local kept, api = {}, lull.service{
      base_url = 'http://a.invalid',
      networking = function() return { status = 200, body = '[[' .. ('1,'):rep(50000) .. '1]]',
        headers = { ['content-type'] = 'application/json' } } end }
    local resource = api:resource('/')
    for i = 1, math.huge do
      kept[i] = assert(resource:load():await()).document[1]
      resource:wipe()
    end
    """,
    """
    local kept, api = {}, lull.service{
      base_url = 'http://a.invalid',
      networking = function() return { status = 200, body = ('x'):rep(100000) } end }
    for i = 1, math.huge do kept[i] = assert(api:resource('/' .. i):load():await()) end
    """,
    """
    local api = lull.service{
      base_url = 'http://a.invalid', networking = function(_, complete) lull.sleep(1000) end }
    local kept, body = {}, ('x'):rep(100000)
    for i = 1, math.huge do kept[i] = api:resource('/' .. i):post{ data = body } end
    """,
    "setmetatable({}, { __gc = function(t) while true do t[#t + 1] = ('x'):rep(9999) .. #t end end }) collectgarbage() while true do end",
  ]

  @Test(.measuringRelease, arguments: hungry)
  func `memory ends what needs more`(code: String) throws {
    let ending = try releasedLull("--max-memory", "16M", "-e", code)
    #expect(ending.errors.contains(Self.memory), "\(ending.errors)")
    #expect(ending.code == 1)
  }

  /// What is collectable is not needed.
  @Test(
    .measuringRelease,
    arguments: [
      "for i = 1, 3000 do local s = ('x'):rep(100000) .. i end",
      "for i = 1, 60 do local s = ('x'):rep(5000000) end",
      "for i = 1, 300000 do local t = { {}, {} } end",
      "for i = 1, 1000 do local e = lull.entity{ content = ('x'):rep(100000) .. i } end",
      "local api = lull.service('http://a.invalid') for i = 1, 30000 do local r = api:resource('/' .. i) end",
      """
      local api = lull.service{
        base_url = 'http://a.invalid',
        networking = function() return { status = 200, body = '[' .. ('1,'):rep(50000) .. '1]',
          headers = { ['content-type'] = 'application/json' } } end }
      api.cached_resource_byte_limit = 1000000
      for i = 1, 300 do assert(api:resource('/' .. i):load():await()) end
      """,
      """
      local resource = lull.service{
        base_url = 'http://a.invalid',
        networking = function() return { status = 200, body = '[' .. ('[1],'):rep(20000) .. '1]',
          headers = { ['content-type'] = 'application/json' } } end }:resource('/')
      for i = 1, 100 do
        assert(resource:load():await())
        local content, view = resource.content, resource.document[3]
      end
      """,
      "local text = '[' .. ('{},'):rep(50000) .. '1]' for i = 1, 200 do local v = lull.json.decode(text) end",
    ])
  func `memory is no matter of garbage`(code: String) throws {
    let ending = try releasedLull("--max-memory", "16M", "-e", code + " print('fine')")
    #expect(ending.errors == "")
    #expect(ending.output == "fine\n")
    #expect(ending.code == 0)
  }

  @Test func `limits leave alone what keeps to them`() throws {
    let ending = try lull(
      "--max-time", "60", "--max-instructions", "10000000", "--max-memory", "1G", "-e",
      """
      local api = lull.service(lull.demo())
      print(pcall(error, 'x'))
      print(api:resource('/users/1'):load():await().content.name)
      print(lull.map({ 1, 2 }, function(i) lull.sleep(0) return i * 2 end)[2])
      """)
    #expect(ending.output == "false\tx\nAda Lovelace\n4\n")
    #expect(ending.errors == "")
    #expect(ending.code == 0)
  }

  @Test(arguments: [
    "debug.sethook(function() end, 'l')", "debug.sethook()",
    "debug.sethook(coroutine.create(print), print, 'c')",
  ])
  func `hooks of the script are refused where instructions are counted`(code: String) throws {
    let ending = try lull("--max-instructions", "1000000", "-e", code)
    #expect(ending.errors.contains("debug.sethook is not available with --max-instructions"))
    #expect(ending.code == 1)
    #expect(try lull("-e", code).code == 0)
  }

  /// A hook of the script's own gives way to the limit.
  @Test func `hooks of the script do not replace the interruption`() throws {
    let ending = try lull(
      "--max-time", "0.2", "-e",
      """
      while true do
        pcall(function()
          debug.sethook(function() end, 'lcr', 1)
          while true do end
        end)
        debug.sethook()
      end
      """)
    #expect(ending.errors.contains(Self.time))
    #expect(ending.code == 1)
  }

  @Test(arguments: [
    ("--max-time", "0", "seconds"), ("--max-time", "-1", "seconds"), ("--max-time", "x", "'x'"),
    ("--max-time", "inf", "'inf'"), ("--max-time", "nan", "'nan'"), ("--max-time", "", "''"),
    ("--max-instructions", "0", "whole number"), ("--max-instructions", "1.5", "'1.5'"),
    ("--max-instructions", "1e6", "'1e6'"), ("--max-memory", "0", "size"),
    ("--max-memory", "1k", "at least 1M"), ("--max-memory", "64Q", "'64Q'"),
    ("--max-memory", "M", "'M'"), ("--max-memory", "-64M", "'-64M'"),
    ("--max-memory", "99999999999G", "'99999999999G'"), ("--allow-host", "http://a.b", "host"),
    ("--allow-host", "", "host"),
  ])
  func `refuses wrong values`(option: String, value: String, naming: String) throws {
    for words in [[option, value], [option + "=" + value]] {
      let ending = try Child(Binaries.lull, ["run"] + words + ["-e", "print(1)"]).wait()
      #expect(ending.errors.contains(option))
      #expect(ending.errors.contains(naming))
      #expect(ending.output == "")
      #expect(ending.code == 2)
    }
  }

  @Test func `options behind the name are the script's`() throws {
    let folder = try TemporaryFolder()
    let file = try folder.write("x.lua", "print(...)")
    let ending = try lull("--max-time", "60", file, "--max-time", "x", "--sandbox")
    #expect(ending.output == "--max-time\tx\t--sandbox\n")
    #expect(ending.code == 0)
  }

  @Test func `help lists them`() throws {
    let text = try lull("run", "--help").output
    for option in [
      "--sandbox", "--allow-host", "--max-time", "--max-instructions", "--max-memory",
      "--allow-bytecode",
    ] {
      #expect(text.contains(option))
    }
  }
}

extension String {
  /// How often the text stands in it.
  fileprivate func components(of text: String) -> Int { ranges(of: text).count }
}
