-- COUNT repetitions of one walk, which trace-load follows. "load" loads one resource without
-- observers, "configuration" computes a configuration with one block, "observer" notifies one
-- observer of an override.
local lull = require "lull"

local walk, base_url, count = ...
local service = lull.service(base_url)
local resource = service:resource("/item/1")
local happened = 0

local walks = {}

function walks.load()
  assert(resource:load_if_needed():await())
  happened = happened + 1
end

function walks.configuration()
  service:invalidate_configuration()
  assert(not resource.is_up_to_date)
end

function walks.observer()
  resource:override_local_content("x")
end

if walk == "load" then
  -- Make every load necessary.
  service:configure("/**", function(config) config.expiration_time = 0 end)
elseif walk == "configuration" then
  service:configure("/**", function(config)
    happened = happened + 1
    config.expiration_time = 3600
  end)
elseif walk == "observer" then
  resource:observe(function(_, event)
    if event == "new_data" then happened = happened + 1 end
  end)
end
for _ = 1, tonumber(count) do walks[walk]() end
assert(happened == tonumber(count), happened)
