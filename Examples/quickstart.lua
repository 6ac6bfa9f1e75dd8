-- Lull in forty lines: run it with  Scripts/lull run Examples/quickstart.lua
local lull = require "lull"

-- A real HTTP server on this machine, started for this script; it ends with it.
local api = lull.service(lull.demo())

-- Configuration goes by URL pattern: everything sends a header, users stay fresh for a minute.
api:configure{ headers = { ["X-Client"] = "quickstart" } }
api:configure("/users/*", { expiration_time = 60 })

-- A resource caches the state of one URL. Observers hear of everything that happens to it.
local ada = api:resource("/users/1")
ada:observe(function(resource, event, detail)
  print("observed", resource, event, detail or "")
end)

-- The first call loads; while the data is fresh, the second has nothing to do and returns nil.
ada:load_if_needed():await()
print("name", ada.content.name)
print("needed again?", ada:load_if_needed())

-- load() always asks. The server knows the ETag and answers 304: the data stays as it is.
ada:load():on_not_modified(function() print("304: not modified") end):await()

-- Other requests leave the resource alone; hooks hear how they ended. Then it is loaded anew.
local notes = api:resource("/notes")
notes:load():await()
print("notes", #notes.content)
notes:post{ json = { title = "Tea", body = "Buy some", done = false } }
  :on_success(function(entity) print("created", entity:header("location")) end)
  :on_failure(function(err) print("not created", err.user_message) end)
  :await()
notes:load():await()
print("notes", #notes.content, "the last is", notes.content[#notes.content].title)

-- What goes wrong outside is no Lua error: await gives nil and an error with a message for people.
local entity, err = api:resource("/users/4711"):load():await()
print("missing", entity, err.user_message, err.http_status)

-- Three at once: start them all, then wait for each.
local requests = {}
for id = 2, 4 do requests[#requests + 1] = api:resource("/users/" .. id):load() end
for _, request in ipairs(requests) do print("user", request:await().content.name) end
