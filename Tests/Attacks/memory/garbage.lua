-- expects: fine
for size = 1, 3000 do
  local _ = ("x"):rep(100000) .. size
end
