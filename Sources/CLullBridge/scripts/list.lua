-- The functions over lists and records that scripts have as `lull.list` and expressions of `-f` by
-- their names alone.
--
-- Called with the module's table, a function that raises where the first function of this text was called,
-- what stands before names in messages, and hooks, it gives a table of functions. They read plain tables,
-- content and documents alike, and wait where a function they are given waits.

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

-- The order of keys: numbers, with integers beyond 64 bits around them, texts, booleans, and missing
-- values, which are always last.
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
function list.map(x, ...)
  only("map", 2, select("#", ...) + 1)
  local get, done = getter("map", true, select("#", ...), (...))
  local values, count, names = read(x, "map")
  local out = {}
  for place = 1, count do
    local made = get(values[place])
    out[place] = made == nil and null or made
  end
  done(values, count)
  if names then return (record(names, count, out)) end
  return array(out)
end

function list.filter(x, ...)
  only("filter", 2, select("#", ...) + 1)
  local get, done = getter("filter", false, select("#", ...), (...))
  local values, count, names = read(x, "filter")
  local out, kept, total = {}, {}, 0
  for place = 1, count do
    local keep = get(values[place])
    if keep and keep ~= null then
      total = total + 1
      out[total] = values[place]
      if names then kept[total] = names[place] end
    end
  end
  done(values, count)
  if names then return (record(kept, total, out)) end
  return array(out)
end

function list.keys(x, ...)
  only("keys", 1, select("#", ...) + 1)
  local _, count, names = read(x, "keys")
  local out = {}
  for place = 1, count do out[place] = names and names[place] or place end
  return array(out)
end

function list.values(x, ...)
  only("values", 1, select("#", ...) + 1)
  local values, count = read(x, "values")
  local out = {}
  for place = 1, count do out[place] = values[place] end
  return array(out)
end

function list.entries(x, ...)
  only("entries", 1, select("#", ...) + 1)
  local values, count, names = read(x, "entries")
  local out = {}
  for place = 1, count do
    local key = names and names[place] or place
    out[place] = record({ "key", "value" }, 2, { key, values[place] })
  end
  return array(out)
end

function list.sort_by(x, ...)
  local getters, dones, down, count = {}, {}, {}, select("#", ...)
  for key = 1, count == 0 and 1 or count do
    local by, given = (select(key, ...)), count
    if type(by) == "string" and sub(by, 1, 1) == "-" then
      down[key], by = true, sub(by, 2)
      if by == "" then by, given = nil, 0 end
    end
    getters[key], dones[key] = getter("sort_by", false, given, by)
  end
  local values, total = read(x, "sort_by")
  local rows = {}
  for place = 1, total do
    local row = { place = place }
    for key = 1, #getters do
      local found = getters[key](values[place])
      row[key], row[-key] = found, rank("sort_by", found, place)
    end
    rows[place] = row
  end
  for key = 1, #dones do dones[key](values, total) end
  sort(rows, function(a, b)
    for key = 1, #getters do
      local one, other = a[-key], b[-key]
      if (one == 4) ~= (other == 4) then return other == 4 end
      if less(a[key], b[key], one, other) then return not down[key] end
      if less(b[key], a[key], other, one) then return down[key] == true end
    end
    return a.place < b.place
  end)
  local out = {}
  for place = 1, total do out[place] = values[rows[place].place] end
  return array(out)
end

function list.reverse(x, ...)
  only("reverse", 1, select("#", ...) + 1)
  local values, count = read(x, "reverse")
  local out = {}
  for place = 1, count do out[place] = values[count + 1 - place] end
  return array(out)
end

function list.group_by(x, ...)
  only("group_by", 2, select("#", ...) + 1)
  local get, done = getter("group_by", false, select("#", ...), (...))
  local values, count = read(x, "group_by")
  local out = {}
  for place = 1, count do
    local key = group("group_by", get(values[place]), place)
    local members = out[key] or array {}
    out[key] = members
    members[#members + 1] = values[place]
  end
  done(values, count)
  return out
end

function list.count_by(x, ...)
  only("count_by", 2, select("#", ...) + 1)
  local get, done = getter("count_by", false, select("#", ...), (...))
  local values, count = read(x, "count_by")
  local out = {}
  for place = 1, count do
    local key = group("count_by", get(values[place]), place)
    out[key] = (out[key] or 0) + 1
  end
  done(values, count)
  return out
end

function list.unique(x, ...)
  only("unique", 2, select("#", ...) + 1)
  local get, done = getter("unique", false, select("#", ...), (...))
  local values, count = read(x, "unique")
  local out, seen = {}, {}
  for place = 1, count do
    local key = get(values[place])
    local text = canonical(key, 1)
    if not text then
      raise(format("unique needs JSON, got %s for element %d", shown(key), place))
    end
    if not seen[text] then
      seen[text] = true
      out[#out + 1] = values[place]
    end
  end
  done(values, count)
  return array(out)
end

function list.first(x, ...)
  only("first", 2, select("#", ...) + 1)
  local wanted = (...)
  if select("#", ...) > 0 then whole("first", wanted, 0) end
  local values, count = read(x, "first")
  if wanted == nil then return values[1] end
  local out = {}
  for place = 1, wanted < count and wanted or count do out[place] = values[place] end
  return array(out)
end

function list.last(x, ...)
  only("last", 2, select("#", ...) + 1)
  local wanted = (...)
  if select("#", ...) > 0 then whole("last", wanted, 0) end
  local values, count = read(x, "last")
  if wanted == nil then return values[count] end
  local out, before = {}, wanted < count and count - wanted or 0
  for place = before + 1, count do out[place - before] = values[place] end
  return array(out)
end

function list.count(x, ...)
  only("count", 2, select("#", ...) + 1)
  local get, done = getter("count", false, select("#", ...), (...))
  local values, count = read(x, "count")
  if select("#", ...) == 0 then return count end
  local total = 0
  for place = 1, count do
    local found = get(values[place])
    if found and found ~= null then total = total + 1 end
  end
  done(values, count)
  return total
end

local function number(name, value, place)
  if math_type(value) then return end
  raise(format("%s needs numbers, got %s for element %d: write %s", name, shown(value), place,
    format(type(value) == "string" and "%s%s(x, function(v) return tonumber(v.name) end)"
      or "%s%s(x, \"name\")", prefix, name)))
end

-- Beyond 64 bits it goes on as a float.
local function plus(a, b)
  local total = a + b
  if math_type(total) == "integer" and ((total ~ a) & (total ~ b)) < 0 then return a + 0.0 + b end
  return total
end

function list.sum(x, ...)
  only("sum", 2, select("#", ...) + 1)
  local get, done = getter("sum", false, select("#", ...), (...))
  local values, count = read(x, "sum")
  local total = 0
  for place = 1, count do
    local found = get(values[place])
    if not is_nothing(found) then
      number("sum", found, place)
      total = plus(total, found)
    end
  end
  done(values, count)
  if hooks.number then hooks.number(total) end
  return total
end

function list.average(x, ...)
  only("average", 2, select("#", ...) + 1)
  local get, done = getter("average", false, select("#", ...), (...))
  local values, count = read(x, "average")
  local total, seen = 0, 0
  for place = 1, count do
    local found = get(values[place])
    if not is_nothing(found) then
      number("average", found, place)
      total, seen = plus(total, found), seen + 1
    end
  end
  done(values, count)
  if seen == 0 then return null end
  total = total / seen
  if hooks.number then hooks.number(total) end
  return total
end

-- The element with the key that precedes all others; the first one among equals.
local function first(name, precedes, x, ...)
  only(name, 2, select("#", ...) + 1)
  local get, done = getter(name, false, select("#", ...), (...))
  local values, count = read(x, name)
  local found, best, best_rank = nil, nil, 4
  for place = 1, count do
    local key = get(values[place])
    local key_rank = rank(name, key, place)
    if key_rank < 4 and (best_rank == 4 or precedes(key, best, key_rank, best_rank)) then
      found, best, best_rank = values[place], key, key_rank
    end
  end
  done(values, count)
  return found
end

local function greater(a, b, rank_a, rank_b) return less(b, a, rank_b, rank_a) end

function list.min(x, ...) return first("min", less, x, ...) end

function list.max(x, ...) return first("max", greater, x, ...) end

local function open(values, count, depth, out)
  for place = 1, count do
    local value = values[place]
    if depth > 0 and is_list(value) then
      local inner = value
      if type(value) ~= "table" then
        inner = {}
        for at, element in pairs(value) do inner[at] = element end
      end
      open(inner, #inner, depth - 1, out)
    else
      out[#out + 1] = value
    end
  end
end

function list.flatten(x, ...)
  only("flatten", 2, select("#", ...) + 1)
  local depth = (...)
  if select("#", ...) > 0 then whole("flatten", depth, 1) end
  local values, count = read(x, "flatten")
  local out = {}
  open(values, count, depth or 1, out)
  return array(out)
end

local function picked(value, ways, names, place)
  if is_nothing(value) then return null end
  if json_type(value) ~= "object" then
    raise(refusal("pick", "records", value) .. (place and " (element " .. place .. ")" or ""))
  end
  local results = {}
  for at = 1, #ways do
    local found, problem = field(value, ways[at])
    if found ~= nil then ways[at].is_seen = true end
    if problem then
      raise(format("pick takes the field '%s', got %s%s", names[at], problem,
        place and " in element " .. place or ""))
    end
    results[at] = found == nil and null or found
  end
  return (record(names, #ways, results))
end

function list.pick(x, ...)
  local names, ways = { ... }, {}
  if #names == 0 or select("#", ...) ~= #names then
    raise(refusal("pick", "the names of fields", nil))
  end
  for at = 1, #names do
    if type(names[at]) ~= "string" then
      raise(refusal("pick", "the names of fields", names[at]))
    end
    ways[at] = way(names[at])
  end
  if json_type(x) == "object" and not is_list(x) then
    local made = picked(x, ways, names)
    -- A single record may do without a field that others have; an expression has seen all of them.
    if hooks.fields then
      for at = 1, #ways do told(ways[at].is_seen, "pick", names[at], { x }, 1) end
    end
    return made
  end
  local values, count = read(x, "pick")
  local out = {}
  for place = 1, count do out[place] = picked(values[place], ways, names, place) end
  for at = 1, #ways do
    told(ways[at].is_seen, "pick", names[at], values, count)
  end
  return array(out)
end

function list.join(x, ...)
  only("join", 2, select("#", ...) + 1)
  local separator = (...)
  if select("#", ...) > 0 and type(separator) ~= "string" then
    raise(refusal("join", "a text between them", separator))
  end
  local values, count = read(x, "join")
  local parts = {}
  for place = 1, count do
    local value = values[place]
    if is_nothing(value) then
      parts[place] = ""
    elseif ranks[type(value)] or is_large(value) then
      parts[place] = tostring(value)
    else
      raise(format("join needs numbers, texts or booleans, got %s for element %d: write %s",
        shown(value), place, prefix .. 'join(map(x, "name"), ", ")'))
    end
  end
  return concat(parts, separator or ", ")
end

return list
