/// Random patterns and subjects, matched by the stock functions and by those that count, in Lua.
enum PatternComparison {
  /// Compares `...`: the stock `string`, a seed, a number of cases; nil, or a line about the first difference.
  static let text = #"""
    local stock, seed, cases = ...
    math.randomseed(seed)
    local random, concat = math.random, table.concat
    local letters = { "a", "b", "ab", "\0", "1", " ", "(", ")", "[", "]", "-", "%", "x", "A", "_", ".", "\255", "^", "$" }
    local items = {
      "a", "b", "c", ".", "%a", "%A", "%d", "%s", "%w", "%W", "%p", "%x", "%z", "%%", "%.", "[ab]", "[^a]", "[a-c]",
      "[%a_]", "[^%s]", "[]]", "[^]]", "[a-]", "[-a]", "[%]]", "[%", "[a", "]", "(", ")", "()", "(a)", "(.)", "(.-)",
      "(.*)", "%1", "%2", "%0", "%b()", "%bab", "%b", "%f[a]", "%f[%w]", "%f", "%f[^%z]", "^", "$", "-", "+", "*", "?",
      "a*", "a-", "a+", "a?", ".*", ".-", ".+", ".?", "%", "\0", "\255", "1", "%s*", "[%w_]*", "%g", "%c", "%l", "%u",
      "[%a%d]+", "[a-%z]", "[z-a]" }
    local replacements = {
      "x", "%0", "%1", "%2", "[%1]", "%%", "%", "%a", 1, function(...) return select("#", ...) .. "" end,
      function(a) return a end, function() return false end, function() return {} end, { a = "A", ab = "B" },
      setmetatable({}, { __index = function(_, key) return key end }), true }

    local function subject()
      local parts, some = {}, random(4) == 1 and { "a", "b" } or letters
      for i = 1, random(0, 12) do parts[i] = some[random(#some)] end
      return concat(parts)
    end

    local function pattern()
      -- As many items as can wait for each other, and one more.
      if random(200) == 1 then return items[random(#items)]:rep(random(195, 205)) end
      local parts = {}
      for i = 1, random(0, 6) do parts[i] = items[random(#items)] end
      return concat(parts)
    end

    local function result(ok, ...)
      local all = { tostring(ok) }
      for i = 1, select("#", ...) do
        local value = select(i, ...)
        -- Functions that have been replaced have no name.
        if not ok then value = value:gsub("to '[^']*'", "to '?'") end
        all[#all + 1] = (math.type(value) or type(value)) .. " " .. tostring(value)
      end
      return concat(all, "\n")
    end

    local function matches(gmatch, ...)
      local found = {}
      for one, two in gmatch(...) do
        found[#found + 1] = tostring(one) .. "," .. tostring(two)
        if #found == 50 then break end
      end
      return concat(found, ";")
    end

    for i = 1, cases do
      local s, p = subject(), pattern()
      local init = random(5) == 1 and random(-14, 14) or nil
      local replacement, most = replacements[random(#replacements)], random(8) == 1 and random(-1, 4) or nil
      local plain = random(20) == 1
      local function compare(name, one, other)
        if one == other then return end
        error(("%s of %q with %q, %s, %s: %q instead of %q"):format(
          name, s, p, init, tostring(replacement), other, one), 0)
      end
      compare("find", result(pcall(stock.find, s, p, init, plain)), result(pcall(string.find, s, p, init, plain)))
      compare("match", result(pcall(stock.match, s, p, init)), result(pcall(string.match, s, p, init)))
      compare("gsub", result(pcall(stock.gsub, s, p, replacement, most)),
        result(pcall(string.gsub, s, p, replacement, most)))
      compare("gmatch", result(pcall(matches, stock.gmatch, s, p, init)), result(pcall(matches, string.gmatch, s, p, init)))
    end
    return "the same"
    """#

  /// The same of functions of `table`, `string.rep` and `string.pack`; `...`: the stock functions by name, a seed, a
  /// number of cases.
  static let tables = #"""
    local stock, seed, cases = ...
    math.randomseed(seed)
    local random = math.random
    local values = { 1, 2, 3, "a", {}, true, 1.5, -1, 0, "3", 2.0, math.maxinteger, math.mininteger }
    local names = { "insert", "remove", "move", "concat", "sort", "rep", "pack" }
    local formats = { "c5", "<i4", "z", "c3c2", "x", "!8d", "c", "c1000", "ab", "" }
    local orders = {
      function(a, b) return a < b end, function(a, b) return a > b end, function() return true end,
      function() error("x", 2) end, 5 }

    local function shown(value)
      if type(value) ~= "table" then return (math.type(value) or type(value)) .. " " .. tostring(value) end
      local parts = {}
      for key, element in pairs(value) do
        parts[#parts + 1] = tostring(key) .. "=" .. (type(element) == "table" and "{}" or tostring(element))
      end
      stock.sort(parts)
      return stock.concat(parts, ",")
    end

    local function call(f, ...)
      local results = table.pack(pcall(f, ...))
      for i = 1, results.n do
        results[i] = shown(results[i]):gsub("to '[^']*'", "to '?'"):gsub("0x%x+", "")
      end
      return stock.concat(results, "\n")
    end

    local function copied(value)
      if type(value) ~= "table" then return value end
      local copy = setmetatable({}, getmetatable(value))
      for key, element in pairs(value) do copy[key] = element end
      return copy
    end

    local function arguments(name, first)
      if name == "sort" then return { first, orders[random(#orders + 1)] } end
      local all = { first }
      for i = 2, random(1, 5) do all[i] = random(3) == 1 and values[random(#values)] or random(-2, 8) end
      for i = 2, #all do
        -- What the stock function would not come to the end of.
        local is_large = all[i] == math.maxinteger or all[i] == math.mininteger
        if is_large and name ~= "insert" and name ~= "remove" then all[i] = 7 end
      end
      if name == "concat" and all[2] and random(2) == 1 then all[2] = ({ ",", "", "xx" })[random(3)] end
      if name == "move" and #all == 4 and random(3) == 1 then all[5] = {} end
      return all
    end

    for i = 1, cases do
      local name = names[random(#names)]
      local library = (name == "rep" or name == "pack") and string or table
      local first = {}
      for j = 1, random(0, 6) do first[j] = random(9) end
      if random(5) == 1 then setmetatable(first, { __len = function() return 3 end }) end
      if library == string then first = formats[random(#formats)] end
      if random(60) == 1 then first = ({ 5, "s", true })[random(3)] end
      local all, others = arguments(name, first), {}
      for j = 1, 5 do others[j] = copied(all[j]) end
      local count = #all
      local one, other = call(stock[name], table.unpack(all, 1, count)), call(library[name], table.unpack(others, 1, count))
      if one ~= other or shown(all[1]) ~= shown(others[1]) then
        error(("%s: %q %s instead of %q %s"):format(name, other, shown(others[1]), one, shown(all[1])), 0)
      end
    end
    return "the same"
    """#
}
