import LullHost

extension ContentFilter {
  /// What expressions of `-f` have besides the globals: functions over lists, which take a function
  /// of an element or the name of a field. Keys of tables made by the expression are written in
  /// alphabetical order; those of the content stay in theirs.
  static let prelude = #"""
    local lull = require "lull"
    local float = math.type
    local env = setmetatable({}, { __index = _G })
    -- Sums and averages, which are nobody's digits; and where marks are wanted, the parts of the
    -- content that the result holds.
    local made, held = {}, nil

    local function list(value, name)
      if value == nil or value == lull.null then return {} end
      local kind = type(value)
      if kind ~= "table" and kind ~= "userdata" then
        error(("%s needs a list, got a %s"):format(name, kind), 3)
      end
      return value
    end

    local function getter(by, name)
      if by == nil then return function(value) return value end end
      if type(by) == "function" then return by end
      if type(by) == "string" then return function(value) return value[by] end end
      error(("%s needs a function or the name of a field, got a %s"):format(name, type(by)), 3)
    end

    local function present(value) return value ~= nil and value ~= lull.null end

    local function text(value) return value == lull.null and "null" or tostring(value) end

    function env.map(x, by)
      local get, out = getter(by, "map"), lull.array{}
      for _, value in ipairs(list(x, "map")) do
        local made = get(value)
        out[#out + 1] = made == nil and lull.null or made
      end
      return out
    end

    function env.filter(x, by)
      local get, out = getter(by, "filter"), lull.array{}
      for _, value in ipairs(list(x, "filter")) do
        local keep = get(value)
        if keep and keep ~= lull.null then out[#out + 1] = value end
      end
      return out
    end

    function env.keys(x)
      local out = lull.array{}
      for key in pairs(list(x, "keys")) do out[#out + 1] = key end
      if type(x) == "table" then
        table.sort(out, function(a, b) return tostring(a) < tostring(b) end)
      end
      return out
    end

    function env.values(x)
      local out = lull.array{}
      for _, key in ipairs(env.keys(x)) do out[#out + 1] = x[key] end
      return out
    end

    -- Numbers before texts before anything else; what is equal keeps its order.
    local function before(a, b)
      local kinds = { number = 1, string = 2 }
      local one, other = kinds[type(a)] or 3, kinds[type(b)] or 3
      if one ~= other then return one < other end
      if one == 3 then return text(a) < text(b) end
      return a < b
    end

    function env.sort_by(x, by)
      local get, rows = getter(by, "sort_by"), {}
      for place, value in ipairs(list(x, "sort_by")) do
        rows[place] = { value = value, key = get(value), place = place }
      end
      table.sort(rows, function(a, b)
        if before(a.key, b.key) then return true end
        if before(b.key, a.key) then return false end
        return a.place < b.place
      end)
      local out = lull.array{}
      for place, row in ipairs(rows) do out[place] = row.value end
      return out
    end

    function env.reverse(x)
      local from, out = list(x, "reverse"), lull.array{}
      for place = #from, 1, -1 do out[#out + 1] = from[place] end
      return out
    end

    function env.group_by(x, by)
      local get, out = getter(by, "group_by"), {}
      for _, value in ipairs(list(x, "group_by")) do
        local key = text(get(value))
        out[key] = out[key] or lull.array{}
        table.insert(out[key], value)
      end
      return out
    end

    function env.count_by(x, by)
      local get, out = getter(by, "count_by"), {}
      for _, value in ipairs(list(x, "count_by")) do
        local key = text(get(value))
        out[key] = (out[key] or 0) + 1
      end
      return out
    end

    function env.unique(x, by)
      local get, seen, out = getter(by, "unique"), {}, lull.array{}
      for _, value in ipairs(list(x, "unique")) do
        local key = get(value)
        if type(key) == "table" or type(key) == "userdata" then key = lull.json.encode(key) end
        if key ~= nil and not seen[key] then
          seen[key] = true
          out[#out + 1] = value
        end
      end
      return out
    end

    function env.first(x, count)
      local from = list(x, "first")
      if not count then return from[1] end
      local out = lull.array{}
      for place = 1, math.min(count, #from) do out[place] = from[place] end
      return out
    end

    function env.last(x, count)
      local from = list(x, "last")
      if not count then return from[#from] end
      local out = lull.array{}
      for place = math.max(1, #from - count + 1), #from do out[#out + 1] = from[place] end
      return out
    end

    function env.count(x, by)
      if by == nil then return #list(x, "count") end
      return #env.filter(x, getter(by, "count"))
    end

    function env.sum(x, by)
      local get, total = getter(by, "sum"), 0
      for _, value in ipairs(list(x, "sum")) do
        local number = get(value)
        if present(number) then total = total + number end
      end
      if float(total) == "float" and total == total then made[total] = true end
      return total
    end

    function env.average(x, by)
      local get, total, count = getter(by, "average"), 0, 0
      for _, value in ipairs(list(x, "average")) do
        local number = get(value)
        if present(number) then total, count = total + number, count + 1 end
      end
      if count == 0 then return lull.null end
      local average = total / count
      if average == average then made[average] = true end
      return average
    end

    local function best(x, by, name, isBetter)
      local get, found, key = getter(by, name), nil, nil
      for _, value in ipairs(list(x, name)) do
        local this = get(value)
        if present(this) and (found == nil or isBetter(this, key)) then found, key = value, this end
      end
      return found
    end

    function env.min(x, by) return best(x, by, "min", before) end
    function env.max(x, by)
      return best(x, by, "max", function(a, b) return before(b, a) end)
    end

    function env.flatten(x)
      local out = lull.array{}
      for _, value in ipairs(list(x, "flatten")) do
        if type(value) == "table" or type(value) == "userdata" and value ~= lull.null then
          for _, inner in ipairs(value) do out[#out + 1] = inner end
        else
          out[#out + 1] = value
        end
      end
      return out
    end

    function env.pick(x, ...)
      local out = {}
      for _, name in ipairs{ ... } do out[name] = x[name] end
      return out
    end

    function env.join(x, separator)
      return table.concat(env.map(list(x, "join"), text), separator or ", ")
    end

    local encode

    local function members(value, depth)
      local names, parts = {}, {}
      for name in pairs(value) do
        if type(name) ~= "string" then return lull.json.encode(value) end
        names[#names + 1] = name
      end
      table.sort(names)
      for place, name in ipairs(names) do
        parts[place] = lull.json.encode(name) .. ":" .. encode(value[name], depth)
      end
      return "{" .. table.concat(parts, ",") .. "}"
    end

    function encode(value, depth)
      if held and float(value) == "float" and not made[value] then
        return "\2" .. lull.json.encode(value) .. "\2"
      elseif held and type(value) == "userdata" and value ~= lull.null then
        local text = lull.json.encode(value)
        held[#held + 1] = value
        -- Only what holds numbers may be spelled otherwise.
        return text:find("%d") and "\1" .. #held .. "\1" or text
      end
      if type(value) ~= "table" or next(value) == nil or depth > 900 then
        return lull.json.encode(value == nil and lull.null or value)
      end
      if #value == 0 then return members(value, depth + 1) end
      local count = 0
      for _ in pairs(value) do count = count + 1 end
      if count ~= #value then return lull.json.encode(value) end
      local parts = {}
      for place, element in ipairs(value) do parts[place] = encode(element, depth + 1) end
      return "[" .. table.concat(parts, ",") .. "]"
    end

    return function(expression, x, wants_marks)
      made, held = {}, wants_marks and {} or nil
      local text = encode(expression(env, x), 0)
      return text, held
    end
    """#
}
