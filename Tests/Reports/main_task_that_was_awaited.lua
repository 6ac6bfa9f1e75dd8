local lull = require "lull"
local function divide(a, b)
  return a // b
end
local task = lull.spawn(function()
  lull.sleep(0)
  return divide(1, 0)
end)
print(task:await())
