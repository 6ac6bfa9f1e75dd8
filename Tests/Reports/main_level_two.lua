local function positive(n)
  if n < 0 then error("n must not be negative", 2) end
  return n ^ 0.5
end

local function area(a, b)
  local side = positive(a - b)
  return side
end

print(area(1, 2))
