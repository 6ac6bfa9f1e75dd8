-- lull.list and lull.table.
local lull = require "lull"
local spec = ...
local describe, it, equal, raises = spec.describe, spec.it, spec.equal, spec.raises
local contains = spec.contains
local list = lull.list
local encode, decode = lull.json.encode, lull.json.decode

-- JSON as a document.
local function document(text)
  local resource = spec.fake { spec.json(text) }("/x")
  return assert(resource:load():await()).document
end

local text = '[{"id":1,"n":3,"o":{"login":"a"},"t":["x","y"],"a.b":7},{"id":2,"n":null,"o":{"login":"b"}},'
  .. '{"id":3,"n":10}]'

-- The same for plain tables, content and a document.
local function each_form(json, test)
  test(decode(json))
  test(lull.copy(decode(json)))
  test(document(json))
end

local function gives(value, expected)
  local found = encode(value == nil and lull.null or value)
  if not lull.json.equal(decode(found), decode(expected)) then equal(found, expected) end
end

describe("lull.list", function()
  it("FLT-89 warns once of a field that no row has", function()
    local result = spec.script [[
      local lull = require "lull"
      local list = lull.list
      local x = lull.json.decode '[{"visits":1,"role":"a"},{"visits":2,"role":"b","on":null}]'
      for _ = 1, 3 do list.sum(x, "visit") end
      list.unique(x, "rol") list.sort_by(x, "-visits", "vists") list.count_by(x, "nothing")
      list.filter(x, "VISIT") list.map(x, "o.n") list.pick(x, "role", "rules")
      list.group_by(x, "1") list.count(x, "c") list.average(x, "d") list.min(x, "e") list.max(x, "f")
      lull.csv.encode({ { name = "Ann" } }, { "nam", "name" })
      -- Nothing to say of these.
      list.sum({}, "visit") list.map(x, "on") list.filter(x, function(v) return v.visit end)
      list.map({ lull.null }, "x") list.sort_by({ 2, 1 }) list.pick({}, "x")
      lull.csv.encode({}, { "nam" }) lull.csv.encode({ { 1, 2 } }, { "a", "b" })
    ]]
    equal(result.out, "")
    local lines = {}
    for line in result.err:gmatch "[^\n]+" do lines[#lines + 1] = line:gsub("^lull: warning: [^:]*:", "") end
    spec.same(lines, {
      "4: sum: no row has 'visit' (did you mean 'visits'?)", "5: unique: no row has 'rol' (did you mean 'role'?)",
      "5: sort_by: no row has 'vists' (did you mean 'visits'?)", "5: count_by: no row has 'nothing'",
      "6: filter: no row has 'VISIT' (did you mean 'visits'?)", "6: map: no row has 'o.n'",
      "6: pick: no row has 'rules'", "7: group_by: no row has '1'",
      "7: count: no row has 'c'", "7: average: no row has 'd'", "7: min: no row has 'e'", "7: max: no row has 'f'",
      "8: lull.csv.encode: no row has 'nam' (did you mean 'name'?)",
    })
  end)

  it("FLT-89 suggests a name for the missing part of a way, and does not warn where null is in the way", function()
    local result = spec.script [[
      local lull = require "lull"
      local list = lull.list
      local x = lull.json.decode '[{"u":null},{"u":{"name":"a","id":1}}]'
      list.map(x, "u.nam") list.map(x, "uu.name") list.sum(x, "u.di")
      lull.table({ { id = 1, name = "a" } }, { "id", "nmae" })
      pcall(list.sum, x, "visit")
      pcall(list.sum, x, "visit")
      -- Nothing to say of these.
      list.map({ { u = lull.null }, {} }, "u.name") lull.table({}, { "x" }) lull.table({ { u = lull.null } }, { "u.x" })
      list.pick({ id = 1 }, "name")
    ]]
    equal(result.out, "")
    local lines = {}
    for line in result.err:gmatch "[^\n]+" do lines[#lines + 1] = line:gsub("^lull: warning: [^:]*:", "") end
    spec.same(lines, {
      "4: map: no row has 'u.nam' (did you mean 'u.name'?)", "4: map: no row has 'uu.name' (did you mean 'u.name'?)",
      "4: sum: no row has 'u.di' (did you mean 'u.id'?)",
      "5: lull.table: no row has 'nmae' (did you mean 'name'?)", "6: sum: no row has 'visit'",
      "7: sum: no row has 'visit'",
    })
  end)

  it("FLT-89 warns of no field whose nulls the content was made without", function()
    local result = spec.script [[
      local lull = require "lull"
      local api = lull.service{ base_url = "https://a.example", null = "nil", networking = function()
        return { status = 200, headers = { ["Content-Type"] = "application/json" },
          body = '[{"id":1,"email":null,"u":null},{"id":2,"email":null}]' }
      end }
      lull.run(function()
        local c = assert(api("/x"):load():await()).content
        lull.list.filter(c, "email") lull.list.map(c, "u.name") lull.table(c, { "id", "email" })
        lull.csv.encode(c, { "id", "email" }) lull.list.map(c, "idd")
      end)
    ]]
    equal(result.out, "")
    contains(result.err, "map: no row has 'idd' (did you mean 'id'?)")
    equal(select(2, result.err:gsub("\n", "")), 1)
  end)

  it("FLT-01 does the same with tables, content and documents, and changes none of them", function()
    each_form(text, function(x)
      gives(list.map(x, "id"), "[1,2,3]")
      gives(list.map(x, function(v) return v.id * 2 end), "[2,4,6]")
      gives(list.filter(x, "n"), encode { x[1], x[3] })
      gives(list.reverse(x)[1], encode(x[3]))
      gives(list.first(x), encode(x[1]))
      gives(list.last(x, 2), encode { x[2], x[3] })
      gives(list.count(x), "3")
      gives(list.sum(x, "n"), "13")
      gives(list.unique(x, "n"), encode(x))
      gives(x, text)
    end)
    gives(list.map({}, "id"), "[]")
    gives(list.map(decode "{}", "id"), "{}")
    gives(list.values {}, "[]")
  end)

  it("FLT-02 takes of a record its values, and gives one again where names are left", function()
    each_form('{"b":{"n":2},"a":{"n":1}}', function(x)
      gives(list.map(x, "n"), '{"a":1,"b":2}')
      gives(list.filter(x, function(v) return v.n > 1 end), '{"b":{"n":2}}')
      gives(list.sum(x, "n"), "3")
      gives(list.max(x, "n"), '{"n":2}')
      gives(list.sort_by(x, "n"), '[{"n":1},{"n":2}]')
      gives(list.count(x), "2")
      gives(list.sort_by(list.entries(x), "-key")[1], '{"key":"b","value":{"n":2}}')
    end)
    gives(list.keys(document '{"b":1,"a":2}'), '["b","a"]')
    gives(list.values(document '{"b":1,"a":2}'), "[1,2]")
    gives(list.keys { b = 1, a = 2, [3] = 0 }, '[3,"a","b"]')
    gives(list.values { b = 1, a = 2 }, "[2,1]")
    gives(list.keys { "x", "y" }, "[1,2]")
    gives(list.map(list.group_by({ 1, 2, 1 }), list.count), '{"1":2,"2":1}')
  end)

  it("FLT-03 finds fields by names, deeper behind dots, and elements from 1 on", function()
    each_form(text, function(x)
      gives(list.map(x, "o.login"), '["a","b",null]')
      gives(list.map(x, "t.2"), '["y",null,null]')
      gives(list.map(x, "a.b"), "[7,null,null]")
      raises("map takes the field 't.0', got a list, which counts from 1, in element 1",
        function() list.map(x, "t.0") end)
      raises("map takes the field 't.x', got a list in element 1", function() list.map(x, "t.x") end)
      raises("map takes the field 'id.x', got the number 1 in element 1",
        function() list.map(x, "id.x") end)
    end)
    gives(list.map({ { 1, 2 }, { 3 } }, "2"), "[2,null]")
    raises("sum takes the field 'n', got the text 'abc' in element 2",
      function() list.sum({ { n = 1 }, "abc" }, "n") end)
  end)

  it("FLT-04 picks fields of a record, and of each element of a list", function()
    each_form(text, function(x)
      gives(list.pick(x, "id", "o.login"),
        '[{"id":1,"o.login":"a"},{"id":2,"o.login":"b"},{"id":3,"o.login":null}]')
      gives(list.pick(x[1], "n", "none"), '{"n":3,"none":null}')
    end)
    gives(list.pick({ lull.null }, "id"), "[null]")
    gives(list.pick({}, "id"), "[]")
    raises("pick needs the names of fields, got nil: write lull.list.pick(x, \"id\", \"name\")",
      function() list.pick { { id = 1 } } end)
    raises("pick needs the names of fields, got the number 1", function() list.pick({}, 1) end)
    raises("pick needs the names of fields, got nil", function() list.pick({}, "a", nil) end)
    raises("pick needs records, got the number 7", function() list.pick({ 7 }, "id") end)
  end)

  it("FLT-05 sorts numbers, texts, booleans, and last what is missing, also in descending order", function()
    local mixed = decode '[null,"b",true,10,"a",2,false]'
    gives(list.sort_by(mixed), '[2,10,"a","b",false,true,null]')
    gives(list.sort_by(mixed, "-"), '[true,false,"b","a",10,2,null]')
    gives(list.map(list.sort_by(decode(text), "-n"), "id"), "[3,1,2]")
    gives(list.map(list.sort_by(decode(text), "n"), "id"), "[1,3,2]")
    local rows = { { a = 1, b = 1 }, { a = 2, b = 1 }, { a = 1, b = 2 }, { a = 1, b = 1, c = 1 } }
    gives(list.sort_by(rows, "-a", "b"),
      '[{"a":2,"b":1},{"a":1,"b":1},{"a":1,"b":1,"c":1},{"a":1,"b":2}]')
    gives(list.map(list.sort_by({ { v = 0 / 0, n = 1 }, { v = 1, n = 2 } }, "v"), "n"), "[2,1]")
    raises("sort_by needs numbers, texts or booleans, got a record for element 1",
      function() list.sort_by(decode(text)) end)
    raises("got a list for element 1", function() list.sort_by(decode(text), "t") end)
  end)

  it("FLT-06 counts only numbers as numbers", function()
    gives(list.average(decode(text), "n"), "6.5")
    gives(list.average {}, "null")
    gives(list.sum {}, "0")
    equal(list.sum { math.maxinteger, 1 }, math.maxinteger + 1.0)
    equal(list.max { math.maxinteger, 1.5 }, math.maxinteger)
    equal(list.min {}, nil)
    equal(list.min { lull.null, "b", "a" }, "a")
    raises("sum needs numbers, got the text '12' for element 2: write "
      .. "lull.list.sum(x, function(v) return tonumber(v.name) end)", function() list.sum { 1, "12" } end)
    raises("average needs numbers, got a record for element 1", function() list.average(decode(text)) end)
    raises("max needs numbers, texts or booleans, got a list", function() list.max { { 1 } } end)
  end)

  it("FLT-07 groups by texts of what is no list and no record", function()
    gives(list.count_by(decode(text), "n"), '{"3":1,"10":1,"null":1}')
    gives(list.map(list.group_by(decode(text), function(v) return v.id > 1 end), list.count),
      '{"false":1,"true":2}')
    raises("group_by needs numbers, texts or booleans, got a record", function()
      list.group_by(decode(text), "o")
    end)
    gives(list.unique(decode '[1,1.0,{"a":1,"b":[2]},{"b":[2],"a":1},null,null,"1",[],{}]'),
      '[1,{"a":1,"b":[2]},null,"1",[],{}]')
    gives(list.unique(document '[{"a":1,"b":2},{"b":2,"a":1},9007199254740993,9007199254740992]'),
      '[{"a":1,"b":2},9007199254740993,9007199254740992]')
    raises("unique needs JSON, got a function for element 1", function() list.unique { print } end)
  end)

  it("FLT-08 opens lists only, and joins what has a text", function()
    gives(list.flatten(decode '[[1,[2]],3,{"a":[1]},[]]'), '[1,[2],3,{"a":[1]}]')
    gives(list.flatten(document '[[1,[2]],3]', 2), "[1,2,3]")
    gives(list.flatten { a = { 1 }, b = { 2 } }, "[1,2]")
    gives(list.join { 1, "b", lull.null, true }, '"1, b, , true"')
    gives(list.join({}, "-"), '""')
    raises("join needs numbers, texts or booleans, got a list for element 1",
      function() list.join { { 1 } } end)
    raises("join needs a text between them, got the number 1", function() list.join({}, 1) end)
    raises("flatten needs a whole number, 1 or more, got the number 0",
      function() list.flatten({}, 0) end)
  end)

  it("FLT-11 refuses what is no list and no record, with what to type", function()
    for _, value in ipairs { 7, "x", true, print, io.stdout } do
      raises("map needs a list or a record, got ", function() list.map(value, "a") end)
    end
    raises("map needs a list or a record, got nil: write lull.list.map(x or {}, …) where it may be missing",
      function() list.map(nil, "a") end)
    raises("count needs a list or a record, got null", function() list.count(lull.null) end)
    raises("map needs a function or the name of a field, got nil", function() list.map {} end)
    raises("filter needs a function or the name of a field, got nil", function() list.filter({}, nil) end)
    raises("first needs a whole number, 0 or more, got the number 1.5", function() list.first({}, 1.5) end)
    raises("last needs a whole number, 0 or more, got the number -1", function() list.last({}, -1) end)
    raises("too many arguments to 'map' (2 expected, got 3)", function() list.map({}, "a", "b") end)
    raises("keys needs names that are texts, got a boolean", function() list.keys { [true] = 1 } end)
  end)

  it("FLT-12 raises where it was called, also through another of its functions and by a tail call", function()
    local function line() return debug.getinfo(2, "l").currentline end
    local here = line()
    local _, direct = pcall(function() list.map(7, "a") end)
    local _, nested = pcall(function() return list.map({ { "a" } }, list.sum) end)
    local _, tail = pcall(function() return list.count(7) end)
    spec.contains(direct, "list_spec.lua:" .. here + 1 .. ": map needs")
    spec.contains(nested, "list_spec.lua:" .. here + 2 .. ": sum needs")
    spec.contains(tail, "list_spec.lua:" .. here + 3 .. ": count needs")
    local _, bare = pcall(list.map, 7, "a")
    spec.contains(bare, "map needs a list")
  end)

  it("FLT-12 waits where its function waits", function()
    local seen = list.map({ 1, 2 }, function(value)
      lull.sleep(0.001)
      return value + 1
    end)
    gives(seen, "[2,3]")
    gives(list.sort_by({ 1, 2 }, function(value)
      lull.sleep(0.001)
      return -value
    end), "[2,1]")
  end)
end)

describe("lull.json.type", function()
  it("FLT-09 says what a value is in JSON", function()
    for json, name in pairs {
      ["[]"] = "array", ["{}"] = "object", ['""'] = "string", ["1"] = "number", ["1.5"] = "number",
      ["true"] = "boolean", ["null"] = "null",
    } do
      equal(lull.json.type(decode(json)), name)
      equal(lull.json.type(document("[" .. json .. "]")[1]), name)
    end
    equal(lull.json.type { 1, 2 }, "array")
    equal(lull.json.type {}, "object")
    equal(lull.json.type { 1, nil, 3 }, "object")
    equal(lull.json.type(nil), nil)
    equal(lull.json.type(0 / 0), nil)
    equal(lull.json.type(print), nil)
    equal(lull.json.type(spec.fake {}), nil)
  end)
end)

describe("lull.table", function()
  it("FLT-10 shows rows in columns, those of documents in the server's order", function()
    equal(lull.table(document '[{"z":1,"a":"x y"},{"a":null,"q":[1]}]'), "z  a    q\n1  x y\n        [1]\n")
    equal(lull.table { { z = 1, a = "b" } }, "a  z\nb  1\n")
    equal(lull.table({ { id = 7, o = { t = { "x" } } } }, { "o.t.1", "id" }), "o.t.1  id\nx      7\n")
    equal(lull.table { 1, "b" }, "value\n1\nb\n")
    equal(lull.table { a = 1 }, "a\n1\n")
    equal(lull.table({}, { "a" }), "a\n")
    equal(lull.table {}, "")
  end)

  it("FLT-10 refuses what is no row, and names of columns that are none", function()
    raises("a list of rows expected, got string", function() lull.table "x" end)
    raises("a list of rows expected, got nil", function() lull.table(nil) end)
    raises("cannot show as a table: a function has no JSON form at [1].f",
      function() lull.table { { f = print } } end)
    raises("a list of names expected, got 1 in it", function() lull.table({}, { 1 }) end)
    raises("a list of names expected, got an empty table", function() lull.table({}, {}) end)
  end)
end)
