-- Makes the requests that bridge.mjs sends, in a service with `expiration_time = "http"`, and
-- reports the results.
local lull = require "lull"
local bridge, base, mode, method = ...

local jobs = lull.service {
  base_url = bridge, timeout = 3600, connections_per_host = 64, first_byte_timeout = 3600,
}

-- Headers that identify the request to the suite's server. They are not part of the tested request.
local ofSuite <const> = { ["test-name"] = true, ["test-id"] = true, ["req-num"] = true }

-- A service that follows the cache headers of responses and adds the headers of a job to each
-- request.
local function service(store)
  local current = {}
  local api = lull.service { base_url = base }
  -- Errors are not cached, but by default they are not retried within a second. That is not part of
  -- a cache's behaviour.
  api:configure { expiration_time = "http", retry_time = 0, redirects = false, connections_per_host = 64 }
  api:configure(function(config)
    for name, value in pairs(current) do
      if not ofSuite[name] then config.headers[name] = value end
    end
    config:mutate_requests(function(http)
      for name in pairs(ofSuite) do http.headers[name] = current[name] end
    end)
  end)
  if store then
    api:configure { pipeline = { decoding = { cache = lull.cache.file { path = store, identity = "suite" } } } }
  end
  return function(headers)
    current = headers
    api:invalidate_configuration()
    return api
  end
end

local stores = os.getenv "CACHE_TESTS_STORE"
local services = {}

local function serviceOf(test, headers)
  if mode == "file" then return service(("%s/%s.db"):format(stores, test))(headers) end
  services[test] = services[test] or service()
  return services[test](headers)
end

-- The resource that a GET of the suite loads: with METHOD, a query of the same URL.
local function readOf(resource, job)
  if method == "GET" then return resource end
  return resource:query { json = { test = job.test }, method = method }
end

local function answerOf(job)
  local headers = {}
  for _, pair in ipairs(job.headers) do
    local name = pair[1]:lower()
    local value = pair[2]:match "^%s*(.-)%s*$"
    headers[name] = headers[name] and headers[name] .. ", " .. value or value
  end
  local api = serviceOf(job.test, headers)
  local resource = api:resource_at(base .. job.path)
  local entity, problem
  if job.method ~= "GET" then
    entity, problem = resource:request(job.method, job.body and { data = job.body }):await()
  else
    if mode == "file" then lull.sleep(0.05) end
    resource = readOf(resource, job)
    local request = (job.reload and resource:load()) or resource:load_if_needed()
    if request then
      entity, problem = request:await()
    else
      entity, problem = resource.latest_data, resource.latest_error
    end
  end
  if entity then
    return { status = entity.http_status, headers = entity.headers, body = entity.text }
  elseif problem.http_status then
    local told = problem.entity
    return { status = problem.http_status, headers = told and told.headers or {}, body = told and told.text or "" }
  end
  return { problem = tostring(problem) }
end

while true do
  local job = assert(jobs("/"):get():await()).content
  if job.over then break end
  lull.spawn(function()
    local answer = answerOf(job)
    answer.id = job.id
    local headers = lull.array {}
    for name, value in pairs(answer.headers or {}) do headers[#headers + 1] = { name, value } end
    answer.headers = headers
    assert(jobs("/"):post { json = answer }:await())
  end)
end
