-- expects: limit
local text = "x"
while true do text = ("%s%s"):format(text, text) end
