-- expects: fine
for size = 1, 60 do
  local _ = ("x"):rep(5000000 + size)
end
