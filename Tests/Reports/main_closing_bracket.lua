local function show(...) return ... end
local user = {}
show(
  "city",
  user.address.city
)
