-- Content becomes objects of yours: a transformer makes them once, every observer shares them.
local lull = require "lull"

local User = {}
User.__index = User

function User.new(fields)
  return setmetatable({ id = fields.id, name = fields.name, email = fields.email }, User)
end

function User:greeting()
  return "Hello, " .. self.name .. " <" .. self.email .. ">"
end

local api = lull.service(lull.demo())

api:transform("/users/*", function(content) return User.new(content) end, { input = "json" })

-- Errors can carry better messages: this one reads the server's own words.
api:transform("/users/*", function(content, entity)
  if type(content) == "table" and content.message then
    error(lull.error{ user_message = content.message, http_status = entity.http_status })
  end
  return content
end, { stage = "cleanup", transform_errors = true })

local user = assert(api:resource("/users/5"):load():await()).content
print(user:greeting())
print("the same object", user == api:resource("/users/5").content)

local _, err = api:resource("/users/999"):load():await()
print(err.user_message)
