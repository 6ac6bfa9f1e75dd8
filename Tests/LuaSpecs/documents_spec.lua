-- Documents: the same JSON as content, as a read-only view that builds nothing (lua-api.md, Values).
local lull = require "lull"
local spec = ...
local describe, it, equal, same = spec.describe, spec.it, spec.equal, spec.same
local contains, json = spec.contains, spec.json

-- The document of a JSON text, as a response brings it.
local function document(text) return assert(spec.fake(json(text))("/a"):load():await()).document end

local function keys(value)
  local list = {}
  for key in pairs(value) do list[#list + 1] = key end
  return list
end

describe("a document", function()
  it("is indexed by keys and by positions from 1", function()
    local doc = document '{"items": [{"name": "a"}, {"name": "b"}], "n": 1, "x": 1.5, "t": true, "f": false, "0": "z"}'
    equal(doc.items[2].name, "b")
    equal(doc.items[2.0].name, "b")
    equal(math.type(doc.n), "integer")
    equal(math.type(doc.x), "float")
    equal(doc.t, true)
    equal(doc.f, false)
    equal(doc["0"], "z")
    for _, key in ipairs { "nothing", 1, 0, -1, 1.5, true, lull.null, {} } do equal(doc[key], nil) end
    for _, key in ipairs { "1", 0, 3, -1, math.maxinteger, math.mininteger, 1.5, 1e300 } do
      equal(doc.items[key], nil)
    end
  end)

  it("JSN-17 gives null as lull.null", function()
    local doc = document '{"a": null, "b": [null]}'
    equal(doc.a, lull.null)
    equal(doc.b[1], lull.null)
  end)

  it("JSN-13 takes the last of repeated keys, at the place of the first", function()
    local doc = document '{"a": 1, "b": 2, "a": 3}'
    equal(doc.a, 3)
    same(keys(doc), { "a", "b" })
    equal(lull.json.encode(doc), '{"a":3,"b":2}')
  end)

  it("keeps the order of keys, and walks arrays in theirs", function()
    same(keys(document '{"z": 1, "a": 2, "m": {"y": 1, "b": 2}}'), { "z", "a", "m" })
    local list = document "[10, [20], null]"
    local seen = {}
    for position, value in pairs(list) do seen[position] = value end
    equal(seen[1], 10)
    equal(seen[2][1], 20)
    equal(seen[3], lull.null)
    local count = 0
    for position, value in ipairs(list) do
      count = count + 1
      equal(lull.json.equal(value, list[position]), true)
    end
    equal(count, 3)
    equal(#list, 3)
    equal(#document "{}", 0)
    equal(next(keys(document "[]")), nil)
  end)

  it("works with table.unpack and table.concat", function()
    local list = document '["a", "b", 3]'
    same({ table.unpack(list) }, { "a", "b", 3 })
    equal(table.concat(list, "-"), "a-b-3")
  end)

  it("is read-only, at every level", function()
    local doc = document '{"a": [1]}'
    for _, change in ipairs {
      function() doc.a = 1 end, function() doc.new = 1 end, function() doc.a[1] = 2 end,
      function() table.insert(doc.a, 2) end,
    } do
      local ok, message = pcall(change)
      equal(ok, false)
      contains(message, "a document is read-only")
    end
    equal(pcall(setmetatable, doc, {}), false)
    equal(getmetatable(doc), false)
    equal(doc.a[1], 1)
  end)

  it("goes straight back through lull.json.encode, also inside tables and bodies", function()
    local text = '{"z":[1,2.5,"é\\n",null,true,[],{}],"a":{"b":-0.0}}'
    local doc = document(text)
    equal(lull.json.encode(doc), text)
    equal(lull.json.encode { doc.z, doc.a }, '[[1,2.5,"é\\n",null,true,[],{}],{"b":-0.0}]')
    equal(lull.json.encode(document '{"a":[1]}', { pretty = true }), '{\n  "a": [\n    1\n  ]\n}')
    local sent
    spec.fake(function(request) sent = request.body return { status = 204 } end)("/a")
      :post({ json = doc.a }):await()
    equal(sent, '{"b":-0.0}')
  end)

  it("is copied into plain tables", function()
    local doc = document '{"a": [1, {"b": null}], "e": []}'
    local copy = lull.copy(doc)
    same(copy, { a = { 1, { b = lull.null } }, e = {} })
    copy.a[1] = 2
    equal(doc.a[1], 1)
    equal(lull.json.encode(copy.e), "[]")
    same(lull.copy { inner = doc.a }, { inner = { 1, { b = lull.null } } })
  end)

  it("has a readable tostring", function()
    equal(tostring(document '{"a": 1}'), "Document(1 member)")
    equal(tostring(document "[1, 2]"), "Document(2 elements)")
  end)

  it("is the same object for everybody who asks for that of one entity", function()
    local resource = spec.fake(json '{"a": {"b": 1}}')("/a")
    local entity = assert(resource:load():await())
    equal(rawequal(resource.document, entity.document), true)
    equal(resource.document, entity.document)
    equal(resource.document.a, entity.document.a)
  end)

  it("is the plain value where the JSON is neither array nor object, and nil for other content", function()
    equal(document "17", 17)
    equal(document "null", lull.null)
    equal(document '"x"', "x")
    local resource = spec.fake { status = 200, headers = { ["Content-Type"] = "text/plain" }, body = "{}" }("/a")
    equal(resource.document, nil)
    equal(assert(resource:load():await()).document, nil)
    resource:override_local_content { a = 1 }
    equal(resource.document, nil)
  end)

  it("belongs to errors too", function()
    local _, err = spec.fake(json('{"problem": ["no"]}', nil, 404))("/a"):load():await()
    equal(err.document.problem[1], "no")
    local _, other = spec.fake { status = 500 }("/a"):load():await()
    equal(other.document, nil)
  end)

  it("lives as long as a view of any part of it", function()
    local resource = spec.fake(json '{"a": {"b": [1, 2, {"c": "deep"}]}}')("/a")
    local part = assert(resource:load():await()).document.a.b
    resource:wipe()
    resource = nil -- luacheck: ignore
    for _ = 1, 3 do spec.collect() end
    equal(part[3].c, "deep")
    local iterate, state, first = pairs(part)
    part = nil -- luacheck: ignore
    spec.collect()
    equal(select(2, iterate(state, first)), 1)
  end)

  it("of content and document of the same bytes are equal", function()
    for _, text in ipairs {
      "{}", "[]", '{"a": [1, 2.5, "x", null, true, {"b": []}]}', "[[[[1]]]]", '{"": {"": ""}}',
      '{"a": 1, "a": {"b": 2}}', "[9223372036854775807, -9223372036854775808, 1e300]",
    } do
      local entity = assert(spec.fake(json(text))("/a"):load():await())
      equal(lull.json.equal(entity.content, entity.document), true, text)
      equal(lull.json.equal(entity.document, entity.content), true, text)
    end
  end)
end)

describe("comparing documents", function()
  it("goes by content, in any order of members", function()
    equal(document '{"a": 1, "b": [1.0]}' == document '{"b": [1], "a": 1}', true)
    for _, other in ipairs {
      "{}", '{"a": 1}', '{"a": 1, "b": [2]}', '{"a": 1, "b": {"1": 1}}', '{"a": 1, "b": [1], "c": 1}',
      '{"a": "1", "b": [1]}', '{"a": null, "b": [1]}',
    } do
      equal(document '{"a": 1, "b": [1.0]}' == document(other), false, other)
    end
    equal(document "[]" == document "{}", false)
  end)

  it("with a table is lull.json.equal", function()
    local doc = document '{"a": [1, {"b": null}], "e": [], "o": {}}'
    equal(doc == { a = 1 }, false)
    equal(lull.json.equal(doc, { a = { 1, { b = lull.null } }, e = {}, o = {} }), true)
    equal(lull.json.equal({ a = { 1, { b = lull.null } }, e = {}, o = {} }, doc), true)
    equal(lull.json.equal(doc, { a = { 1, { b = lull.null } }, e = {} }), false)
    equal(lull.json.equal({ doc.a, x = 1 }, { doc.a, x = 1 }), true)
    equal(lull.json.equal({ parts = { doc.a } }, { parts = { { 1, doc.a[2] } } }), true)
    equal(lull.json.equal({ 1, 2 }, { 1, 2.0 }), true)
    equal(lull.json.equal({ 1, 2 }, { 1, "2" }), false)
    equal(lull.json.equal("x", "x"), true)
    equal(lull.json.equal(lull.null, nil), false)
    equal(lull.json.equal(lull.array {}, {}), true)
    equal(lull.json.equal(lull.array {}, document "{}"), false)
  end)

  it("of tables in a cycle is an error", function()
    local one, other = {}, {}
    one.next, other.next = one, other
    local ok, message = pcall(lull.json.equal, one, other)
    equal(ok, false)
    contains(message, "nest too deeply, or in a cycle")
    contains(select(2, pcall(lull.json.equal, 1)), "value expected")
  end)
end)

describe("lull.json.at", function()
  local text = '{"foo": ["bar", "baz"], "": 0, "a/b": 1, "m~n": 8, "~1": 9, "list": [[{"x": null}]], "01": 2}'

  it("follows a JSON Pointer in documents and tables", function()
    local doc = document(text)
    for _, value in ipairs { doc, lull.copy(doc) } do
      equal(lull.json.equal(lull.json.at(value, ""), value), true)
      equal(lull.json.at(value, "/foo/0"), "bar")
      equal(lull.json.at(value, "/foo/1"), "baz")
      equal(lull.json.at(value, "/"), 0)
      equal(lull.json.at(value, "/a~1b"), 1)
      equal(lull.json.at(value, "/m~0n"), 8)
      equal(lull.json.at(value, "/~01"), 9)
      equal(lull.json.at(value, "/01"), 2)
      equal(lull.json.at(value, "/list/0/0/x"), lull.null)
      equal(lull.json.equal(lull.json.at(value, "/list/0"), { { x = lull.null } }), true)
      for _, nowhere in ipairs { "/nothing", "/foo/2", "/foo/-", "/foo/00", "/foo/-1", "/foo/0/x", "//", "/foo/1.0" } do
        equal(lull.json.at(value, nowhere), nil, nowhere)
      end
    end
  end)

  it("goes on through a document inside a table", function()
    equal(lull.json.at({ part = document(text).list }, "/part/0/0/x"), lull.null)
  end)

  it("refuses what is no pointer", function()
    contains(select(2, pcall(lull.json.at, {}, "foo")), "a JSON Pointer is empty or begins with '/'")
    contains(select(2, pcall(lull.json.at, {}, "/a~2")), "'~' is followed by 0 or 1")
    contains(select(2, pcall(lull.json.at, {}, "/a~")), "'~' is followed by 0 or 1")
    contains(select(2, pcall(lull.json.at, 1, "/a")), "Document or table expected")
    contains(select(2, pcall(lull.json.at, {})), "string expected")
  end)
end)

describe("LULL_STRICT=1", function()
  local function strictly(lines)
    return spec.script([[
      local lull = require "lull"
      local service = lull.service { base_url = "http://x.test", networking = function()
        return { status = 200, headers = { ["Content-Type"] = "application/json" },
          body = '{"items": [{"name": "a"}], "a/b": {}, "n": 1, "e": []}' }
      end }
      local user = service("/users/7")
      user:load():await()
    ]] .. lines, { env = "LULL_STRICT=1" })
  end

  it("reports a change of shared content with URL and JSON Pointer, when it is handed out again", function()
    for lines, pointer in pairs {
      ["user.content.items[1].name = 'b'"] = "/items/0/name",
      ["user.content.items[2] = 1"] = "/items/2",
      ["user.content.new = 1"] = "/new",
      ["user.content['a/b'].x = 1"] = "/a~1b/x",
      ["user.content.n = nil"] = "/n",
      ["user.content.e[1] = 1"] = "/e/1",
    } do
      local result = strictly(lines .. " local _ = user.content io.stderr:write('after')")
      contains(result.err, "the shared content of http://x.test/users/7 was changed at " .. pointer .. ":")
      contains(result.err, "after")
      equal(result.err:find("changed", 1, true) < result.err:find("after", 1, true), true)
      equal(select(2, result.err:gsub("was changed", "")), 1)
    end
  end)

  it("reports it at the end, of content that nobody has asked for again", function()
    local result = strictly "keep = user.content keep.n = 2"
    contains(result.err, "the shared content of http://x.test/users/7 was changed at /n:")
  end)

  it("says nothing where nothing was changed, or a copy was", function()
    local result = strictly [[
      local copy = lull.copy(user.content)
      copy.n = 2
      user:override_local_content(copy)
      copy.n = 3
      print(user.content.n)
    ]]
    equal(result.err, "")
    equal(result.out, "3\n")
    equal(result.code, 0)
  end)
end)
