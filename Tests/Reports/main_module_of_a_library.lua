package.path = "../Reports/?.lua;" .. package.path
local fmt = require "lua_modules.padding"
for _, word in ipairs { "a", 7, {} } do
  print(fmt.left(word, 5))
end
