-- B1, B2 and B14: COUNT loads of RESOURCES resources in turn, each with one observer. With "await",
-- one after the other. Otherwise IN_FLIGHT at a time, where the end of each load starts the next.
-- Has the same output as get.c.
local lull = require "lull"

local base_url, count, in_flight, resource_count, warm_up, mode = ...
count, in_flight = tonumber(count), tonumber(in_flight)
resource_count, warm_up = tonumber(resource_count), tonumber(warm_up)

local api = lull.service(base_url)
local resources, notified = {}, 0
for i = 1, resource_count do
  resources[i] = api:resource("/item/" .. i)
  resources[i]:observe(function(_, event)
    if event == "new_data" then notified = notified + 1 end
  end)
end

local function await_each(n)
  for i = 0, n - 1 do
    assert(resources[i % resource_count + 1]:load():await())
  end
end

local function keep_in_flight(n)
  local started, finished = 0, 0
  local start
  local function ended(response)
    assert(response.is_success, response.error)
    finished = finished + 1
    if started < n then start() end
  end
  function start()
    local resource = resources[started % resource_count + 1]
    started = started + 1
    resource:load():on_completion(ended)
  end
  for _ = 1, math.min(in_flight, n) do start() end
  lull.run()
  assert(finished == n, finished)
end

local run = mode == "await" and await_each or keep_in_flight
run(warm_up)
notified = 0
local wall, cpu = lull.now(), os.clock()
run(count)
wall, cpu = lull.now() - wall, os.clock() - cpu

assert(notified == count, "observers heard of " .. notified .. " loads")
for i = 1, math.min(resource_count, count) do
  local content = resources[i].content
  assert(content.id == 1234567 and content.name == "Kilauea" and content.status == "active ok !")
end
local length = assert(api("/request-length"):load():await()).content
print(string.format("%.6f %.6f %d", wall, cpu, length))
