local user = setmetatable({}, { __index = function(_, key) error("no " .. key, 2) end })
print(
  "name:",
  user.name
)
