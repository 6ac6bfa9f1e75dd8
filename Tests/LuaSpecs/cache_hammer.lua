-- Loads, changes and removes what is in a cache file for some seconds, as fast as it can. Each
-- entity must be that of its URL. Prints `begun` after the first of them, and at the end how many
-- there were.
local lull = require "lull"

local path, seconds, seed = ...
math.randomseed(tonumber(seed))

-- What the network has at a URL: always the same.
local function body(url)
  local number = tonumber(url:match "%d+$")
  local text = ('{"url":"%s","pad":"%s"}'):format(url, ("x"):rep(number * 397 % 9000))
  return text, number % 3 == 0 and "text/plain" or "application/json"
end

local api = lull.service {
  base_url = "http://api.test", expiration_time = 0.05, networking = function(http)
    local text, content_type = body(http.url)
    if http.headers["if-none-match"] then
      if http.headers["if-none-match"] ~= '"' .. http.url .. '"' then
        io.stderr:write("WRONG validator ", http.headers["if-none-match"], " for ", http.url, "\n")
      end
      return { status = 304 }
    end
    return { headers = { ["Content-Type"] = content_type, ETag = '"' .. http.url .. '"' }, body = text }
  end,
}
-- Too small for all of it, so that room has to be made all the time.
api:configure { pipeline = { parsing = { cache = lull.cache.file { path = path, max_size = 200000 } } } }

local function look(resource)
  local url, content = resource.url, resource.content
  local text, content_type = body(url)
  local is_right = content_type == "text/plain" and content == text
    or content_type ~= "text/plain" and type(content) == "table" and content.url == url
      and #content.pad == #text - #url - #'{"url":"","pad":""}'
  if not is_right then io.stderr:write("WRONG content of ", url, "\n") end
end

local stop, count = lull.now() + tonumber(seconds), 0
while lull.now() < stop do
  local resources = {}
  for i = 1, 20 do resources[i] = api("/" .. math.random(0, 99)) end
  for _, resource in ipairs(resources) do resource:load_if_needed() end
  lull.sleep(0)
  while true do
    local is_busy = false
    for _, resource in ipairs(resources) do is_busy = is_busy or resource.is_loading end
    if not is_busy then break end
    lull.sleep(0.001)
  end
  for _, resource in ipairs(resources) do
    look(resource)
    count = count + 1
  end
  if count == #resources then
    print "begun"
    io.stdout:flush()
  end
  if math.random() < 0.1 then resources[1]:override_local_content((body(resources[1].url))) end
  api:wipe_resources()
end
print(count)
