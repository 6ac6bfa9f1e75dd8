local lull = require "lull"

local function items(list)
  for _, item in ipairs(list) do
    lull.sleep(0)
    coroutine.yield(item.name:upper())
  end
end

lull.spawn(function()
  for name in coroutine.wrap(function() items { { name = "a" }, {} } end) do print(name) end
end)
lull.sleep(0.05)
