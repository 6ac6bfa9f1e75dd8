-- expects: limit
local megabyte = ("x"):rep(1 << 20)

local pieces = {}
for index = 1, 5000 do pieces[index] = megabyte end
print(#table.concat(pieces))
