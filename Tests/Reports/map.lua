local lull = require "lull"

local function price(item)
  lull.sleep(0)
  return item.price.amount
end

lull.spawn(function()
  local prices = lull.map({ { price = { amount = 3 } }, {} }, price)
  print(#prices)
end)
lull.sleep(0.05)
