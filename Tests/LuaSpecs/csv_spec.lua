-- lull.csv.
local lull = require "lull"
local spec = ...
local describe, it, equal, same = spec.describe, spec.it, spec.equal, spec.same
local raises = spec.raises
local encode, decode = lull.csv.encode, lull.csv.decode

-- JSON as a document.
local function document(text)
  local resource = spec.fake { spec.json(text) }("/x")
  return assert(resource:load():await()).document
end

describe("lull.csv.encode", function()
  it("ENC-20 writes the columns that are given, in that order", function()
    local rows = { { id = 1, name = "Ann", age = 7 }, { name = "Ben", id = 2 } }
    equal(encode(rows, { "name", "id", "none" }), "name,id,none\r\nAnn,1,\r\nBen,2,\r\n")
    equal(encode(rows, { "name" }, { header = false }), "Ann\r\nBen\r\n")
    equal(encode({}, { "a", "b" }), "a,b\r\n")
    equal(encode {}, "")
    equal(encode({ {}, {} }, { "a", "b" }), "a,b\r\n,\r\n,\r\n")
  end)

  it("ENC-20 writes all names there are, those of one table sorted", function()
    equal(encode { { b = 1, a = 2 }, { c = 3, aa = 4, b = 5 } }, "a,b,aa,c\r\n2,1,,\r\n,5,4,3\r\n")
    local rows = document '[{"z":1,"a":2},{"b":null,"z":"q"}]'
    equal(encode(rows), "z,a,b\r\n1,2,\r\nq,,\r\n")
    equal(encode({ rows[2], { z = 3 } }, { "z" }), "z\r\nq\r\n3\r\n")
  end)

  it("ENC-20 puts in quotes what needs them", function()
    equal(encode({ { "a,b", 'q"q', "l\nl", "l\rl", "a;b", " x ", "'", "" } }, nil),
      '"a,b","q""q","l\nl","l\rl",a;b, x ,\',\r\n')
    equal(encode({ { "a,b", "a;b" } }, nil, { delimiter = ";" }), 'a,b;"a;b"\r\n')
    equal(encode({ { x = 1 } }, { 'x"', "x" }), '"x""",x\r\n,1\r\n')
  end)

  it("ENC-21 has nil and null empty, numbers as JSON, and bytes as they are", function()
    equal(encode({ { lull.null, true, false, 7, 1.5, math.mininteger, "\255\0" } }),
      ",true,false,7,1.5,-9223372036854775808,\255\0\r\n")
    for _, number in ipairs { 2.0, 0.1, 1e300, -1 / 3, 5e-324, 2^53, 1e15, 1e21 } do
      equal(encode({ { number } }), lull.json.encode(number) .. "\r\n")
      equal(encode(document("[[" .. lull.json.encode(number) .. "]]")), lull.json.encode(number) .. "\r\n")
    end
    equal(encode({ { "" }, { lull.null } }), '""\r\n""\r\n')
  end)

  it("writes lists, with a header if there are columns", function()
    equal(encode { { 1, 2, 3 }, { 4 } }, "1,2,3\r\n4\r\n")
    equal(encode({ { 1, 2 }, { 3 } }, { "a", "b" }), "a,b\r\n1,2\r\n3,\r\n")
    equal(encode(lull.json.decode("[[1,null],[]]")), "1,\r\n\r\n")
  end)

  it("ENC-22 names row and column of what it refuses", function()
    local prefix = "cannot encode as CSV: row 2: "
    local function refuses(problem, value)
      raises(prefix .. "column 'x': " .. problem, function() encode { { x = 1 }, { x = value } } end)
    end
    refuses("a function has no CSV form", print)
    refuses("a Secret has no CSV form", lull.secret { env = "X" })
    refuses("a Resource has no CSV form", lull.service("https://x.test")("/"))
    refuses("a number is not finite", 0 / 0)
    refuses("a function has no JSON form at [1]", { print })
    raises("row 1: a row must be an object or a list", function() encode(document "[1]") end)
    raises("a list of rows expected", function() encode(document "{}") end)
    raises(prefix .. "other rows are lists, but this one has names", function() encode { { 1 }, { a = 1 } } end)
    raises(prefix .. "other rows have names, but this one is a list", function() encode { { a = 1 }, { 1 } } end)
    raises("row 1: a row must have either names or positions as keys, not both", function() encode { { 1, a = 1 } } end)
    raises("row 1: a list contains nil; use lull.null for an empty field", function() encode { { 1, nil, 3 } } end)
    raises("row 1: a row has no field 0", function() encode { { [0] = 1 } } end)
    raises("row 1: a list contains nil", function() encode { { [1 << 40] = 1 } } end)
    raises("row 1: the name of a field must be a string, got boolean", function() encode { { [true] = 1 } } end)
    raises("row 1: it has 2 fields, but there are 1 columns", function() encode({ { 1, 2 } }, { "a" }) end)
    raises("row 1: a row must be a table, got 7", function() encode { 7 } end)
    raises("the rows have no fields, and no columns are set", function() encode { {} } end)
  end)

  it("ENC-160 guards fields that a spreadsheet takes for a formula", function()
    local guard = { guard = true, header = false }
    for _, text in ipairs { "=1+1", "+1+1", "-2+3", "@SUM(A1)", "\t=1", "-", "+", "-x", "--1", "+-1", "-1e", "-.",
      "-1 ", "-1,5", "-0x1F", "+1e3.5", "-inf", "-nan", "＝1", "＠x", "＋1", "－1" } do
      equal(decode(encode({ { text, "x" } }, nil, guard), { header = false })[1][1], "'" .. text)
      equal(decode(encode({ { text, "x" } }), { header = false })[1][1], text)
    end
    equal(encode({ { "\r=1" } }, nil, guard), '"\'\r=1"\r\n')
    equal(encode({ { "\n=1" } }, nil, guard), '"\'\n=1"\r\n')
    equal(encode({ { '=HYPERLINK("a","b")' } }, nil, guard), '"\'=HYPERLINK(""a"",""b"")"\r\n')
    for _, text in ipairs { "-5", "+1e3", "-0.5", "+.5", "-5.", "-1E-3", "5", "", "a=1", " =1", "'=1", "x", "é",
      "1-2", "\xEF\xBC" } do
      equal(encode({ { text, "x" } }, nil, guard), encode({ { text, "x" } }))
    end
    equal(encode({ { -5, -1.5, -1e300, math.mininteger } }, nil, guard),
      "-5,-1.5,-1e+300,-9223372036854775808\r\n")
  end)

  it("ENC-160 guards names of columns, documents and fields inside of fields too", function()
    equal(encode({ { ["=a"] = "=b", c = -1 } }, nil, { guard = true }), "'=a,c\r\n'=b,-1\r\n")
    local rows = document '[{"@a":"+b","c":{"d":"-e"},"n":-1}]'
    equal(encode(rows, { "@a", "c.d", "n" }, { guard = true, delimiter = ";" }), "'@a;c.d;n\r\n'+b;'-e;-1\r\n")
    equal(encode(rows, { "c.d" }, { guard = false }), "c.d\r\n-e\r\n")
    raises("'guard' must be true or false", function() encode({}, nil, { guard = "yes" }) end)
    raises("'guard' is an option of lull.csv.encode", function() decode("a", { guard = true }) end)
  end)

  it("ENC-120 writes tables as JSON", function()
    equal(encode { { 1, {} } }, "1,{}\r\n")
    local rows = document '[{"z":[1],"a":{"c":1.50}}]'
    equal(encode(rows), 'z,a\r\n[1],"{""c"":1.5}"\r\n')
    equal(encode { { z = rows } }, 'z\r\n"[{""z"":[1],""a"":{""c"":1.5}}]"\r\n')
    equal(encode { { z = { 1, lull.null } } }, 'z\r\n"[1,null]"\r\n')
  end)

  it("ENC-120 ignores fields that were not asked for, whatever they hold", function()
    equal(encode({ { id = 1, f = print, t = {}, n = 0 / 0 }, { id = 2 } }, { "id" }), "id\r\n1\r\n2\r\n")
    equal(encode(document '[{"id":1,"t":{"x":[]}}]', { "id" }), "id\r\n1\r\n")
  end)

  it("ENC-120 finds fields inside of fields by names with dots", function()
    local text = '[{"id":1,"owner":{"login":"ann","tags":["a","b"]}},{"id":2,"owner":null},{"id":3}]'
    local columns = { "id", "owner.login", "owner.tags.2", "owner.none" }
    local expected = "id,owner.login,owner.tags.2,owner.none\r\n1,ann,b,\r\n2,,,\r\n3,,,\r\n"
    equal(encode(document(text), columns), expected)
    equal(encode(lull.json.decode(text), columns), expected)
    equal(encode({ document(text)[1], { id = 4, owner = document '{"login":"ben"}' } }, { "owner.login" }),
      "owner.login\r\nann\r\nben\r\n")
    equal(encode({ { ["a.b"] = 1, a = { b = 2 } }, { a = { b = 3 } } }, { "a.b", "a" }),
      'a.b,a\r\n1,"{""b"":2}"\r\n3,"{""b"":3}"\r\n')
    equal(encode({ { a = { b = { c = { 1 } } } } }, { "a.b.c", "a.b.c.1", "a.x.y" }),
      "a.b.c,a.b.c.1,a.x.y\r\n[1],1,\r\n")
  end)

  it("raises for what is no list of rows or of names", function()
    raises("bad argument #1 to 'csv.encode' (a list of rows expected", function() encode { a = 1 } end)
    raises("bad argument #1 to 'csv.encode' (a list of rows expected",
      function() encode { { 1 }, nil, { 2 }, x = 1 } end)
    raises("bad argument #1 to 'csv.encode' (a list of rows expected, got string)", function() encode("x") end)
    raises("bad argument #2 to 'csv.encode' (a list of names expected, got number in it)",
      function() encode({}, { 1 }) end)
    raises("bad argument #2 to 'csv.encode' (a list of names expected, got an empty table)",
      function() encode({}, {}) end)
    raises("the column 'a' appears twice", function() encode({}, { "a", "b", "a" }) end)
    for _, delimiter in ipairs { "", ",,", '"', "\n", "ä", "\0", 1.5, true } do
      raises("'delimiter' must be one character of ASCII", function() encode({}, nil, { delimiter = delimiter }) end)
    end
    raises("unknown setting 'delimeter' (did you mean 'delimiter'?)",
      function() encode({}, nil, { delimeter = ";" }) end)
  end)
end)

describe("lull.csv.decode", function()
  it("ENC-23 gives rows by name, and the names in order", function()
    local rows, columns = decode("b,a\r\n1,\"x\"\"\r\n,\"\r\n\r\n\"\",2")
    same(rows, { { b = "1", a = 'x"\r\n,' }, { b = "", a = "2" } })
    same(columns, { "b", "a" })
    same({ decode "" }, { {}, {} })
    same({ decode "a,b" }, { {}, { "a", "b" } })
    same(decode("\u{FEFF}a;b\n1;2", { delimiter = ";" }), { { a = "1", b = "2" } })
  end)

  it("ENC-23 gives lists without a header", function()
    same({ decode("a,b\n1\n\n,\r\"\"", { header = false }) }, { { { "a", "b" }, { "1" }, { "", "" }, { "" } } })
    same(decode('a"b,c "d" ,"e"', { header = false }), { { 'a"b', 'c "d" ', "e" } })
    same(decode("\255\0,\u{FEFF}", { header = false }), { { "\255\0", "\u{FEFF}" } })
  end)

  it("ENC-23 gives back what encode has written", function()
    local parts, state = { "", "a", ",", '"', "\n", "\r", "\r\n", "ä", "\255", " ", ";", "'" }, 42
    local function random(n)
      state = (state * 1103515245 + 12345) % 2147483648
      return (state >> 8) % n + 1
    end
    for _ = 1, 300 do
      local rows, columns = {}, {}
      for column = 1, random(4) do columns[column] = "c" .. column .. parts[random(#parts)] end
      for row = 1, random(5) do
        rows[row] = {}
        for _, name in ipairs(columns) do
          local text = {}
          for i = 1, random(4) - 1 do text[i] = parts[random(#parts)] end
          rows[row][name] = table.concat(text)
        end
      end
      local text = encode(rows, columns)
      local again, names = decode(text)
      same(again, rows, text)
      same(names, columns, text)
    end
  end)

  it("ENC-24 says what is wrong, and on which line", function()
    for text, problem in pairs {
      ["a\n\"x"] = "a quote that opens on this line is not closed (line 2)",
      ["a\r\n\"x\r\ny\"z"] = "there is text after a closing quote (a quote inside quotes must be doubled) (line 3)",
      ["a,b\n\n1"] = "a row has 1 fields, but the header has 2 (line 3); { header = false } returns rows as lists",
      ["a\r1,2"] = "a row has 2 fields, but the header has 1 (line 2); { header = false } returns rows as lists",
      ["\na,a"] = "the column 'a' appears twice in the header (line 2); { header = false } returns rows as lists",
      [",\n"] = "the column '' appears twice in the header (line 1); { header = false } returns rows as lists",
    } do
      local rows, reason = decode(text)
      equal(rows, nil, text)
      equal(reason, problem)
    end
    raises("string expected, got table", function() decode {} end)
    raises("'header' must be true or false, got 1", function() decode("", { header = 1 }) end)
  end)
end)
