-- B11: the cost of RESOURCES for a service with one configuration block and for one with BLOCKS.
-- Prints the CPU time of computing a configuration in ns, with one block and with BLOCKS. Then
-- prints how often a block ran per resource, block and version. With PASSES, there is only the
-- service with BLOCKS. Its configurations are computed PASSES more times, and nothing is timed.
local lull = require "lull"

local resource_count, block_count, passes = ...
resource_count, block_count = tonumber(resource_count), tonumber(block_count)
local versions = 3

local function make_side(blocks)
  local side = { blocks = blocks, runs = 0, time = 0, resources = {} }
  side.service = lull.service("http://127.0.0.1")
  side.service.cached_resource_count_limit = resource_count
  for _ = 1, blocks do
    side.service:configure("/**", function(config)
      side.runs = side.runs + 1
      config.expiration_time = 3600
    end)
  end
  for i = 1, resource_count do
    local resource = side.service("/item/" .. i)
    resource:override_local_content(i)
    side.resources[i] = resource
  end
  return side
end

local function access(side)
  for _, resource in ipairs(side.resources) do assert(resource.is_up_to_date) end
end

-- Computes every configuration again.
local function compute(side)
  side.service:invalidate_configuration()
  local runs = side.runs
  local start = os.clock()
  access(side)
  side.time = side.time + os.clock() - start
  assert(side.runs - runs == side.blocks * resource_count)
  access(side)
  assert(side.runs - runs == side.blocks * resource_count)
end

if passes then
  local side = make_side(block_count)
  compute(side)
  for _ = 1, tonumber(passes) do access(side) end
  return
end

local one, many = make_side(1), make_side(block_count)
one.runs, many.runs = 0, 0
for _ = 1, versions do
  compute(one)
  compute(many)
end
for _, side in ipairs{ one, many } do print(side.time / versions / resource_count * 1e9) end
print((one.runs + many.runs) / (resource_count * (1 + block_count) * versions))
