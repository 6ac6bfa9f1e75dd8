local lull = require "lull"
local task = lull.spawn(function() error("caught") end)
lull.spawn(function()
  print(pcall(task.await, task))
  error("another")
end)
lull.sleep(0.01)
