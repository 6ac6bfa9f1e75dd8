-- expects: limit
local kept = {}
while true do
  local number = #kept
  kept[#kept + 1] = function() return number end
end
