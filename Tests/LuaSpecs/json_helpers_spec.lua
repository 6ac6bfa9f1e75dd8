-- lull.json, lull.null, lull.array, lull.copy, lull.inspect.
local lull = require "lull"
local spec = ...
local describe, it, equal, same, check = spec.describe, spec.it, spec.equal, spec.same, spec.check
local contains = spec.contains
local encode, decode = lull.json.encode, lull.json.decode

describe("lull.json.encode", function()
  it("writes compact JSON", function()
    equal(encode { 2, "be" }, '[2,"be"]')
    equal(encode { a = 1 }, '{"a":1}')
    equal(encode("x"), '"x"')
    equal(encode(true), "true")
    equal(encode(lull.null), "null")
    equal(encode { lull.null, 1 }, "[null,1]")
    equal(encode { a = lull.null }, '{"a":null}')
  end)

  it("refuses two keys that would be written alike", function()
    local problem = "an integer and a string are the same key at "
    spec.raises(problem .. "a.1", function() encode { a = { [1] = "x", ["1"] = "y", b = 1 } } end)
    spec.raises(problem .. "-2", function() encode { [-2] = "x", ["-2"] = "y" } end)
    same(decode(encode { [1] = 1, ["01"] = 2, ["1.0"] = 3, ["1 "] = 4, ["0x1"] = 5, [""] = 6 }),
      { ["1"] = 1, ["01"] = 2, ["1.0"] = 3, ["1 "] = 4, ["0x1"] = 5, [""] = 6 })
  end)

  it("REQ-14 writes integers by value, then names by bytes", function()
    equal(encode { b = 1, a = { z = 1, y = 2 }, ["\xC3\xA9"] = 3, B = 4, [""] = 5, aa = 6, ["a\0"] = 7 },
      [[{"":5,"B":4,"a":{"y":2,"z":1},"a\u0000":7,"aa":6,"b":1,"é":3}]])
    equal(encode { [10] = 1, [2] = 2, [-3] = 3, ["-3x"] = 4, [0] = 5 }, '{"-3":3,"0":5,"2":2,"10":1,"-3x":4}')
    equal(encode({ b = { d = 1, c = 2 }, a = 1 }, { pretty = true }),
      '{\n  "a": 1,\n  "b": {\n    "c": 2,\n    "d": 1\n  }\n}')
    -- More keys than are on the stack at a time.
    local many, lines = {}, {}
    for i = 1, 150000 do
      local key = ("k%06d"):format(i)
      many[key], lines[i] = i, ('"%s":%d'):format(key, i)
    end
    check(encode(many) == "{" .. table.concat(lines, ",") .. "}", "150,000 keys are not in order")
  end)

  it("REQ-14 keeps the order of a document in copies of it", function()
    local text = '{"z":1,"b":{"y":2,"x":[{"d":1,"c":2}]},"a":3}'
    local api = lull.service { base_url = "https://a.example", networking = function()
      return { body = text, headers = { ["content-type"] = "application/json" } }
    end }
    local doc = assert(api("/x"):load():await()).document
    equal(encode(doc), text)
    local copy = lull.copy(doc)
    equal(encode(copy), text)
    copy.b.x[1].e, copy.b.x[1].b, copy.z = 4, 5, nil
    equal(encode(copy), '{"b":{"y":2,"x":[{"d":1,"c":2,"b":5,"e":4}]},"a":3}')
    equal(encode(lull.copy(copy)), encode(copy))
    equal(encode { q = copy.b.x[1], p = 1 }, '{"p":1,"q":{"d":1,"c":2,"b":5,"e":4}}')
    equal(encode(lull.copy(doc.b.x)), '[{"d":1,"c":2}]')
    -- What is built of the same text afterwards is a plain table, and so is a copy of it.
    equal(encode(api("/x").content), '{"a":3,"b":{"x":[{"c":2,"d":1}],"y":2},"z":1}')
    equal(encode(lull.copy(api("/x").content)), '{"a":3,"b":{"x":[{"c":2,"d":1}],"y":2},"z":1}')
  end)

  it("REQ-12 writes an empty table as an object unless it is an array", function()
    equal(encode {}, "{}")
    equal(encode(lull.array {}), "[]")
    equal(encode { a = lull.array {} }, '{"a":[]}')
    equal(encode(lull.array { 1, 2 }), "[1,2]")
    equal(encode(decode "[]"), "[]")
    equal(encode(decode "{}"), "{}")
  end)

  it("keeps integers and floats apart", function()
    equal(encode(7), "7")
    equal(encode(math.maxinteger), "9223372036854775807")
    equal(encode(math.mininteger), "-9223372036854775808")
    equal(encode(0.1), "0.1")
    equal(math.type(decode(encode(1.0))), "float")
    equal(decode(encode(1e300)), 1e300)
    equal(decode(encode(5e-324)), 5e-324)
    equal(decode(encode(1 / 3)), 1 / 3)
    equal(encode(-0.0):sub(1, 1), "-")
  end)

  it("spells floats with as few of 15 to 17 digits as read back the same", function()
    local function spelled(number)
      local text
      for digits = 15, 17 do
        text = ("%%.%dg"):format(digits):format(number)
        if tonumber(text) == number then break end
      end
      return text:find("[.e]") and text or text .. ".0"
    end
    local state = 20251122
    for round = 1, 3000 do
      state = state * 6364136223846793005 + 1442695040888963407
      local number = string.unpack("d", string.pack("i8", state ~ state >> 29))
      if round % 3 == 0 then number = 2.0 ^ (round - 1500) end
      if round % 3 == 1 then number = (state >> 40) / 10.0 ^ (round % 20) end
      if number == number and number - number == 0 then equal(encode(number), spelled(number)) end
    end
    for _, number in ipairs { 0.0, -0.0, 1e15, 123456789012345680.0, 1e17, 1e-4, 1e-5, 5e-324 } do
      equal(encode(number), spelled(number))
    end
  end)

  it("escapes", function()
    equal(encode('a"b\\c\n\t\0\31'), [["a\"b\\c\n\t\u0000\u001f"]])
    equal(encode("é😀/"), '"é😀/"')
    equal(decode(encode("\127\u{2028}")), "\127\u{2028}")
  end)

  it("writes pretty JSON if asked", function()
    local text = encode({ a = { 1, 2 } }, { pretty = true })
    contains(text, "\n")
    same(decode(text), { a = { 1, 2 } })
    equal(encode({}, { pretty = true }), "{}")
    equal(encode({ 1 }, { pretty = false }), "[1]")
    spec.raises("did you mean 'pretty'?", function() encode({}, { prety = true }) end)
  end)

  it("DYN-02 raises for what JSON cannot hold, naming the path", function()
    local cycle = {}
    cycle.me = cycle
    spec.raises("a.b[2]", function() encode { a = { b = { 1, print } } } end)
    spec.raises("nan", function() encode { nan = 0 / 0 } end)
    spec.raises("x", function() encode { x = "\255" } end)
    spec.raises("me", function() encode(cycle) end)
    spec.raises("encode", function() encode(print) end)
    spec.raises("'encode'", function() encode() end)
    equal(encode { ok = 1 }, '{"ok":1}', "still works")
  end)

  it("writes the same table twice, which is no cycle", function()
    local shared = { 1 }
    equal(encode { shared, shared }, "[[1],[1]]")
  end)

  it("writes what is nested 900 deep, and raises beyond what it reads", function()
    local value = lull.array {}
    for _ = 1, 899 do value = { value } end
    check(decode(encode(value)))
    for _ = 1, 5000 do value = { value } end
    equal(pcall(encode, value), false)
  end)

  it("ignores metatables, and does not run __index or __pairs", function()
    local object = setmetatable({ a = 1 }, {
      __index = function() error("no") end, __pairs = function() error("no") end,
    })
    equal(encode(object), '{"a":1}')
  end)
end)

describe("lull.json.decode", function()
  it("reads values", function()
    same(decode '{"a":[1,2.5,"x",true,false]}', { a = { 1, 2.5, "x", true, false } })
    equal(decode "17", 17)
    equal(decode "null", lull.null)
    equal(decode "false", false)
    equal(decode '{"a":1,"a":2}'.a, 2)
    equal(decode "9007199254740993", 9007199254740993)
    equal(decode "\xEF\xBB\xBF1", 1)
  end)

  it("gives nil and an error, and raises nothing", function()
    for _, text in ipairs { "", "{", "[1,]", "nope", "1 2", '"\255"', "[1e999x]", ("["):rep(2000) } do
      local value, err = decode(text)
      equal(value, nil)
      check(#tostring(err) > 0)
    end
  end)

  it("raises for anything but a string", function()
    spec.raises("'decode'", function() decode() end)
    spec.raises("'decode'", function() decode({}) end)
  end)

  it("reads what encode wrote", function()
    local value = { list = { 1, 2, { x = "é" } }, n = 1.25, s = "\0", t = true, empty = lull.array {} }
    same(decode(encode(value)), value)
  end)

  it("reads 10,000 values quickly", function()
    local list = {}
    for i = 1, 10000 do list[i] = { id = i, name = "user " .. i } end
    same(decode(encode(list))[10000], { id = 10000, name = "user 10000" })
  end)
end)

describe("lull.null", function()
  it("is one value, true in a condition, printed as null", function()
    check(lull.null)
    equal(lull.null, decode "null")
    check(lull.null ~= nil and lull.null ~= false)
    contains(tostring(lull.null), "null")
  end)
end)

describe("lull.array", function()
  it("marks the table it is given, and makes one of nothing", function()
    local list = {}
    check(rawequal(lull.array(list), list))
    list[1] = "x"
    equal(encode(list), '["x"]')
    equal(#list, 1)
    spec.raises("'array'", function() lull.array(7) end)
  end)
end)

describe("lull.copy", function()
  it("copies deeply, arrays and cycles included", function()
    local original = decode '{"a":[],"b":{"c":[1]},"n":null}'
    local copy = lull.copy(original)
    same(copy, original)
    check(copy.b ~= original.b and copy.b.c ~= original.b.c)
    equal(encode(copy.a), "[]")
    equal(copy.n, lull.null)
    local cycle = {}
    cycle.me = cycle
    copy = lull.copy(cycle)
    check(rawequal(copy.me, copy) and copy ~= cycle)
  end)

  it("gives other values as they are", function()
    for _, value in ipairs { 7, "x", true, print, lull.null } do equal(lull.copy(value), value) end
    equal(lull.copy(nil), nil)
  end)
end)

describe("lull.inspect", function()
  it("shows tables sorted, lists without keys, strings in quotes", function()
    equal(lull.inspect("a\n"), '"a\\n"')
    equal(lull.inspect(7), "7")
    equal(lull.inspect(nil), "nil")
    equal(lull.inspect({}), "{}")
    local text = lull.inspect { b = 1, a = { 1, "x" }, ["odd key"] = lull.null, [1.5] = true }
    check(text:find("a = ", 1, true) < text:find("b = ", 1, true))
    contains(text, '["odd key"] = ')
    contains(text, "null")
  end)

  it("survives cycles, depth, NULs, long strings and objects", function()
    local cycle = { name = "x" }
    cycle.me = cycle
    check(#lull.inspect(cycle) < 1000)
    local deep = {}
    for _ = 1, 5000 do deep = { deep } end
    check(#lull.inspect(deep) > 0)
    equal(lull.inspect("\0\255"), '"\\x00\\xFF"')
    equal(lull.inspect("\xC3\xA4\xE2\x82"), '"ä\\xE2\\x82"')
    local api = spec.fake({})
    api:configure { expiration_time = 7 }
    contains(lull.inspect(api:configuration_for("/x")), "expiration_time = 7")
    contains(lull.inspect { spec.fake({})("/a") }, "Resource(/a")
    check(#lull.inspect { [{}] = 1, [print] = 2, [true] = 3 } > 0)
  end)

  it("shows JSON content", function()
    contains(lull.inspect(decode '{"a":[],"n":null}'), "a = ")
  end)
end)
