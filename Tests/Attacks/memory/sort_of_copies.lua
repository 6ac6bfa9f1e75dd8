-- expects: either
local list = {}
for index = 1, 1000000 do list[index] = index end
for _ = 1, 50 do list = table.move(list, 1, #list, 1, {}) end
table.sort(list, function(a, b) return a > b end)
