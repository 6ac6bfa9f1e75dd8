local lull = require "lull"

local function fetch(name)
  lull.sleep(0)
  if name == "b" then error("no such thing: " .. name) end
  return name
end

lull.spawn(function()
  local task = lull.spawn(function() return fetch("b") .. "!" end)
  local result = task:await()
  print(result)
end)
lull.sleep(0.05)
