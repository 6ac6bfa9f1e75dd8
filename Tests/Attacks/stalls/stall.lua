-- Runs one way of using Lull, and blocks the event loop at one step of it: `lull stall.lua FILE`, where
-- FILE is a table of what to do. Prints the outcome, or "end" if there is no such step; then the same
-- host must answer.
local lull = require "lull"

local path = assert(arg[1])
local plan = assert(load("return " .. assert(lull.read_file(path)), "plan", "t", {}))()

-- Steps ---------------------------------------------------------------------------------------------

local count, target

-- A step of a request's life: the one that is this run's turn takes long.
local function step()
  count = count + 1
  if count == target and plan.seconds > 0 then os.execute("sleep " .. plan.seconds) end
end

local observer = function() step() end

local function service(changes)
  local settings = {
    base_url = plan.url, timeout = 0.25, connect_timeout = 0.2, ca_file = plan.ca_file, proxy = plan.proxy,
    http_version = plan.http_version,
    mutate_requests = step,
    decorate_requests = function(_, request) step() return request end,
  }
  for name, value in pairs(changes or {}) do settings[name] = value end
  local api = lull.service(settings)
  api:configure("/**", function() step() end)
  api:transform("/**", function(content) step() return content end)
  step()
  return api
end

-- Lets the loop turn, with a step in between.
local function turns()
  for _ = 1, 6 do
    lull.sleep(0.002)
    step()
  end
end

local function hooks(request)
  return request:on_progress(step):on_success(step):on_failure(step):on_completion(step)
end

-- Ways ----------------------------------------------------------------------------------------------

local ways = {}

function ways.load(name, changes)
  local resource = service(changes)(name)
  resource:observe(observer)
  local request = hooks(resource:load())
  step()
  turns()
  return request:await()
end

function ways.request(name)
  local request = hooks(service()(name):get())
  step()
  turns()
  return request:await()
end

function ways.retry(name)
  return ways.load(name, { retry = { times = 1, backoff = { base = 0.01 } } })
end

function ways.concurrency(name)
  local api = service { concurrency = 1 }
  local requests = {}
  for index = 1, 3 do requests[index] = hooks(api(name):get()) end
  step()
  turns()
  local entity, err
  for _, request in ipairs(requests) do entity, err = request:await() end
  return entity, err
end

function ways.limit(name)
  return ways.load(name, { rate_limit = { requests = 1000, per = 1 } })
end

function ways.shared_limit(name)
  return ways.load(name, { rate_limit = { requests = 1000, per = 1, shared = true } })
end

function ways.chain(name)
  local api = service()
  local request = api(name):load():chained(function(response)
    step()
    if response.error then return response end
    return api(name):get()
  end)
  step()
  turns()
  return request:await()
end

function ways.task(name)
  local api = service()
  local task = lull.spawn(function()
    step()
    local entity, err = hooks(api(name):load()):await()
    step()
    return entity, err
  end)
  turns()
  return task:await()
end

function ways.download(name)
  local file = os.tmpname()
  local request = hooks(service()(name):download(file, { timeout = 0.25 }))
  step()
  turns()
  local entity, err = request:await()
  os.remove(file)
  return entity, err
end

function ways.upload()
  local file = os.tmpname()
  assert(lull.write_file(file, ("x"):rep(300000)))
  local request = hooks(service()("/upload"):put(lull.file(file), { timeout = 0.25 }))
  step()
  turns()
  local entity, err = request:await()
  os.remove(file)
  return entity, err
end

function ways.stream()
  local stream = service()("/stream"):events { timeout = 0.25 }
  step()
  local seen = 0
  local fine, problem = pcall(function()
    for _ in stream do
      seen = seen + 1
      step()
      if seen == 3 then break end
    end
  end)
  return fine and { content = seen }, problem
end

-- Runs ----------------------------------------------------------------------------------------------

local function outcome(entity, err)
  if entity then return "content" end
  return err and err.cause and err.cause.kind or tostring(err)
end

local function ask()
  if not plan.fine then return end
  local fine = lull.service { base_url = plan.fine, timeout = 30, ca_file = plan.ca_file }
  local entity, err = fine("/fine"):get():await()
  if not entity then error("the next request failed: " .. tostring(err)) end
end

if plan.is_warm then ask() end
count, target = 0, plan.step
local result = outcome(ways[plan.way](plan.path))
ask()
print(count >= target and result or "end")
