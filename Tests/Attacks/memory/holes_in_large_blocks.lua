-- expects: either
local kept = {}
for size = 600, 100000, 1500 do
  local texts = {}
  for index = 1, 40 * (1 << 20) // size do texts[index] = ("%d"):format(index) .. ("x"):rep(size) end
  for index = 1, #texts, 12 do kept[#kept + 1] = texts[index] end
  texts = nil -- luacheck: ignore
  collectgarbage()
end
print(#kept)
