-- Documents: the same JSON as content, as a read-only view that builds nothing.
local lull = require "lull"
local spec = ...
local describe, it, equal, same, check = spec.describe, spec.it, spec.equal, spec.same, spec.check
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
    -- With so many members that there is an index of them.
    local members = {}
    for i = 1, 40 do members[i] = ('"k%d": %d'):format((i - 1) % 20 + 1, i) end
    doc = document("{" .. table.concat(members, ",") .. "}")
    local count = 0
    for key, value in pairs(doc) do
      count = count + 1
      equal(key, "k" .. count)
      equal(value, count + 20)
      equal(doc[key], value)
    end
    equal(count, 20)
  end)

  it("JSN-12 gives integers of 64 bits as such, larger ones by their digits, other numbers as floats", function()
    local doc = document(
      "[9223372036854775807, -9223372036854775808, 9007199254740993, -0, 9223372036854775808,"
        .. "18446744073709551616, 1.0, 1e2, -0.0, 1e-400]")
    equal(tostring(doc[5]), "9223372036854775808")
    equal(tostring(doc[6]), "18446744073709551616")
    check(rawequal(doc[5], doc[5]), "one value for the same digits")
    same({ table.unpack(doc) }, {
      math.maxinteger, math.mininteger, 9007199254740993, 0, doc[5], doc[6], 1.0, 100.0, -0.0, 0.0,
    })
    equal(1 / doc[9], -math.huge)
  end)

  it("JSN-14 reaches a thousand levels down", function()
    local doc, depth = document(('{"a":['):rep(499) .. '{"a":"deep"}' .. ("]}"):rep(499)), 0
    while type(doc) == "userdata" do
      doc = doc.a or doc[1]
      depth = depth + 1
    end
    equal(depth, 999)
    equal(doc, "deep")
    doc = document(("["):rep(1000) .. ("]"):rep(1000))
    equal(doc == document(("["):rep(1000) .. ("]"):rep(1000)), true)
    equal(lull.json.equal(lull.copy(doc), doc), true)
    equal(#lull.json.encode(doc), 2000)
    contains(select(2, pcall(lull.json.encode, { doc })), "nest too deeply")
  end)

  it("JSN-15 of UTF-16 and UTF-32 is text in UTF-8", function()
    equal(document "\xFF\xFE{\0\"\0\xE9\0\"\0:\0001\0}\0"["é"], 1)
    equal(document "[\0\0\0\"\0\0\0\0\xF6\1\0\"\0\0\0]\0\0\0"[1], "\u{1F600}")
    equal(document "\xEF\xBB\xBF[1]"[1], 1)
  end)

  it("JSN-16 keeps U+0000 in keys and strings", function()
    local doc = document [[{"a\u0000b": "\u0000", "a": 1}]]
    equal(doc["a\0b"], "\0")
    equal(doc.a, 1)
    same(keys(doc), { "a\0b", "a" })
    equal(lull.json.encode(doc), [[{"a\u0000b":"\u0000","a":1}]])
  end)

  it("JSN-11 does not exist of what is no JSON", function()
    for _, body in ipairs { '["\xFF"]', [["\ud800"]], '"\1"', "[1,]", ("["):rep(1001) .. ("]"):rep(1001), "[1e9x]" } do
      local resource = spec.fake(json(body))("/a")
      local _, err = resource:load():await()
      equal(err.cause.kind, "malformed_json", body)
      equal(err.document, nil)
      equal(resource.document, nil)
    end
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
    equal(document "[]" == lull.null, false)
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
    for _, more in ipairs { { 1, 2, x = 3 }, { 1, 2, [5] = 5 }, lull.array { 1, 2, x = 3 } } do
      equal(lull.json.equal(document "[1, 2]", more), false)
      equal(lull.json.equal(more, document "[1, 2]"), false)
      equal(lull.json.equal({ 1, 2 }, more), false)
    end
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

describe("a large document", function()
  -- Of 30,000 elements, a bit more than 2 MB.
  local elements = {}
  for i = 1, 30000 do
    elements[i] = ('{"id":%d,"name":"name %d","tags":["a","b"],"place":{"lat":%d.5}}'):format(i, i, i)
  end
  local text = "[" .. table.concat(elements, ",") .. "]"
  elements = nil -- luacheck: ignore

  -- Calls `fn`, and says how often the collector has gone through everything meanwhile.
  local function cycles(fn)
    local count = 0
    local function arm()
      setmetatable({}, { __gc = function()
        count = count + 1
        if arm then arm() end
      end })
    end
    collectgarbage()
    arm()
    fn()
    local counted = count
    arm = nil
    return counted
  end

  -- In Lua's two modes of collection.
  local function in_both_modes(fn)
    for _, mode in ipairs { "generational", "incremental" } do
      local before = collectgarbage(mode)
      local ok, err = pcall(fn, mode)
      collectgarbage(before)
      if not ok then error(err, 0) end
    end
  end

  it("is built without the collector running over and over what is being built", function()
    local resource = spec.fake(json(text))("/a")
    assert(resource:load():await())
    -- One cycle follows on the other as fast as memory is asked for.
    collectgarbage("incremental", 100, 100)
    local value
    local counts = {
      content = cycles(function() value = resource.content end),
      decoded = cycles(function() value = lull.json.decode(text) end),
      copied = cycles(function() value = lull.copy(resource.document) end),
    }
    collectgarbage("incremental", 200, 100)
    equal(value[30000].place.lat, 30000.5)
    for what, count in pairs(counts) do
      check(count <= 2, ("%d cycles while it was %s"):format(count, what))
    end
  end, { seconds = 30 })

  it("that is built and dropped again and again is collected", function()
    in_both_modes(function(mode)
      collectgarbage()
      local before = collectgarbage "count"
      local value = lull.json.decode(text)
      local one = collectgarbage "count" - before
      local most = 0
      for _ = 1, 12 do
        value = lull.json.decode(text)
        most = math.max(most, collectgarbage "count" - before)
      end
      equal(#value, 30000)
      check(most < 6 * one, ("%.0f KB for one of %.0f KB, %s"):format(most, one, mode))
    end)
  end, { seconds = 30 })

  it("leaves a collector that the script has stopped as it is", function()
    local value
    collectgarbage "stop"
    local ok, count = pcall(cycles, function()
      collectgarbage "stop"
      value = lull.json.decode(text)
    end)
    local is_running = collectgarbage "isrunning"
    collectgarbage "restart"
    equal(ok, true)
    equal(#value, 30000)
    equal(count, 0)
    equal(is_running, false)
  end, { seconds = 30 })

  it("that nobody looks into builds no table, and a document builds none", function()
    local resource = spec.fake(json(text))("/a")
    collectgarbage()
    collectgarbage "stop"
    local before = collectgarbage "count"
    assert(resource:load():await())
    equal(resource.document[30000].place.lat, 30000.5)
    equal(#resource.document, 30000)
    local used = collectgarbage "count" - before
    collectgarbage "restart"
    check(used < 200, used .. " KB")
  end, { seconds = 30 })

  it("shares the strings that come again", function()
    local value = lull.json.decode(text)
    for i = 1, 30000, 1000 do
      same(value[i], { id = i, name = "name " .. i, tags = { "a", "b" }, place = { lat = i + 0.5 } })
    end
  end, { seconds = 30 })

  it("is equal as content and as document, and goes back as it came", function()
    local entity = assert(spec.fake(json(text))("/a"):load():await())
    equal(lull.json.equal(entity.content, entity.document), true)
    equal(lull.json.encode(entity.document), text)
  end, { seconds = 30 })
end)

describe("parsing a large body", function()
  local text = '["' .. ("x"):rep(1000) .. '"' .. (',{"a":[1,2,{"b":null}]}'):rep(200000) .. "]"
  local seconds = { seconds = 60 }

  -- A service that answers with it, and the function that says whether it has.
  local function service()
    local has_answered = false
    return spec.fake(function()
      has_answered = true
      return json(text)
    end), function() return has_answered end
  end

  it("PIPE-16 goes on elsewhere while the loop keeps turning", function()
    local api, has_answered = service()
    -- What is parsed here lets no turn happen; elsewhere there are few only by mischance.
    local most = 0
    for _ = 1, 20 do
      local turns, is_over = 0, false
      local ticker = lull.spawn(function()
        while not is_over do
          lull.sleep(0)
          if has_answered() then turns = turns + 1 end
        end
      end)
      local entity = assert(api("/a"):request("GET"):await())
      is_over = true
      ticker:await()
      equal(#entity.document, 200001)
      most = math.max(most, turns)
      if most >= 50 then break end
    end
    check(most >= 50, "at most " .. most .. " turns")
  end, seconds)

  it("CXL-09 is dropped when it is cancelled, at any moment", function()
    for turns = 0, 12 do
      local api, has_answered = service()
      local resource = api("/a")
      local events = spec.record(resource)
      local load = resource:load()
      local ended = lull.spawn(function() return load:await() end)
      repeat lull.sleep(0) until has_answered()
      for _ = 1, turns do lull.sleep(0) end
      load:cancel()
      local entity, err = ended:await()
      if entity == nil then
        equal(err.cause.kind, "request_cancelled")
        same(events, { "observer_added []", "requested [L]", "request_cancelled []" })
        equal(resource.document, nil)
      else
        same(events, { "observer_added []", "requested [L]", "new_data(network) [D]" })
      end
    end
  end, seconds)

  it("WIPE-03 is dropped when the resource is wiped, and a newer load wins", function()
    for turns = 0, 12, 3 do
      local api, has_answered = service()
      local resource = api("/a")
      resource:load()
      repeat lull.sleep(0) until has_answered()
      for _ = 1, turns do lull.sleep(0) end
      resource:wipe()
      equal(resource.latest_data, nil)
      equal(resource.document, nil)
      resource:override_local_content { mine = true }
      for _ = 1, 200 do lull.sleep(0) end
      equal(resource.content.mine, true)
      local entity = assert(resource:load():await())
      equal(rawequal(resource.document, entity.document), true)
    end
  end, seconds)

  it("does not keep a script from ending", function()
    for _, ending in ipairs { "", "os.exit(0)", "error('over')", "lull.run()" } do
      for turns = 0, 6, 2 do
        local result = spec.script(([[
          local lull = require "lull"
          local body = "[" .. ("1.5,"):rep(1000000) .. "1]"
          local has_answered = false
          local api = lull.service { base_url = "http://x.test", networking = function()
            has_answered = true
            return { status = 200, headers = { ["Content-Type"] = "application/json" }, body = body }
          end }
          local views = api("/a"):load()
          api("/b"):load():on_success(function(entity) last = entity.document end)
          lull.spawn(function()
            repeat lull.sleep(0) until has_answered
            for _ = 1, %d do lull.sleep(0) end
            %s
          end)
          if %q == "" then lull.sleep(0.005) else lull.run() end
        ]]):format(turns, ending, ending))
        local is_error = ending:find "error" ~= nil
        -- A stock interpreter has an exit code of its own, unless something was cut off. (LUA-150)
        local is_cut = result.err:find "did not complete" ~= nil
        local is_failure = is_error
        if spec.is_stock then is_failure = is_cut end
        equal(result.code, is_failure and 1 or 0, result.err)
        if not is_error then check(not result.err:find "rror", result.err) end
      end
    end
  end, seconds)
end)
