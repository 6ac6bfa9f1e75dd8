-- The environment of `-f` expressions: the globals, the functions of `lull.list` by name, and the
-- encoding of results. Keys of tables that the expression creates are sorted, those of `pick` keep the
-- order of its arguments, and those of the content keep the content's order.

local make = ...
local lull = require "lull"
local float = math.type
-- `made`: sums and averages, which have no digits of the content to keep. `held`, if marks are wanted:
-- the parts of the content that the result contains.
local made, held = {}, nil
-- The names of records whose order is known.
local orders = setmetatable({}, { __mode = "k" })
local env = setmetatable(make {
  number = function(number)
    if float(number) == "float" and number == number then made[number] = true end
  end,
  order = function(record, names) orders[record] = names end,
  fields = true,
}, { __index = _G })

-- Lists and records of the content are tables for scripts.
function env.type(...)
  local kind = type(...)
  return kind == "userdata" and (...) ~= lull.null and lull.json.type((...)) ~= "number" and "table"
    or kind
end

local encode

-- As far as they are those that it has.
local function known_order(value)
  local names, count = {}, 0
  for _, name in ipairs(orders[value] or {}) do
    if value[name] ~= nil then names[#names + 1] = name end
  end
  for _ in pairs(value) do count = count + 1 end
  return count == #names and names or nil
end

local function members(value, depth)
  local names, parts = {}, {}
  for name in pairs(value) do
    if type(name) ~= "string" then return lull.json.encode(value) end
    names[#names + 1] = name
  end
  table.sort(names)
  for place, name in ipairs(known_order(value) or names) do
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

-- What is returned beside the first value would be lost.
local function only(...)
  local count = select("#", ...)
  if count > 1 then error(count .. " values, and only one can be written: return { a, b }", 0) end
  return (...)
end

return function(expression, x, wants_marks)
  made, held = {}, wants_marks and {} or nil
  local text = encode(only(expression(env, x)), 0)
  return text, held
end
