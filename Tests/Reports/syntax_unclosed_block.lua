local list = {}
for i = 1, 3 do
  if i > 1 then
    list[#list + 1] = i
  end

print(#list)
