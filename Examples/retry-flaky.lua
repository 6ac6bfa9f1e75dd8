-- A server that fails now and then: errors as values, a pause, and another try.
local lull = require "lull"

local api = lull.service(lull.demo())
local flaky = api:resource("/flaky"):with_params{ fail = 2, key = "example" }

local entity, err
for attempt = 1, 5 do
  entity, err = flaky:load():await()
  if entity then
    print("attempt", attempt, "succeeded after", entity.content.attempts, "calls")
    break
  end
  print("attempt", attempt, err.http_status, err.user_message)
  lull.sleep(0.05)
end
assert(entity, err)

-- Slow servers are cut off; the error says why.
api:configure("/slow", { timeout = 0.2 })
local _, late = api:resource("/slow"):load():await()
print("slow", late.cause.kind)
