-- JSON answers as Lua values (JSN, TYP).
local lull = require "lull"
local spec = ...
local describe, it, equal, same, check = spec.describe, spec.it, spec.equal, spec.same, spec.check
local contains = spec.contains
local json = spec.json

-- The content that the bytes are read as. Read as JSON, the document of the same bytes is equal.
local function content(body, content_type)
  local service = spec.fake(spec.answer(content_type or "application/json", body))
  local entity = assert(service("/a"):load():await())
  if entity.document ~= nil then
    check(lull.json.equal(entity.content, entity.document), "the document is not what content is")
    check(lull.json.equal(entity.document, entity.content), "content is not what the document is")
  end
  return entity.content
end

local function refuses(body)
  local service = spec.fake(json(body))
  local resource = service("/a")
  local entity, err = resource:load():await()
  if entity then spec.fail("expected a failure, got " .. spec.show(entity.content)) end
  equal(err.user_message, "Cannot parse server response")
  equal(err.cause.kind, "malformed_json")
  equal(err.http_status, 200, "TRF-16")
  equal(err.content, body, "TRF-16: the raw body")
  equal(err.document, nil)
  equal(resource.latest_data, nil)
  equal(resource.document, nil)
  return err
end

describe("JSON", function()
  it("JSN-01 TRF-26 TRF-32 TRF-34 is parsed by its type", function()
    for _, kind in ipairs {
      "application/json", "application/foo+json", "text/json", "APPLICATION/JSON",
      "application/json; charset=utf-8", "application/json ; charset=nonsense",
      "application/problem+json", "x/json",
    } do
      same(content("[1]", kind), { 1 }, kind)
    end
  end)

  it("JSN-02 TRF-31 is not parsed when it says it is something else", function()
    equal(content("[1]", "text/plain"), "[1]")
    equal(content("[1]", "application/octet-stream"), "[1]")
    equal(content("[1]", "application/jsonx"), "[1]")
    equal(spec.fake({ status = 200, body = "[1]" })("/a"):load():await().content, "[1]")
  end)

  it("JSN-03 that is malformed is a failure", function()
    for _, body in ipairs {
      "{", "[1,]", "{'a':1}", "[1 2]", "nul", '{"a":}', "[1]]", "// x\n1", "\"a", "[01]", "[+1]",
      "[.5]", "[1.]", "NaN", "[Infinity]", "{\"a\" 1}", "\r\n",
    } do
      refuses(body)
    end
  end)

  it("JSN-04 may be an atom at the top", function()
    equal(content("17"), 17)
    equal(content("true"), true)
    equal(content("false"), false)
    equal(content('"x"'), "x")
    equal(content(" 1.5 "), 1.5)
    local resource = spec.fake(json "17")("/a")
    resource:load():await()
    same(resource.json_dict, {})
    same(resource.json_array, {})
  end)

  it("JSN-17 null is lull.null, at the top and inside", function()
    equal(content("null"), lull.null)
    local value = content('{"a":null,"b":[null,1]}')
    equal(value.a, lull.null)
    equal(value.b[1], lull.null)
    equal(#value.b, 2)
    local resource = spec.fake(json "null")("/a")
    resource:load():await()
    check(resource.latest_data, "a top-level null is data")
    equal(resource.content, lull.null)
  end)

  it("keeps the difference between [] and {} when it is encoded again", function()
    local value = content('{"list":[],"object":{}}')
    equal(lull.json.encode(value.list), "[]")
    equal(lull.json.encode(value.object), "{}")
  end)

  it("JSN-12 integers of 64 bits stay integers, larger ones keep their digits, others are floats", function()
    local value = content(
      "[0,-1,9223372036854775807,-9223372036854775808,9007199254740993,9223372036854775808,"
        .. "18446744073709551615,123456789012345678901234567890,1.0,1e2,-0]")
    equal(value[3], math.maxinteger)
    equal(value[4], math.mininteger)
    equal(value[5], 9007199254740993)
    equal(tostring(value[6]), "9223372036854775808")
    equal(tostring(value[7]), "18446744073709551615")
    equal(tostring(value[8]), "123456789012345678901234567890")
    equal(value[9], 1.0)
    equal(value[10], 100.0)
    equal(content("[1e-400]")[1], 0.0)
  end)

  it("JSN-13 the last of duplicate keys wins", function()
    equal(content(('{"a":1,%s"a":3}'):format(('"b":2,'):rep(100))).a, 3)
    local resource = spec.fake(json '{"a":1,"b":2,"a":3}')("/a")
    resource:load():await()
    equal(resource.content.a, 3)
    equal(resource.json_dict.a, 3)
    equal(content('{"a":{"x":1},"a":2}').a, 2)
  end)

  it("JSN-14 of 1,000 levels is parsed, of more is malformed", function()
    local value = content(("["):rep(1000) .. ("]"):rep(1000))
    local depth = 0
    while value do
      depth = depth + 1
      value = value[1]
    end
    equal(depth, 1000)
    refuses(("["):rep(1001) .. ("]"):rep(1001))
    refuses(("["):rep(100000))
    refuses(('{"a":'):rep(1001) .. "1" .. ("}"):rep(1001))
  end)

  it("JSN-11 with invalid UTF-8, lone surrogates or control characters is malformed", function()
    for _, body in ipairs {
      '"\255"', '"\xC0\x80"', '"\xED\xA0\x80"', '"\xF5\x80\x80\x80"', [["\ud800"]], [["\udc00x"]],
      [["\ud800\u0041"]], '"\1"', '"a\nb"', '"\t"', '{"\255":1}', '"\xE2\x82"',
    } do
      refuses(body)
    end
    equal(content([["\ud83d\ude00"]]), "😀")
    equal(content('"\127"'), "\127")
  end)

  it("JSN-15 begins after a BOM", function()
    same(content("\xEF\xBB\xBF[1]"), { 1 })
    same(content("\xFE\xFF\0[\0001\0]"), { 1 })
    same(content("\xFF\xFE[\0001\0]\0"), { 1 })
  end)

  it("JSN-15 in UTF-16 or UTF-32 is known by its zero bytes", function()
    same(content("\0[\0001\0]"), { 1 })
    same(content("[\0001\0]\0"), { 1 })
    same(content("\0\0\0[\0\0\0001\0\0\0]"), { 1 })
    same(content("[\0\0\0001\0\0\0]\0\0\0"), { 1 })
    equal(content("\xFF\xFE\"\0\xE9\0\"\0"), "é")
  end)

  it("JSN-16 keeps \\u0000", function()
    equal(content([["a\u0000b"]]), "a\0b")
    equal(content([[{"a\u0000b":1}]])["a\0b"], 1)
  end)

  it("JSN-09 ignores a charset parameter", function()
    equal(content('"é"', "application/json; charset=iso-8859-1"), "é")
  end)

  it("JSN-10 an empty body is malformed", function()
    refuses ""
    local _, err = spec.demo()("/empty"):load():await()
    equal(err.cause.kind, "malformed_json")
    _, err = spec.demo()("/malformed"):load():await()
    equal(err.cause.kind, "malformed_json")
  end)

  it("JSN-10 an empty 200, 201 or 202 to another method is a success without content", function()
    for _, method in ipairs { "POST", "PUT", "PATCH", "DELETE", "REPORT" } do
      for _, status in ipairs { 200, 201, 202, 204 } do
        local service = spec.fake(json("", nil, status))
        local entity = assert(service("/a"):request(method):await())
        equal(entity.content, "")
        equal(entity.http_status, status)
      end
    end
    local function fails(method, status, body)
      local _, err = spec.fake(json(body or "", nil, status))("/a"):request(method):await()
      equal(err.cause.kind, "malformed_json")
    end
    fails("GET", 200)
    fails("POST", 203)
    fails("POST", 200, " ")
    equal(assert(spec.fake(json "")("/a"):head():await()).content, "")
    local lines = spec.fake(spec.answer("application/x-ndjson", ""))
    equal(#assert(lines("/a"):post():await()).content, 0)
    local user = spec.fake(json("", nil, 201))("/a")
    equal(assert(user:load_using(user:post()):await()).content, "")
  end)

  it("of 20,000 items is parsed, and built once", function()
    local resource = spec.demo()("/large")
    local entity = assert(resource:load():await())
    equal(#entity.content, 20000)
    check(rawequal(entity.content, resource.content))
    check(rawequal(resource.content, resource.json_array))
    check(rawequal(resource.latest_data.content, resource.content))
    local other
    resource:observe(function(r) other = r.content end)
    check(rawequal(other, resource.content))
  end, { seconds = 20 })

  it("that is compressed is read", function()
    check(next(assert(spec.demo()("/gzip"):load():await()).json_dict))
  end)

  it("JSN-18 tells where it is malformed", function()
    local err = refuses '{"a":1,}'
    equal(err.cause.byte, 8)
    equal(err.cause.message, "expected a key in double quotes (at byte 8)")
    equal(refuses("").cause.byte, 1)
    equal(refuses(" [1, 2").cause.byte, 7)
    -- In bytes of the body, of a large one too, which another thread parses.
    equal(refuses('["\u{e9}", x]').cause.byte, 8)
    equal(refuses("[" .. ("1,"):rep(100000) .. "]").cause.byte, 200002)
    -- Numbers beyond floats do not hide it.
    equal(refuses("[1e999,]").cause.byte, 8)
  end)

  it("JSN-19 prints as what it holds", function()
    local body = '{"name":"Ada","tags":["x",1],"deep":{"list":[],"none":null,"of":{}}}'
    local shown = '{ deep = { list = [], none = null, of = {} }, name = "Ada", tags = { "x", 1 } }'
    local value = content(body)
    for _, made in ipairs { value, lull.json.decode(body), lull.copy(value) } do
      equal(tostring(made), lull.inspect(made))
      equal(("%s"):format(made.tags), '{ "x", 1 }')
      equal(tostring(made.deep.of), "{}")
      equal(tostring(made.deep.list), "[]")
      equal((tostring(made):gsub("%s+", " ")), (shown:gsub("null", lull.inspect(lull.null), 1)))
    end
    local result = spec.script(([==[
      local lull = require "lull"
      print(lull.json.decode(%q))
      print(lull.json.decode("[1, [2]]"), lull.array {}, {} ~= nil)
    ]==]):format('{"a":[1]}'))
    equal(result.out, "{ a = { 1 } }\n{ 1, { 2 } }\t[]\ttrue\n")
  end)

  it("JSN-19 is a table like others but for how it prints", function()
    local value = content '{"a":{"b":[1]}}'
    same(value, { a = { b = { 1 } } })
    equal(lull.json.encode(value), '{"a":{"b":[1]}}')
    equal(lull.json.equal(value, { a = { b = { 1 } } }), true)
    value.self = value
    equal(value.nothing, nil)
    contains(tostring(value), "<cycle>")
    value.self = nil
    -- What the script gives it comes first, and is nobody else's.
    local own = { __tostring = function() return "mine" end, __len = function() return 7 end }
    local copy = setmetatable(lull.copy(value), own)
    equal(tostring(copy), "mine")
    equal(#copy, 7)
    equal(lull.inspect(copy), "mine")
    equal(lull.inspect(value), '{ a = { b = { 1 } } }')
    equal(lull.inspect { value }, '{ { a = { b = { 1 } } } }')
    equal(tostring(setmetatable(lull.copy(value), nil)):match("^table: ") ~= nil, true)
    contains(select(2, pcall(function() return "x" .. value end)), "attempt to concatenate")
  end)
end)

describe("accessors", function()
  local function loaded(body, kind)
    local resource = spec.fake(spec.answer(kind or "application/json", body))("/a")
    resource:load():await()
    return resource
  end

  it("TYP-01 TYP-02 TYP-03 give what is there, else an empty value", function()
    local empty = spec.fake {}("/a")
    equal(empty.text, "")
    same(empty.json_dict, {})
    same(empty.json_array, {})
    equal(empty.content, nil)
    local text = loaded("hello", "text/plain")
    equal(text.text, "hello")
    same(text.json_dict, {})
    local dict = loaded '{"a":1}'
    equal(dict.text, "")
    equal(dict.json_dict.a, 1)
    same(dict.json_array, {})
    local list = loaded "[1]"
    same(list.json_dict, {})
    same(list.json_array, { 1 })
    equal(loaded("hello", "x/y").text, "", "bytes are no text")
  end)

  it("TYP-04 to TYP-09 typed_content minds the type of its default", function()
    local dict = loaded '{"a":1}'
    equal(dict:typed_content({}).a, 1)
    equal(dict:typed_content("none"), "none")
    equal(dict:typed_content().a, 1)
    local empty = spec.fake {}("/a")
    equal(empty:typed_content(), nil)
    equal(empty:typed_content(7), 7)
    equal(loaded("17"):typed_content(0), 17)
    equal(loaded("17"):typed_content("x"), "x")
    equal(loaded("hello", "text/plain"):typed_content(""), "hello")
  end)

  it("TYP-10 are on entities and errors too", function()
    local entity = spec.fake(json '{"a":1}')("/a"):load():await()
    equal(entity.json_dict.a, 1)
    same(entity.json_array, {})
    equal(entity.text, "")
    equal(entity:typed_content({}).a, 1)
    local _, err = spec.fake(json('{"a":1}', nil, 500))("/a"):load():await()
    equal(err:typed_content({}).a, 1)
    equal(err:typed_content("x"), "x")
  end)
end)

describe("an entity", function()
  it("ENT-02 to ENT-10 has type, charset, etag and headers", function()
    local service = spec.fake {
      status = 200, body = "x",
      headers = { ["Content-Type"] = "text/monkey; charset=utf-8; x=y", ["eTaG"] = '"1"',
        ["X-Many"] = { "a", "b" }, ["Set-Cookie"] = { "a=1", "b=2" } },
    }
    local entity = assert(service("/a"):load():await())
    equal(entity.content_type, "text/monkey; charset=utf-8; x=y")
    equal(entity.charset, "utf-8")
    equal(entity.etag, '"1"')
    equal(entity:header("x-many"), "a, b")
    equal(entity:header("X-Man"), nil)
    equal(entity:header("Set-Cookie"), "a=1")
    same(entity.headers["set-cookie"], { "a=1", "b=2" })
    local names = {}
    for name in pairs(entity.headers) do names[#names + 1] = name end
    table.sort(names)
    same(names, { "content-type", "etag", "set-cookie", "x-many" })
  end)

  it("ENT-10 has the repeated headers of the sample API", function()
    local resource = spec.demo()("/headers"):with_param("X-Foo", "bar")
    equal(assert(resource:load():await()):header("x-foo"), "bar")
  end)

  it("of a resource is read-only", function()
    local entity = spec.fake(json "1")("/a"):load():await()
    spec.raises("read-only", function() entity.content = 2 end)
    spec.raises("read-only", function() entity.timestamp = 2 end)
    spec.raises("read-only", function() entity.headers["X-Foo"] = "bar" end)
    spec.raises("read-only", function() entity:touch() end)
    spec.raises("content_type", function() entity.content_type = "x/y" end)
  end)

  it("ENT-09 ENT-11 ENT-12 of your own has what you give", function()
    local before = lull.now()
    local entity = lull.entity {
      content = "x", content_type = "x/y", headers = { ["Content-Type"] = "z/z", ["X-Foo"] = "bar" },
    }
    equal(entity.content_type, "x/y")
    equal(entity:header("x-foo"), "bar")
    check(entity.timestamp >= before)
    equal(entity.http_status, nil)
    entity.content = { 1 }
    entity.headers["X-Foo"] = nil
    entity.timestamp = 17
    same(entity.content, { 1 })
    equal(entity:header("x-foo"), nil)
    equal(entity.timestamp, 17.0)
    check(entity:touch().timestamp >= before, "ENT-13")
    entity.headers = { A = "b" }
    equal(entity:header("a"), "b")
    equal(lull.entity({}).content_type, "application/octet-stream")
  end)

  it("lull.copy makes one of your own of it", function()
    local resource = spec.fake(json('{"a":[1]}', { ETag = '"x"' }))("/a")
    local entity = resource:load():await()
    local copy = lull.copy(entity)
    equal(copy.etag, '"x"')
    equal(copy.timestamp, entity.timestamp)
    copy.content = { edited = true }
    equal(resource.content.a[1], 1)
    resource:override_local_data(copy)
    equal(resource.content.edited, true)
  end)

  it("content is copied with lull.copy and published with override_local_content", function()
    local resource = spec.fake(json '{"a":[1],"e":[]}')("/a")
    resource:load():await()
    local copy = lull.copy(resource.content)
    copy.a[2] = 2
    equal(#resource.content.a, 1)
    equal(lull.json.encode(copy.e), "[]")
    resource:override_local_content(copy)
    equal(#resource.content.a, 2)
  end)
end)
