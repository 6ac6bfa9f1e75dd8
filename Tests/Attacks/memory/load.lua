-- expects: limit
local chunk = assert(load("return {" .. ("{},"):rep(20000000) .. "}"))
print(#chunk())
