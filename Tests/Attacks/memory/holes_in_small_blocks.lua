-- expects: either
-- One of many blocks of each size stays, so that hardly any memory goes back.
local kept = {}
for size = 16, 480, 16 do
  local texts = {}
  for index = 1, 40 * (1 << 20) // (size + 40) do
    texts[index] = ("%d"):format(index) .. ("x"):rep(size)
  end
  for index = 1, #texts, 400 do kept[#kept + 1] = texts[index] end
  texts = nil -- luacheck: ignore
  collectgarbage()
end
print(#kept)
