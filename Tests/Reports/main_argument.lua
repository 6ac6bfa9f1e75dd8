print(("x"):rep(3, "-"), string.rep("x", "many"), "rep")
