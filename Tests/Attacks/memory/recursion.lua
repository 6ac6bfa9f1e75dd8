-- expects: fine
local function deeper(...) return 1 + select("#", deeper(1, 2, 3, ...)) end
for _ = 1, 10 do pcall(deeper) end
