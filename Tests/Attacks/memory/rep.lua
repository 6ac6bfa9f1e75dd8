-- expects: limit
print(#("x"):rep(1 << 30))
