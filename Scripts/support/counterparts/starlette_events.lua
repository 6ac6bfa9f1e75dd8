-- Reads starlette's event streams while their server is stopped and started. No event may be lost
-- or repeated.
local lull = require "lull"
local url, count = arg[1], tonumber(arg[2])
local api = lull.service(url)

-- Before the server starts, and while it restarts, connections are refused.
local function begun(open)
  for _ = 1, 200 do
    local items = open()
    local ok, first = pcall(items)
    if ok then return items, first end
    lull.sleep(0.05)
  end
  error("the server does not answer")
end

for _, separator in ipairs { "%0D%0A", "%0A", "%0D" } do
  local resource = api("/events"):relative("?sep=" .. separator)
  local items, event = begun(function() return resource:events() end)
  local number = 0
  while event do
    number = number + 1
    assert(event.id == tostring(number), ("%s after %d"):format(event.id, number - 1))
    assert(event.event == "number", event.event)
    assert(event.data == ("one\nline %d – ü"):format(number), event.data)
    event = items()
  end
  assert(number == count, ("%d events"):format(number))
end

local ok
for _ = 1, 200 do
  local sum = 0
  ok = pcall(function() for row in api("/rows"):events() do sum = sum + row.n end end)
  if ok then
    assert(sum == 5050, "rows are missing")
    break
  end
  lull.sleep(0.05)
end
assert(ok, "the rows never came as a whole")
