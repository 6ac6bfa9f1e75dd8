import Testing

@Suite("lull mock: parameters", .timeLimit(.minutes(20)))
struct MockParameterTests {
  /// A call for each place and style, all of which answer with what they have got.
  private static let calls = """
    path_simple = { path = "/a/{p}/x", params = { p = "string" }, mock = echo },
    path_list = { path = "/b/{p}", params = { p = "string[]" }, mock = echo },
    path_object = { path = "/c/{p}", params = { p = { type = "object", explode = true } }, mock = echo },
    path_pairs = { path = "/d/{p}", params = { p = "object" }, mock = echo },
    label_list = { path = "/e/x{p}", params = { p = { list = true, style = "label" } }, mock = echo },
    label_exploded = { path = "/f/x{p}", params = { p = { list = true, style = "label", explode = true } }, mock = echo },
    label_object = { path = "/g/x{p}", params = { p = { type = "object", style = "label", explode = true } }, mock = echo },
    matrix = { path = "/h/x{p}", params = { p = { style = "matrix" } }, mock = echo },
    matrix_list = { path = "/i/x{p}", params = { p = { list = true, style = "matrix" } }, mock = echo },
    matrix_exploded = { path = "/j/x{p}", params = { p = { list = true, style = "matrix", explode = true } }, mock = echo },
    matrix_object = { path = "/k/x{p}", params = { p = { type = "object", style = "matrix", explode = true } }, mock = echo },
    matrix_pairs = { path = "/l/x{p}", params = { p = { type = "object", style = "matrix" } }, mock = echo },
    open = { path = "/m/{p}/end", params = { p = { reserved = true } }, mock = echo },
    query = { path = "/n", params = { p = "string" }, mock = echo },
    query_list = { path = "/o", params = { p = "string[]" }, mock = echo },
    query_commas = { path = "/p", params = { p = { list = true, explode = false } }, mock = echo },
    query_object = { path = "/q?fixed=1", params = { p = "object", other = "integer" }, mock = echo },
    query_pairs = { path = "/r", params = { p = { type = "object", explode = false } }, mock = echo },
    query_spaces = { path = "/s", params = { p = { list = true, style = "spaceDelimited" } }, mock = echo },
    query_pipes = { path = "/t", params = { p = { type = "object", style = "pipeDelimited" } }, mock = echo },
    query_deep = { path = "/u", params = { p = { type = "object", style = "deepObject" }, other = "string" }, mock = echo },
    query_nested = { path = "/ub", params = { p = { type = "json", style = "deepObject" } }, mock = echo },
    query_brackets = { path = "/v", params = { p = { list = true, style = "deepObject" } }, mock = echo },
    query_json = { path = "/w", params = { p = "json" }, mock = echo },
    query_open = { path = "/x", params = { p = { reserved = true, list = true } }, mock = echo },
    header = { path = "/y", params = { p = { place = "header", name = "X-P" } }, mock = echo },
    header_list = { path = "/z", params = { p = { place = "header", name = "X-P", list = true } }, mock = echo },
    header_object = { path = "/ab", params = { p = { place = "header", name = "X-P", type = "object", explode = true } },
      mock = echo },
    header_json = { path = "/bb", params = { p = { place = "header", name = "X-P", type = "json" } }, mock = echo },
    cookie = { path = "/cb", params = { p = { place = "cookie" }, q = { place = "cookie" } }, mock = echo },
    cookie_list = { path = "/db", params = { p = { place = "cookie", list = true }, q = { place = "cookie" } }, mock = echo },
    cookie_commas = { path = "/eb", params = { p = { place = "cookie", list = true, explode = false } }, mock = echo },
    cookie_object = { path = "/fb", params = { p = { place = "cookie", type = "object" }, q = { place = "cookie" } },
      mock = echo },
    cookie_open = { path = "/gb", params = { p = { place = "cookie", reserved = true } }, mock = echo },
    json_list = { path = "/hb", method = "POST", params = { p = "string[]" }, mock = echo },
    json_object = { path = "/ib", method = "POST", params = { p = "object" }, mock = echo },
    json_json = { path = "/jb", method = "POST", params = { p = "json[]" }, mock = echo },
    json_whole = { path = "/kb", method = "POST", params = { p = { type = "json", whole = true } }, mock = echo },
    form_list = { path = "/lb", method = "POST", body = "form", params = { p = "string[]" }, mock = echo },
    deep_json = { path = "/mc", method = "POST", body = "form",
      params = { p = { type = "json", style = "deepObject" } }, mock = echo },
    form_deep = { path = "/mb", method = "POST", body = "form", params = { p = { type = "object", style = "deepObject" } },
      mock = echo },
    multipart_list = { path = "/nb", method = "POST", body = "multipart", params = { p = "string[]" }, mock = echo },
    multipart_object = { path = "/ob", method = "POST", body = "multipart", params = { p = "object" }, mock = echo },
    raw_text = { path = "/pb", method = "PUT", body = "raw", params = { p = { whole = true } }, mock = echo },
    deleted = { path = "/qb", method = "DELETE", params = { p = { type = "string[]", place = "body" } }, mock = echo },
    numbers = { path = "/rb", params = { p = "integer[]", b = "boolean[]", c = { type = { "x", "y" }, list = true } },
      mock = echo },
    """

  /// Random values that each call can say, sent and read.
  private static let script = #"""
    local lull = require "lull"
    local seed = tonumber(arg[1])
    math.randomseed(seed)
    local calls = lull.api("client").calls
    local letters = { "a", "Z", "0", "é", "日", "/", ",", ".", ";", "=", "&", "%", "+", " ", "|", "?", "#", "[", "]",
      ":", "'", '"', "\\", "{", "}", "~", "-", "_", "@", "!", "$", "(", ")", "*", "<", ">", "^", "`", "%2F" }
    local function text(without, least)
      local parts = {}
      for _ = 1, math.random(least or 0, 4) do
        local letter
        repeat letter = letters[math.random(#letters)] until not without or not letter:find(without)
        parts[#parts + 1] = letter
      end
      return table.concat(parts)
    end
    local function list(without, least)
      local elements = {}
      for place = 1, math.random(1, 4) do elements[place] = text(without, least) end
      return elements
    end
    local function object(without, least)
      local fields = {}
      for _ = 1, math.random(1, 3) do fields[text(without, 1)] = text(without, least) end
      return fields
    end
    local header = "[,= \128-\255]"
    local one = function() return text(nil, 1) .. "x" end
    -- A path segment cannot be a dot, or two.
    local words
    function words()
      local elements = list(nil, 1)
      if #elements == 1 and (elements[1] == "." or elements[1] == "..") then return words() end
      return elements
    end
    local pairs_of = function() return object() end
    local makers = {
      path_simple = one, path_list = words, path_object = pairs_of, path_pairs = pairs_of, label_list = words,
      label_exploded = words, label_object = pairs_of, matrix = text, matrix_list = words, matrix_exploded = words,
      matrix_object = pairs_of, matrix_pairs = pairs_of, open = one, query = text, query_list = list,
      query_commas = list, query_object = pairs_of, query_pairs = pairs_of,
      query_spaces = function() return list(" ") end, query_pipes = function() return object("|") end,
      query_deep = pairs_of, query_brackets = list, query_json = pairs_of, query_open = list,
      header = function() return (text("[^ -~]"):match("^ *(.-) *$")) end,
      header_list = function() return list(header, 1) end, header_object = function() return object(header, 1) end,
      header_json = list, cookie = text, cookie_list = list, cookie_commas = list, cookie_object = pairs_of,
      cookie_open = text, json_list = list, json_object = pairs_of, json_json = function() return { list(), object(), 1 } end,
      json_whole = list, form_list = list, form_deep = pairs_of, multipart_list = list, multipart_object = pairs_of,
      raw_text = one, deleted = list,
    }
    local function same(a, b)
      if type(a) ~= "table" or type(b) ~= "table" then return a == b end
      for key, value in pairs(a) do if not same(value, b[key]) then return false end end
      for key in pairs(b) do if a[key] == nil then return false end end
      return true
    end
    local names = {}
    for name in pairs(makers) do names[#names + 1] = name end
    table.sort(names)
    for _ = 1, 12 do
      for _, name in ipairs(names) do
        local params = { p = makers[name]() }
        if name:find("^cookie_") and calls[name].params[2] then params.q = "beside" end
        local response, problem = calls[name](params):await()
        local got = response and response.content
        if not got or not same(lull.json.decode(lull.json.encode(params)), got) then
          print(name, seed, lull.json.encode(params), got and lull.json.encode(got) or tostring(problem))
        end
      end
    end
    """#

  private func start() throws -> MockProcess {
    let calls = Self.calls.replacing(
      "mock = echo", with: "mock = function(request) return { json = request.params } end")
    let mock = try MockProcess(calls: calls, files: ["all.lua": Array(Self.script.utf8)])
    try mock.folder.write("apis/client.lua", MockProcess.file(calls: calls, base: mock.url))
    return mock
  }

  private func call(_ mock: MockProcess, _ words: [String]) throws -> Child.Ending {
    try Child(Binaries.lull, ["call", "client"] + words, folder: mock.folder.path).wait()
  }

  @Test func `JSN-111 integers beyond 64 bits keep their digits, as parameters and in answers`()
    throws
  {
    let large = "12345678901234567890"
    let mock = try MockProcess(
      calls: """
        one = { path = "/one", params = { n = "number" },
          mock = function(request) return { json = request.params } end },
        two = { path = "/two", method = "POST", params = { n = "integer", o = "object" },
          mock = function(request) return { json = request.params } end },
        """)
    #expect(try mock.body("/one?n=\(large)") == "{\"n\":\(large)}")
    let body = "{\"n\":\(large),\"o\":{\"id\":-\(large)}}"
    #expect(try mock.curl("/two", "-d", body).hasSuffix(body))
  }

  @Test func `PAR-13 reads what calls write, whatever the values are`() throws {
    let mock = try start()
    // The first one has names with brackets in them.
    for seed in [996_826_447, UInt32.random(in: 0...UInt32.max)] {
      let ending = try lull("all.lua", "\(seed)", folder: mock.folder.path)
      #expect(ending.output == "", "\(ending)")
      #expect(ending.errors == "")
    }
  }

  @Test func `PAR-13 PAR-14 reads what command lines write`() throws {
    let mock = try start()
    try mock.folder.write("text.csv", "a,b\n1,2\n")
    for (words, answer) in [
      (["deep_json", "--p", #""acct 1""#], #"{"p":"acct 1"}"#),
      (["deep_json", "--p", #""""#], #"{"p":""}"#),
      (["deep_json", "--p", #"[{"a":"x"},{"b":["y"]}]"#], #"{"p":[{"a":"x"},{"b":["y"]}]}"#),
      (["query_list", "--p", "a b", "--p", "c&d", "--p="], #"{"p":["a b","c&d",""]}"#),
      (
        ["query_nested", "--p", #"[{"a":["x y","z"]},{"b":{"c":"é]["}}]"#],
        #"{"p":[{"a":["x y","z"]},{"b":{"c":"é]["}}]}"#
      ),
      (
        ["query_deep", "--p", "kind=cat", "--p", "size=3=4"], #"{"p":{"kind":"cat","size":"3=4"}}"#
      ),
      (["path_list", "--p", "a/b", "--p", "c,d"], #"{"p":["a/b","c,d"]}"#),
      (
        ["numbers", "--p", "1", "--p", "-2", "--b", "true", "--b", "no", "--c", "x", "--c", "y"],
        #"{"b":[true,false],"c":["x","y"],"p":[1,-2]}"#
      ),
      (["header_object", "--p", "a=1", "--p", "b=2"], #"{"p":{"a":"1","b":"2"}}"#),
      (["json_json", "--p", #"{"a":1}"#, "--p", "2"], #"{"p":[{"a":1},2]}"#),
      (["json_object", "--p", "a=1"], #"{"p":{"a":"1"}}"#),
      (["deleted", "--p", "x"], #"{"p":["x"]}"#),
    ] {
      let ending = try call(mock, words)
      #expect(ending.output == answer + "\n", "\(words): \(ending)")
      let dry = try call(mock, words + ["--dry-run"])
      #expect(dry.code == 0)
      let curl = try call(mock, words + ["--curl"])
      #expect(try shell(curl.output.replacing("curl ", with: "curl -s ")).output == answer)
    }
    for (words, problem) in [
      (["numbers", "--p", "1", "--p", "x"], "'--p' must be a whole number, got 'x'"),
      (["numbers", "--b", "maybe"], "'--b' must be true or false, got 'maybe'"),
      (["numbers", "--c", "z"], "'--c' must be x or y, got 'z'"),
      (["query", "--p", "1", "--p", "2"], "'--p' is given twice"),
      (["query_deep", "--p", "x"], "'--p' must be NAME=VALUE, got 'x'"),
      (["query_deep", "--p", "=x"], "'--p' must be NAME=VALUE, got '=x'"),
      (["query_deep", "--p", "a=1", "--p", "a=2"], "'--p' has the field 'a' twice"),
      (["json_json", "--p", "{"], "'--p' must be JSON, got '{'"),
    ] {
      let ending = try call(mock, words)
      #expect(ending.errors.contains(problem), "\(words): \(ending)")
      #expect(ending.code == 2)
    }
  }

  @Test func `PAR-14 PAR-06 takes files by their paths`() throws {
    let mock = try MockProcess(
      calls: """
        form = { path = "/form", method = "POST", body = "multipart", params = { note = "string", files = "file[]" },
          mock = function(request) return { json = request.params } end },
        raw = { path = "/raw", method = "PUT", body = "raw", content_type = "text/x", params = {
          data = { type = "file", whole = true } },
          mock = function(request) return { json = { request.params.data, request.headers["content-type"] } } end },
        """)
    try mock.folder.write(
      "apis/client.lua",
      """
      local api = require("lull").service("\(mock.url)")
      return { service = api, calls = {
        form = { path = "/form", method = "POST", body = "multipart", params = { note = "string", files = "file[]" } },
        raw = { path = "/raw", method = "PUT", body = "raw", content_type = "text/x", params = {
          data = { type = "file", whole = true, required = true } } },
      } }
      """)
    try mock.folder.write("a.txt", "one\r\n--x\r\n")
    try mock.folder.write("b.txt", "")
    func call(_ words: String...) throws -> Child.Ending { try self.call(mock, words) }
    #expect(
      try call("form", "--note", "n", "--files", "a.txt", "--files", "b.txt").output
        == #"{"files":["one\r\n--x\r\n",""],"note":"n"}"# + "\n")
    #expect(
      try call("raw", "--data", "a.txt").output == #"["one\r\n--x\r\n","text/x"]"# + "\n")
    #expect(
      try call("raw", "--data", "none.txt").errors.contains("'--data': cannot read 'none.txt'"))
    #expect(try call("form", "--files", "/").errors.contains("'--files': cannot read '/'"))
    let dry = try call("form", "--files", "a.txt", "--dry-run")
    #expect(dry.output.contains("a.txt"), "\(dry)")
    let help = try call("raw", "--help").output
    #expect(help.contains("--data FILE"))
    #expect(help.contains("the body (required)"))
    #expect(try call("form", "--help").output.contains("(may be repeated)"))
  }
}
