-- The whole model in one walk: services, resources, observers, requests, transformers, configuration, caches,
-- hooks, chains, requests of your own.
local lull = require "lull"
local base = lull.demo()

-- 1. A service is a set of resources with configuration in common.
local cache = lull.cache.memory()
local api = lull.service{
  base_url = base,
  headers = { Accept = "application/json" },
  pipeline = { model = { cache = cache } },
}

-- 2. Configuration goes by URL pattern; later blocks see and may override earlier ones.
api:configure("/users/*", { expiration_time = 300 })
api:configure("/notes/**", function(config) config.headers["X-Client"] = "guide" end)
print("users stay fresh for", api:configuration_for(base .. "/users/1").expiration_time)

-- 3. A transformer turns what was parsed into what you want; it runs once per response.
api:transform("/users/*", function(content) return { label = content.name .. " <" .. content.email .. ">" } end)

-- 4. A resource is one URL: its data, its error, its observers. The same URL is the same object.
local user = api:resource("/users/1")
print("the same object", user == api:resource("users"):child("1"))
local watch = user:observe(function(resource, event, source)
  print("  event", event, source or "", resource.content and resource.content.label or "no data")
end)

-- 5. Load when needed; a load under way is shared, fresh data needs none.
local first = assert(user:load_if_needed())
print("shared", first == user:load_if_needed())
assert(first:await())
print("needed", user:load_if_needed())

-- 6. Invalidated data is loaded again, and answered by 304 if it is the same. A local edit is news, too.
user:invalidate()
assert(user:load_if_needed():await())
user:override_local_content{ label = "edited here" }
assert(user:load():await())
watch:stop()

-- 7. Requests that change something leave the resource alone; hooks hear how they end.
local notes = api:resource("/notes")
local created = assert(notes:post({ json = { title = "Tea", body = "Buy some", done = false } })
  :on_success(function(entity) print("created", entity.http_status) end)
  :on_failure(function(err) print("not created", err) end)
  :await())
local note = notes:child(created.content.id)
assert(note:load_using(note:patch{ json = { done = true } }):await())
print("done", note.content.done)

-- 8. Errors are values with a message for people, the status, and what the server said.
local _, err = api:resource("/users/4711"):load():await()
print(err.user_message, err.http_status)

-- 9. A chain goes on where a request has ended: another request, another response, or the same.
local fallback = api:resource("/users/4711"):load():chained(function(response)
  if response.is_failure then return api:resource("/users/2"):get() end
end)
print("instead", assert(fallback:await()).content.label)

-- 10. A decorator sees every request before it starts.
api:configure("/slow", { decorate_requests = function(_, request)
  return request:cancel() and lull.failed_request(lull.error{ user_message = "no time for that" })
end })
print(select(2, api:resource("/slow"):load():await()).user_message)

-- 11. A request of your own, for whatever else takes time.
local later = lull.custom_request{ description = "a pause", start = function(complete)
  lull.sleep(0.01)
  complete(lull.success{ content = "rested", content_type = "text/plain" })
end }
print(assert(later:start():await()).text)

-- 12. What the cache has, another service finds without asking the server.
local offline = lull.service{ base_url = base, networking = lull.testing.stub{},
  expiration_time = 300, pipeline = { model = { cache = cache } } }
print("from the cache", assert(offline:resource("/users/1"):load_if_needed():await()).content.label)
