-- B12: COUNT long polls in flight at once, with longpoll.c as the server. MODE selects the output:
--   memory   bytes of resident memory per poll
--   queue    the same for COUNT requests that wait for the only allowed connection
--   events   µs of CPU time for each of EVENTS responses, followed by the next request of its poll
local lull = require "lull"
local resident = require "resident"

local base_url, count, mode, events = ...
count, events = tonumber(count), tonumber(events)

local api = lull.service{
  base_url = base_url, connections_per_host = mode == "queue" and 1 or count,
  timeout = 3600, connect_timeout = 600,
}
api.cached_resource_count_limit = 2 * count + 1000

-- Another name for the same server, so that control requests do not wait for polls.
local control = lull.service{ base_url = base_url:gsub("127%.0%.0%.1", "localhost"), timeout = 3600 }
local function tell(what) return assert(control("/" .. what):load():await()).content end

local finished, is_polling = 0, false
local start

-- One function for all polls. The response tells them apart.
local function ended(response)
  assert(response.is_success, response.error)
  assert(response.entity.content.news == true)
  finished = finished + 1
end

local function poll_again(response)
  ended(response)
  if is_polling then start(response) end
end

local resources, by_url = {}, {}
for i = 1, count do
  resources[i] = api("/poll/" .. i)
  by_url[resources[i].url] = resources[i]
  -- Compute its configuration now, because that is memory of the resource, not of the request.
  assert(not resources[i].is_up_to_date)
end

function start(response) by_url[response.url]:load():on_completion(poll_again) end

local function wait_until_held(wanted)
  lull.wait_until(function() return tell "held" == wanted end, { every = 0.02 })
end

local function settled()
  collectgarbage()
  collectgarbage()
  lull.sleep(0)
  collectgarbage()
  return resident()
end

-- Create one-time objects with polls that are not measured.
tell "hold"
for i = 1, mode == "queue" and 1 or math.min(count, 64) do resources[i]:load():on_completion(ended) end
wait_until_held(mode == "queue" and 1 or math.min(count, 64))
tell "release"
lull.run()
finished = 0

if mode == "queue" then
  local order = {}
  resources[1]:load():on_completion(ended)
  wait_until_held(1)
  local before = settled()
  for i = 1, count do
    resources[i]:load():on_completion(ended)
  end
  -- New requests are sent in the next turn, as far as limits allow.
  lull.sleep(0)
  assert(lull.stats().requests_queued == count, lull.stats().requests_queued)
  print((settled() - before) / count)
  for i = 1, count, 97 do
    resources[i].load_requests[1]:on_completion(function() order[#order + 1] = i end)
  end
  tell "drain"
  lull.run()
  assert(finished == count + 1, finished)
  for i = 2, #order do assert(order[i - 1] < order[i]) end
  return
end

local before = settled()
for i = 1, count do resources[i]:load():on_completion(poll_again) end
wait_until_held(count)
if mode == "memory" then
  assert(lull.stats().requests_in_flight == count)
  print((settled() - before) / count)
else
  is_polling = true
  local cpu = os.clock()
  tell("tick/" .. events)
  print((os.clock() - cpu) / events * 1e6)
  is_polling = false
  assert(finished == events, finished)
end
finished = 0
local released = tell "release"
lull.run()
assert(released == count and finished == count, finished)
