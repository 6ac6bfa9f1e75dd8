local lull = require "lull"
local rule = load([[
local row = ...
-- a price without tax
return row.price * row.factor
]])
lull.spawn(function() print(rule { price = 3 }) end)
lull.sleep(0.01)
