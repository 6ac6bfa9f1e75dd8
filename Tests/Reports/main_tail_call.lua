local function check(x)
  if not x then error("nothing to check") end
end
local function run(x) return check(x) end
run()
