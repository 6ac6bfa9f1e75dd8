-- Functions that B5 and B6 apply to the array of objects, identical on both sides.
local visits = {}

-- Reads one field of one element, a different one each time.
function visits.read(list, round)
  return list[1 + round * 977 % 20000].position.lat
end

-- Reads every field of every element. Returns their number.
local type, pairs = type, pairs
local function visit(value)
  local count = 0
  for _, field in pairs(value) do
    count = count + 1
    if type(field) == "table" then count = count + visit(field) end
  end
  return count
end

function visits.visit(list) return visit(list) end

-- Returns a number that depends on all values.
function visits.digest(value)
  local kind = type(value)
  -- Integers have the same sum in any order.
  if kind == "number" then return value * 8 // 1 end
  if kind == "string" then return #value end
  if kind ~= "table" then return 1 end
  local sum = 0
  for key, field in pairs(value) do
    sum = sum + (type(key) == "string" and #key or key) * visits.digest(field)
  end
  return sum
end

return visits
