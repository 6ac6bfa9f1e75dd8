-- expects: limit
print(#("x"):rep(20000):gsub("x", ("y"):rep(20000)))
