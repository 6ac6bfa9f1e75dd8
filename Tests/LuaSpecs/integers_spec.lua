-- Integers of JSON beyond 64 bits, and tables without nulls.
local lull = require "lull"
local spec = ...
local describe, it, equal, check = spec.describe, spec.it, spec.equal, spec.check
local contains, excludes, json = spec.contains, spec.excludes, spec.json

local large = "12345678901234567890123"

local function decoded(text) return lull.json.decode("[" .. text .. "]")[1] end

describe("an integer beyond 64 bits", function()
  it("JSN-33 keeps its digits in content, documents and encoded JSON", function()
    local text = '{"id":' .. large .. ',"list":[-' .. large .. ',18446744073709551615,9223372036854775808]}'
    local resource = spec.fake(json(text))("/a")
    local entity = assert(resource:load():await())
    equal(tostring(entity.content.id), large)
    equal(tostring(entity.content.list[1]), "-" .. large)
    equal(tostring(entity.content.list[2]), "18446744073709551615")
    equal(tostring(entity.document.id), large)
    equal(lull.json.encode(entity.document), text)
    equal(lull.json.encode(entity.content.list), "[-" .. large .. ",18446744073709551615,9223372036854775808]")
    equal(lull.json.encode(lull.copy(entity.content).id), large)
    check(lull.json.equal(entity.content, entity.document))
    equal(tostring(resource.content.id), large)
    contains(lull.inspect(entity.content), large)
    equal(lull.json.type(entity.content.id), "number")
    equal(tostring(assert(spec.fake(json(large))("/a"):load():await()).content), large)
  end)

  it("JSN-33 goes out in bodies, URLs and headers with its digits", function()
    local service, sent = spec.fake(json('{"id":' .. large .. "}"))
    local user = assert(service("/users"):load():await()).content
    service("/users"):child(user.id):put{ json = user }:await()
    service("/users/" .. user.id):with_param("parent", user.id):post{ form = { id = user.id } }:await()
    service("/users"):with_params{ id = user.id }:get(nil, { headers = { ["X-ID"] = user.id } }):await()
    equal(sent[2].url, "https://api.test/v1/users/" .. large)
    equal(sent[2].body, '{"id":' .. large .. "}")
    equal(sent[3].url, "https://api.test/v1/users/" .. large .. "?parent=" .. large)
    equal(sent[3].body, "id=" .. large)
    equal(sent[4].url, "https://api.test/v1/users?id=" .. large)
    equal(sent[4].headers["x-id"] or sent[4].headers["X-ID"], large)
  end)

  it("JSN-33 is one value for the same digits, and may be a key", function()
    local names = {}
    do
      local one, other = decoded(large), lull.json.decode('{"a":' .. large .. "}").a
      check(rawequal(one, other))
      check(one == other and one ~= decoded(large .. "1"))
      names[one] = "mine"
    end
    spec.collect()
    equal(names[decoded(large)], "mine")
  end)

  it("JSN-33 compares among such values by what it stands for", function()
    local sorted = { "-18446744073709551617", "-18446744073709551616", "-9223372036854775809",
      "9223372036854775808", "18446744073709551615", "18446744073709551616", large }
    for i, a in ipairs(sorted) do
      for k, b in ipairs(sorted) do
        equal(decoded(a) < decoded(b), i < k)
        equal(decoded(a) <= decoded(b), i <= k)
        equal(decoded(a) == decoded(b), i == k)
      end
    end
  end)

  it("JSN-33 is no number of Lua's: what that could not do exactly raises", function()
    local id = decoded(large)
    check(id ~= 12345678901234567890123)
    spec.raises("cannot compare", function() return id < 5 end)
    spec.raises("cannot compare", function() return 5.0 <= id end)
    spec.raises("cannot compare", function() return id > "5" end)
    for _, calculate in ipairs {
      function() return id + 1 end, function() return 1 - id end, function() return id * id end,
      function() return id / 2 end, function() return id // 2 end, function() return id % 2 end,
      function() return id ^ 2 end, function() return -id end, function() return id & 1 end,
      function() return ~id end, function() return id << 1 end,
    } do
      contains(spec.raises(large, calculate), "cannot calculate with")
    end
    equal(tonumber(tostring(id)), 12345678901234567890123.0)
    equal(math.type(id), nil)
    check(not pcall(function() id.x = 1 end))
    equal(getmetatable(id), false)
  end)

  it("JSN-33 is concatenated as its digits, with texts, numbers and such as itself", function()
    local id = decoded(large)
    equal("/users/" .. id, "/users/" .. large)
    equal(id .. "/x", large .. "/x")
    equal(id .. 7, large .. "7")
    equal(id .. id, large .. large)
    equal(("%s"):format(id), large)
    contains(select(2, pcall(function() return id .. {} end)), "concatenate a table")
    local joined = setmetatable({}, { __concat = function(a, b)
      return (type(a) == "table" and "t" or a) .. "+" .. (type(b) == "table" and "t" or b)
    end })
    equal(joined .. id, "t+" .. large)
  end)

  it("JSN-33 is joined, grouped, counted once and sorted by lull.list; sums raise", function()
    local rows = lull.json.decode('[{"id":' .. large .. '},{"id":2},{"id":-' .. large .. '},{"id":' .. large
      .. '},{"id":' .. large .. "1}]")
    equal(lull.list.join(lull.list.map(rows, "id"), " "),
      large .. " 2 -" .. large .. " " .. large .. " " .. large .. "1")
    equal(#lull.list.unique(rows, "id"), 4)
    equal(#lull.list.group_by(rows, "id")[large], 2)
    equal(lull.list.join(lull.list.map(lull.list.sort_by(rows, "id"), "id"), " "),
      "-" .. large .. " 2 " .. large .. " " .. large .. " " .. large .. "1")
    equal(tostring(lull.list.max(rows, "id").id), large .. "1")
    contains(select(2, pcall(lull.list.sum, rows, "id")), "the integer " .. large)
    equal(lull.csv.encode(lull.list.pick(rows, "id")):match("%d+"), large)
  end)
end)

describe("a number beyond the range of floats", function()
  local text = '{"a":1,"huge":1e400,"list":[-12.50E+399,0.1],"whole":' .. ("9"):rep(400) .. "}"

  it("JSN-160 affects nothing but itself in content, documents and encoded JSON", function()
    local resource = spec.fake(json(text))("/a")
    local entity = assert(resource:load():await())
    local content = entity.content
    equal(content.a, 1)
    equal(content.list[2], 0.1)
    equal(tostring(content.huge), "1e400")
    equal(tostring(content.list[1]), "-12.50E+399")
    equal(tostring(content.whole), ("9"):rep(400))
    equal(tostring(entity.document.huge), "1e400")
    equal(lull.json.encode(entity.document), text)
    equal(lull.json.encode(content), text)
    equal(lull.json.encode(lull.copy(content)), text)
    equal(lull.json.encode(lull.json.decode(text)), text)
    check(lull.json.equal(content, entity.document))
    check(not lull.json.equal(content, lull.json.decode(text:gsub("1e400", "1e401"))))
    check(lull.json.equal(content, lull.json.decode(text:gsub("1e400", "10e399"))))
    equal(lull.json.type(content.huge), "number")
    contains(lull.inspect(content), "1e400")
  end)

  it("JSN-160 goes out in bodies and URLs with its digits", function()
    local service, sent = spec.fake(json(text))
    local huge = assert(service("/a"):load():await()).content.huge
    service("/a"):with_param("n", huge):post{ json = { n = huge } }:await()
    equal(sent[2].url, "https://api.test/v1/a?n=1e400")
    equal(sent[2].body, '{"n":1e400}')
  end)

  it("JSN-160 compares by what it says", function()
    local sorted = { "-1e401", "-1.5e400", "-1e400", "-" .. large, large, "1.7976931348623159e308", "1e400",
      "12e399", "1.3e400", "0.1e9999999999" }
    for i, a in ipairs(sorted) do
      for k, b in ipairs(sorted) do
        equal(decoded(a) < decoded(b), i < k, a .. " < " .. b)
        equal(decoded(a) <= decoded(b), i <= k, a .. " <= " .. b)
      end
    end
    check(decoded "1e400" <= decoded "10e399" and decoded "10e399" <= decoded "1e400")
    check(rawequal(decoded "1e400", decoded "1e400"))
  end)

  it("JSN-160 is no number of Lua's: calculating with it raises", function()
    local huge = decoded "1e400"
    contains(spec.raises("1e400", function() return huge + 1 end), "beyond the range of floats")
    contains(select(2, pcall(lull.list.sum, { { n = huge } }, "n")), "the number 1e400, which is beyond")
    spec.raises("a number is not finite at [1]", function() lull.json.encode { math.huge } end)
  end)
end)

describe("a table with such a key", function()
  it("JSN-113 is encoded by its digits, sorted among the integers", function()
    local value = { [decoded(large)] = 1, [decoded("-" .. large)] = 2, [10] = 3, [-5] = 4, a = 5, ["-"] = 6 }
    equal(lull.json.encode(value),
      '{"-' .. large .. '":2,"-5":4,"10":3,"' .. large .. '":1,"-":6,"a":5}')
    equal(lull.json.encode { [decoded(large)] = { [decoded(large .. "1")] = 1 } },
      '{"' .. large .. '":{"' .. large .. '1":1}}')
    contains(lull.inspect { [decoded(large)] = 1, [7] = 2 }, "[" .. large .. "]")
  end)

  it("JSN-113 may have any number of them", function()
    local value, lines = {}, {}
    for i = 1, 2000 do
      local digits = ("9%030d"):format(i)
      value[decoded(digits)], lines[i] = i, ('"%s":%d'):format(digits, i)
    end
    equal(lull.json.encode(value), "{" .. table.concat(lines, ",") .. "}")
  end)

  it("JSN-113 cannot have the same digits as a string", function()
    local value = { [decoded(large)] = 1, [large] = 2 }
    spec.raises("an integer and a string are the same key at a." .. large, function()
      lull.json.encode { a = value }
    end)
    value[large], value["0" .. large] = nil, 3
    equal(lull.json.encode(value), '{"' .. large .. '":1,"0' .. large .. '":3}')
  end)
end)

describe("null", function()
  local text = '{"name":"Ann","email":null,"tags":[1,null,3],"inner":{"a":null,"b":[null]}}'

  it('JSN-32 null = "nil" makes tables without nulls', function()
    local service = spec.fake(json(text), { null = "nil" })
    local entity = assert(service("/a"):load():await())
    for _, content in ipairs { entity.content, service("/a").content } do
      equal(content.email, nil)
      equal(content.tags[1], 1)
      equal(content.tags[2], nil)
      equal(content.tags[3], 3)
      equal(next(content.inner.b), nil)
      equal(content.inner.a, nil)
      equal(lull.json.encode(content.inner), '{"b":[]}')
    end
    equal(entity.document.email, lull.null)
    check(rawequal(entity.content, service("/a").content), "content is shared as ever")
    equal(assert(spec.fake(json "null", { null = "nil" })("/a"):load():await()).content, nil)
  end)

  it("JSN-32 transformers and errors get such tables too", function()
    local service = spec.fake({ json(text), json(text, nil, 400) }, { null = "nil" })
    local seen
    service:transform(function(content)
      seen = content.email == nil
      return content
    end)
    service("/a"):load():await()
    equal(seen, true)
    local _, err = service("/a"):load():await()
    equal(err.content.email, nil)
    equal(err.content.name, "Ann")
  end)

  it("JSN-32 the same document has nulls for a service that keeps them", function()
    local keeping, omitting = spec.fake(json(text)), spec.fake(json(text), { null = "nil" })
    equal(assert(keeping("/a"):load():await()).content.email, lull.null)
    equal(assert(omitting("/a"):load():await()).content.email, nil)
    equal(assert(spec.fake(json(text), { null = "lull.null" })("/a"):load():await()).content.email, lull.null)
  end)

  it("JSN-32 loops get lull.null for a null, which does not end them", function()
    local answer = spec.answer("application/x-ndjson", '{"a":1}\nnull\n{"a":2}\n')
    local seen = {}
    for row in spec.fake(answer, { null = "nil" })("/s"):events{ reconnect = false } do
      seen[#seen + 1] = row == lull.null and "null" or row.a
    end
    equal(table.concat(seen, " "), "1 null 2")
    local bodies, count = { "null", '{"a":1}' }, 0
    local service = spec.fake(function()
      count = math.min(count + 1, #bodies)
      return json(bodies[count])
    end, { null = "nil" })
    seen = {}
    for content in service("/w"):watch{ every = 0.01, until_ = function(c) return c ~= lull.null end } do
      seen[#seen + 1] = content == lull.null and "null" or content.a
    end
    equal(table.concat(seen, " "), "null 1")
    for _ in spec.fake(json "null", { null = "nil" })("/p"):pages() do
      check(false, "a page that is null is no page (PAG-83)")
    end
  end)

  it("JSN-32 any other value is refused", function()
    for _, value in ipairs { "null", "", true, 5, lull.null } do
      contains(spec.raises("'null' must be \"nil\" or \"lull.null\", got", function()
        lull.service{ base_url = "https://api.test", null = value }
      end), "got")
    end
  end)

  it("JSN-32 LULL_STRICT finds no difference in such tables, and what a script has changed", function()
    local source = ([[
      local lull = require "lull"
      local api = lull.service{ base_url = "https://api.test", null = "nil", networking = function()
        return { status = 200, headers = { ["Content-Type"] = "application/json" }, body = '%s' }
      end }
      lull.run(function()
        local r = api("/a")
        r:load():await()
        local content = r.content
        if arg[1] or %s then content.name = "Bob" end
        content = r.content
      end)]])
    excludes(spec.script(source:format(text, "false"), { env = "LULL_STRICT=1" }).err, "was changed")
    contains(spec.script(source:format(text, "true"), { env = "LULL_STRICT=1" }).err, "was changed at /name")
  end)
end)
