local lull = require "lull"
local api = lull.service {
  base_url = "https://user:secret@api.test/v1",
  networking = function() return { status = 200, headers = { ["Content-Type"] = "application/json" }, body = "{}" } end,
}

local cache = { entries = {} }
function cache:key(resource) return resource.url end
function cache:read(key) return self.entires[key] end
function cache:write(key, entity) self.entries[key] = entity end
function cache:remove(key) self.entries[key] = nil end
api:configure { pipeline = { model = { cache = cache } } }
api("/users/7"):load_if_needed():await()
