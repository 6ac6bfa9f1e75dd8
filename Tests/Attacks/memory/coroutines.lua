-- expects: limit
local kept = {}
while true do kept[#kept + 1] = coroutine.create(print) end
