-- B9: COUNT loads of 1,000 observed resources in turn with the stub provider. Every content is
-- read. Prints the bytes of resident memory after each INTERVAL loads.
local lull = require "lull"
local resident = require "resident"

local count, interval = ...
count, interval = tonumber(count), tonumber(interval)
local service = lull.service{
  base_url = "http://stub.invalid",
  networking = lull.testing.stub{
    ["GET /item"] = { json = { id = 1234567, name = "Kilauea", status = "active ok !" } },
  },
}
local resources, notified = {}, 0
for i = 1, 1000 do
  resources[i] = service("/" .. i .. "/item")
  resources[i]:observe(function(_, event)
    if event == "new_data" then notified = notified + 1 end
  end)
end
for n = 1, count do
  local entity = assert(resources[n % 1000 + 1]:load():await())
  assert(entity.content.id == 1234567)
  if n % interval == 0 then print(resident()) end
end
assert(notified == count, notified)
