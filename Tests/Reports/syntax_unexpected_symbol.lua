local a = 1
local b = = a = 2
