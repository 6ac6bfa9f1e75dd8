-- expects: limit
local kept = {}
while #kept < math.huge do kept[#kept + 1] = { #kept } end
