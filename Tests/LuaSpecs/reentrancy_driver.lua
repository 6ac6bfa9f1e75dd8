-- Random calls whose finalisers, `__close` methods, debug hooks and message handlers call Lull in turn,
-- beginning with a pool without coroutines.
--
--   lull reentrancy_driver.lua [SEED [CALLS [incremental|generational]]]     the same with lua5.4
--
-- Prints how many calls were made, and what went wrong; then its exit code is 1.
local seed = math.tointeger(tonumber(arg[1] or 1))
local wanted = math.tointeger(tonumber(arg[2] or 3000))
local collector = arg[3] or "incremental"

math.randomseed(seed)
local random = math.random

-- Collections all the time.
if collector == "generational" then
  collectgarbage("generational", 1, 5)
else
  collectgarbage("incremental", 10, 400, 8)
end

-- The module is opened while finalisers open it.
local opened = {}
for i = 1, 300 do
  setmetatable({}, { __gc = function() opened[i % 4 + 1] = require "lull" end })
end
local lull = require "lull"
local baseline = lull.stats().pins

local calls, depth, wiped = 0, 0, 0
local problems = {}
local act

-- Each once.
local function problem(text)
  if problems[text] or #problems == 10 then return end
  problems[text] = true
  problems[#problems + 1] = debug.traceback(text, 2)
end

for _, module in pairs(opened) do
  if module ~= lull then problem("the module was opened twice") end
end

-- Garbage that calls Lull when it is collected.
local function litter() setmetatable({}, { __gc = function() act() end }) end

-- Errors that calls at a random place may raise.
local expected = {
  "raised on purpose", "cannot wait", "is closed", "would wait for itself", "non%-suspended",
  "cannot close", "cannot resume", "already waiting for", "attempt to yield", "nested too deeply",
  "C stack overflow", "error in error handling", "has not started", "needs a URL",
}

local function is_expected(err)
  if type(err) ~= "string" then return true end
  for _, pattern in ipairs(expected) do
    if err:find(pattern) then return true end
  end
  return false
end

-- What is called ---------------------------------------------------------------------------------

local api = lull.service{ base_url = "https://api.test", networking = function(http, complete)
  act()
  local way = random(6)
  if way == 1 then
    lull.sleep(0)
    return { json = { token = http.url } }
  elseif way == 2 then
    return { status = 500, body = "no" }
  elseif way == 3 then
    lull.spawn(function() complete{ json = { token = 1, list = { 1, { 2 } } } } end)
    return nil
  end
  return { json = { { token = 1 }, { token = 2 } }, headers = { ETag = '"e"' } }
end }

local resources = {}
local function resource()
  local n = random(6)
  local found = api("/" .. n)
  if found == nil then
    problem("a service gave no resource")
    return resources[n] or api("/0")
  end
  if resources[n] and not rawequal(resources[n], found) then problem("a resource has two userdata") end
  resources[n] = found
  return found
end

local kept = {}
local function keep(kind, value)
  if value == nil then return problem("no " .. kind) end
  local list = kept[kind] or {}
  kept[kind] = list
  list[random(8)] = value
  return value
end
local function pick(kind)
  local list = kept[kind]
  return list and list[random(8)]
end

local callback
-- Those whose hooks have not been called. No count: a debug hook may come between reading and writing one.
local pending = {}
local function begin(request)
  if request == nil then return problem("no request") end
  local mark = {}
  pending[mark] = true
  request:on_completion(function(response)
    if not pending[mark] then problem("a hook was called twice") end
    pending[mark] = nil
    if response == nil then problem("a hook got no response") end
    callback()
  end)
  return keep("request", request)
end

-- What observers and hooks do. One that waits has its coroutine missing in the pool meanwhile.
function callback()
  act()
  if random(3) == 1 then lull.sleep(random(2) == 1 and 0 or 0.01) end
end

local in_hook = false
local function hook()
  if in_hook then return end
  in_hook = true
  act()
  in_hook = false
end

local configured = 0
local actions = {
  function()
    local r, before = resource(), wiped
    r:override_local_content{ token = random(1000) }
    local content = r.content
    if wiped == before and (type(content) ~= "table" or not (content.token or content[1])) then
      problem("the content is " .. tostring(content))
    end
  end,
  function()
    resource():override_local_data(lull.entity{ content = { token = random(1000) } })
  end,
  function()
    keep("observation", resource():observe(function(r, event)
      if r == nil or event == nil then problem("an observer was told nothing") end
      callback()
    end))
  end,
  function()
    local owner = {}
    local observer = { resource_changed = function(_, r)
      if r == nil then problem("an observer was told nothing") end
      callback()
    end, stopped_observing = function() act() end }
    resource():add_observer(random(2) == 1 and observer or observer.resource_changed, owner)
    resource():add_observer(observer, owner)
    if random(2) == 1 then keep("owner", owner) end
  end,
  function()
    local owner = pick("owner")
    if owner then resource():remove_observers(owner) end
    local observation = pick("observation")
    if observation then observation:stop() end
  end,
  function() begin(resource():load()):on_success(function(entity)
    if entity == nil then problem("a hook got no entity") end
    act()
  end) end,
  function()
    local request = resource():load_if_needed()
    if request then begin(request) end
  end,
  function() begin(resource():post{ json = { a = random(9) } }) end,
  function()
    local request = pick("request")
    if request then request:cancel() end
  end,
  function()
    local request = pick("request")
    if not request then return end
    local response = request.response
    if response and response.entity then
      local document = response.entity.document
      if document then for _ in pairs(document) do act() end end
    end
  end,
  function()
    local r = resource()
    if not rawequal(r.service, api) then problem("a service has two userdata") end
    if not rawequal(r:child("x"), r:child("x")) then problem("a child has two userdata") end
  end,
  function()
    wiped = wiped + 1
    resource():wipe()
  end,
  function()
    resource():invalidate()
    api:flush_unused_resources()
  end,
  function()
    if configured < 40 then
      configured = configured + 1
      local way = random(4)
      if way == 1 then
        api:configure("/" .. random(6), function() act() end)
      elseif way == 2 then
        api:transform(function(content)
          act()
          return content
        end)
      elseif way == 3 then
        api:configure("/" .. random(6), function(c) c.pipeline.model.cache = lull.cache.memory() end)
      else
        api:configure{ mutate_requests = function() act() end }
      end
    else
      api:invalidate_configuration()
    end
  end,
  function()
    local list = lull.json.decode('[1, {"a": [2, 3], "b": "c"}, "d"]')
    if list == nil or lull.json.encode(list[2].a) ~= "[2,3]" then problem("the text is another one") end
    lull.inspect(list)
  end,
  function()
    keep("task", lull.spawn(function(a)
      if a ~= 1 then problem("a task lost its argument") end
      act()
      lull.sleep(random(3) * 0.001)
      act()
      return a
    end, 1))
  end,
  function()
    lull.spawn(function()
      local results = lull.map({ 1, 2, 3 }, function(n)
        act()
        lull.sleep(0)
        return n
      end)
      if results == nil or results[3] ~= 3 then problem("lull.map lost a result") end
    end)
  end,
  function()
    lull.spawn(function()
      local request = begin(resource():load())
      local task = lull.spawn(function() act() end)
      lull.all{ request, task }
    end)
  end,
  function()
    local task = pick("task")
    if task then task:cancel() end
  end,
  function()
    lull.spawn(function()
      local pages = resource():pages{ max = 3, next = function(_, page)
        act()
        return page
      end, cross_origin = true }
      for content in pages do
        if content == nil then problem("a page without content") end
        act()
        if random(3) == 1 then break end
      end
    end)
  end,
  -- Coroutines of the script's own, which fail, wait and are closed by others.
  function()
    local co = keep("coroutine", coroutine.create(function()
      local _ <close> = setmetatable({}, { __close = function() act() end })
      act()
      coroutine.yield()
      act()
      error("raised on purpose " .. random(9))
    end))
    coroutine.resume(co)
  end,
  function()
    local co = pick("coroutine")
    if co then coroutine.resume(co) end
  end,
  function()
    local co = pick("coroutine")
    if co and coroutine.status(co) ~= "running" and coroutine.status(co) ~= "normal" then
      coroutine.close(co)
    end
  end,
  function()
    local wrapped = coroutine.wrap(function()
      local _ <close> = setmetatable({}, { __close = function() act() end })
      act()
      error("raised on purpose " .. random(9))
    end)
    pcall(wrapped)
  end,
  -- Message handlers, variables to be closed, hooks.
  function()
    xpcall(function()
      act()
      error("raised on purpose")
    end, function(message)
      act()
      return message
    end)
  end,
  function()
    local _ <close> = setmetatable({}, { __close = function() act() end })
    act()
    if random(2) == 1 then error("raised on purpose") end
  end,
  function()
    if debug.gethook() then return end
    debug.sethook(hook, ({ "c", "r", "cr", "l", "" })[random(5)], random(2) == 1 and random(50) or 0)
    for _ = 1, 3 do act() end
    debug.sethook()
  end,
  function()
    lull.spawn(function()
      error(setmetatable({}, { __tostring = function()
        act()
        return "raised on purpose"
      end }))
    end)
  end,
  function()
    lull.on_error(function()
      act()
      return true
    end)
  end,
  function()
    lull.log.handler = random(2) == 1 and function() act() end or nil
    lull.log.enabled = random(2) == 1 and { "network", "observers" } or {}
    -- Not on standard error.
    if not lull.log.handler then lull.log.enabled = {} end
  end,
  function() for _ = 1, 20 do litter() end end,
  function() collectgarbage(random(10) == 1 and "collect" or "step", random(100)) end,
}

function act()
  if calls >= wanted or depth >= 6 then return end
  calls = calls + 1
  depth = depth + 1
  if random(2) == 1 then litter() end
  local ok, err = pcall(actions[random(#actions)])
  depth = depth - 1
  if not ok and not is_expected(err) then problem("raised: " .. tostring(err)) end
end

-- Driving ----------------------------------------------------------------------------------------

lull.on_error(function() return true end)
litter()
while calls < wanted do
  depth = 0
  if random(3) == 1 then lull.spawn(act) else act() end
  -- Coroutines that wait leave the pool without any.
  if random(30) == 1 then lull.sleep(0) end
end

debug.sethook()
lull.log.enabled = {}
lull.log.handler = nil
lull.on_error(function() return true end)
for _, request in pairs(kept.request or {}) do request:cancel() end
for _, task in pairs(kept.task or {}) do task:cancel() end
for _ = 1, 20 do lull.sleep(0.002) end
lull.on_error(nil)
kept, resources, api = {}, {}, nil
for _ = 1, 4 do
  collectgarbage()
  lull.sleep(0)
end
local stats = lull.stats()
if next(pending) then problem("hooks that were never called") end
if stats.requests_in_flight ~= 0 then problem(stats.requests_in_flight .. " requests in flight") end
if stats.pins - baseline ~= 0 then problem(stats.pins - baseline .. " values pinned") end
for _, text in ipairs(problems) do print(text) end
print(("%d calls with seed %d, %s: %d problems"):format(calls, seed, collector, #problems))
os.exit(#problems == 0 and 0 or 1)
