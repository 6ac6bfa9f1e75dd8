-- expects: fine
for _ = 1, 10 do
  local list = {}
  for index = 1, 1000000 do list[index] = index end
  print(#list)
end
