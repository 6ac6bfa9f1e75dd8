local lull = require "lull"
lull.spawn(function()
  lull.sleep(0)
  local rows = { 1, 2, "three" }
  table.sort(rows)
end)
lull.sleep(0.01)
