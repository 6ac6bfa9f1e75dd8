local x
local y = x.a + x.b
