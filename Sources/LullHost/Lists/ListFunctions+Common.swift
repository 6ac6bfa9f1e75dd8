/// What the functions of `lull.list` have in common: reading lists and records, fields, orders, and what
/// is said of what they cannot do.
extension ListFunctions {
  static let common = #"""
    local lull, raise, prefix, hooks, note, omitted = ...
    local null, array, json_type = lull.null, lull.array, lull.json.type
    local type, pairs, next, select, tostring = type, pairs, next, select, tostring
    local tonumber, getmetatable, math_type, tointeger = tonumber, getmetatable, math.type, math.tointeger
    local sort, concat, format = table.sort, table.concat, string.format
    local sub, find, gmatch = string.sub, string.find, string.gmatch
    hooks = hooks or {}
    local list = {}

    -- How each is written, for messages.
    local usage = {
      map = 'map(x, "name")', filter = 'filter(x, "name")', keys = "keys(x)", values = "values(x)",
      entries = "entries(x)", sort_by = 'sort_by(x, "-name")', reverse = "reverse(x)",
      group_by = 'group_by(x, "name")', count_by = 'count_by(x, "name")',
      unique = 'unique(x, "name")', first = "first(x, 3)", last = "last(x, 3)",
      count = "count(x)", sum = 'sum(x, "name")', average = 'average(x, "name")',
      min = 'min(x, "name")', max = 'max(x, "name")', flatten = "flatten(x)",
      pick = 'pick(x, "id", "name")', join = 'join(x, ", ")',
    }

    local function is_nothing(value) return value == nil or value == null end

    local function shown(value)
      local kind = type(value)
      if value == nil or value == null then return tostring(value) end
      if kind == "number" then return "the number " .. tostring(value) end
      if kind == "string" then
        return format("the text '%s'", #value > 40 and sub(value, 1, 40) .. "…" or value)
      end
      if kind == "boolean" then return tostring(value) end
      local json = json_type(value)
      if json == "number" then
        local digits = tostring(value)
        if digits:find "[.eE]" then return "the number " .. digits .. ", which is beyond the range of floats" end
        return "the integer " .. digits .. ", which is beyond 64 bits"
      end
      return json == "array" and "a list" or json == "object" and "a record" or "a " .. kind
    end

    local function refusal(name, needed, value, hint)
      return format("%s needs %s, got %s: write %s", name, needed, shown(value),
        hint or prefix .. usage[name])
    end

    local function is_list(value)
      local json = json_type(value)
      return json == "array" or json == "object" and type(value) == "table" and next(value) == nil
        and getmetatable(value) == nil
    end

    local function name_order(a, b)
      local one, other = type(a), type(b)
      if one ~= other then return one == "number" end
      return a < b
    end

    -- The values in their order and how many; of a record its names too.
    local function read(x, name)
      if is_list(x) then
        if type(x) == "table" then return x, #x end
        local values, count = {}, 0
        for place, value in pairs(x) do values[place], count = value, place end
        return values, count
      end
      if json_type(x) ~= "object" then
        raise(refusal(name, "a list or a record", x, is_nothing(x)
          and format("%s%s(x or {}, …) where it may be missing", prefix, name) or nil))
      end
      local values, names, count = {}, {}, 0
      for key in pairs(x) do
        if type(key) ~= "string" and type(key) ~= "number" then
          raise(format("%s needs names that are texts, got a %s", name, type(key)))
        end
        count = count + 1
        names[count] = key
      end
      if type(x) == "table" then sort(names, name_order) end
      for place = 1, count do values[place] = x[names[place]] end
      return values, count, names
    end

    -- A record of these values under these names; those that are nil are not in it.
    local function record(names, count, results)
      local out = {}
      for place = 1, count do out[names[place]] = results[place] end
      if hooks.order then hooks.order(out, names) end
      return out
    end

    -- The way to a field: its name as it stands, and the parts between dots.
    local function way(name)
      local parts = {}
      if find(name, ".", 2, true) then
        for part in gmatch(name, "[^.]+") do parts[#parts + 1] = part end
      else
        parts[1] = name
      end
      return { name = name, parts = parts }
    end

    -- What a way leads to; or nil and what is in the way.
    local function field(value, path)
      if #path.parts > 1 and json_type(value) == "object" then
        local whole = value[path.name]
        if whole ~= nil then return whole end
      end
      for _, part in next, path.parts do
        if value == nil or value == null then return nil end
        local kind = type(value)
        if kind ~= "table" and kind ~= "userdata" then return nil, shown(value) end
        local found = kind == "table" and value[part] or nil
        if found == nil then
          local json, number = json_type(value), tonumber(part)
          if json == "array" then
            if math_type(number) ~= "integer" then return nil, "a list" end
            if number < 1 then return nil, "a list, which counts from 1," end
            found = value[number]
          elseif json == "object" then
            found = value[part]
            if found == nil and kind == "table" and number then found = value[number] end
          else
            return nil, shown(value)
          end
        end
        value = found
      end
      return value
    end

    local function nothing() end

    -- How many parts of a way are there, and the record that lacks the next one; no record where null or
    -- something else is in the way.
    local function reach(value, path)
      for at = 1, #path.parts do
        local json, part = json_type(value), path.parts[at]
        if json ~= "object" and json ~= "array" then return at - 1 end
        local found
        if json == "object" then found = value[part] end
        if found == nil and type(value) == "table" or json == "array" then
          local number = tointeger(tonumber(part))
          if number then found = value[number] end
        end
        if found == nil then return at - 1, json == "object" and value or nil end
        value = found
      end
      return #path.parts
    end

    -- Says whether there was a field that a line names: one that no record has may be misspelt.
    local function told(is_seen, name, by, values, count)
      if is_seen then
        if hooks.fields then note(true, name .. "\0" .. by) end
        return
      end
      local path, far, holder = way(by), -1, nil
      for place = 1, count do
        if json_type(values[place]) == "object" then
          local at, lacking = reach(values[place], path)
          if at > far then
            far, holder = at, lacking
          elseif at == far and not holder then
            holder = lacking
          end
        end
      end
      if not holder then return end
      local parts = path.parts
      local part = parts[far + 1]
      -- Nulls of content may have been left out.
      if type(holder) == "table" and omitted(part) then return end
      local words = { name, by, part, concat(parts, ".", 1, far), concat(parts, ".", far + 2) }
      for key in pairs(holder) do
        if type(key) == "string" and #words < 200 then words[#words + 1] = key end
      end
      note(false, concat(words, "\0"))
    end

    -- What a function or the name of a field makes of one element after another; and a function to be called when
    -- all of them are read.
    local function getter(name, needed, count, by)
      if by == nil and count == 0 and not needed then
        return function(value) return value end, nothing
      end
      if type(by) == "function" then return function(value) return (by(value)) end, nothing end
      if type(by) ~= "string" then
        raise(refusal(name, "a function or the name of a field", by))
      end
      local path, place, seen = way(by), 0, false
      return function(value)
        place = place + 1
        local found, problem = field(value, path)
        if problem then
          raise(format("%s takes the field '%s', got %s in element %d", name, by, problem, place))
        end
        if found ~= nil then seen = true end
        return found
      end, function(values, total)
        told(seen, name, by, values, total)
      end
    end

    local function only(name, most, given)
      if given > most then
        raise(format("too many arguments to '%s' (%d expected, got %d)", name, most, given))
      end
    end

    local function whole(name, value, least)
      local number = math_type(value) and tointeger(value)
      if not number or number < least then
        raise(refusal(name, format("a whole number, %d or more", least), value))
      end
    end

    -- An integer beyond 64 bits, which Lua has no number for.
    local function is_large(value) return type(value) == "userdata" and json_type(value) == "number" end

    -- What is sorted before what: numbers, with integers beyond 64 bits around them, texts, booleans, and
    -- what is missing, last in any case.
    local ranks = { number = 1, string = 2, boolean = 3 }
    local function rank(name, key, place)
      if key == nil or key == null or key ~= key then return 4 end
      local found = ranks[type(key)]
      if found then return found end
      if is_large(key) then return sub(tostring(key), 1, 1) == "-" and 0 or 1.5 end
      raise(format("%s needs numbers, texts or booleans, got %s for element %d: write %s", name,
        shown(key), place, prefix .. usage[name]))
    end

    local function less(a, b, rank_a, rank_b)
      if rank_a ~= rank_b then return rank_a < rank_b end
      if rank_a == 3 then return not a and b end
      return rank_a < 3 and a < b
    end

    -- Groups are called so.
    local function group(name, key, place)
      if key == nil or key == null then return "null" end
      if ranks[type(key)] or is_large(key) then return tostring(key) end
      raise(format("%s needs numbers, texts or booleans, got %s for element %d: write %s", name,
        shown(key), place, prefix .. usage[name]))
    end

    -- A text that is the same for the same JSON; false for what has none.
    local function canonical(value, depth)
      if value == nil or value == null then return "n" end
      local kind = type(value)
      if kind == "number" then
        local int = tointeger(value)
        return int and format("%d", int) or format("%.17g", value)
      end
      if kind == "string" then return format("%q", value) end
      if kind == "boolean" or is_large(value) then return tostring(value) end
      local json, parts = json_type(value), {}
      if depth > 1000 or json == nil then return false end
      if is_list(value) then
        for place = 1, #value do
          local part = canonical(value[place], depth + 1)
          if not part then return false end
          parts[place] = part
        end
        return "[" .. concat(parts, ",") .. "]"
      end
      for key, inner in pairs(value) do
        local part = canonical(inner, depth + 1)
        if not part then return false end
        parts[#parts + 1] = format("%q", tostring(key)) .. part
      end
      sort(parts)
      return "{" .. concat(parts, ",") .. "}"
    end

    """#
}
