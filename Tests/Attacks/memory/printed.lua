-- expects: fine
local text = ("x"):rep(20 << 20)
for _ = 1, 20 do print(text) end
