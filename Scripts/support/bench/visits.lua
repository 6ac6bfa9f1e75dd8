-- What B5 and B6 do with the array of objects they have got, the same on both sides. Each gives a
-- number that nobody gets who has not read it.
local visits = {}

-- One field of one element, another one each time.
function visits.read(list, round)
  return list[1 + round * 977 % 20000].position.lat
end

-- Every field of everything.
local type, pairs, ipairs = type, pairs, ipairs
local function visit(value)
  local kind = type(value)
  -- Whole numbers add up to the same in any order.
  if kind == "number" then return value * 8 // 1 end
  if kind == "string" then return #value end
  if kind ~= "table" then return 1 end
  local sum = 0
  for key, element in pairs(value) do
    sum = sum + (type(key) == "string" and #key or key) + visit(element)
  end
  return sum
end

function visits.visit(list)
  local sum = 0
  for position, element in ipairs(list) do sum = sum + position + visit(element) end
  return sum
end

return visits
