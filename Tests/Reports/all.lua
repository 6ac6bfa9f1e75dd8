local lull = require "lull"

local function check(name)
  lull.sleep(0)
  assert(name ~= "b", "bad name")
end

lull.spawn(function()
  lull.all { lull.spawn(check, "a"), lull.spawn(check, "b") }
end)
lull.sleep(0.05)
