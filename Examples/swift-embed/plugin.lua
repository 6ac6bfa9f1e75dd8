-- A plugin of the program in this folder, which gives it `api` and `greet`, calls `users` and `rename`,
-- and hears of its mistakes.
-- luacheck: globals api greet lull nothing
local plugin = { name = "plugin" }

-- Waits for the answers of all requests at a time; the program waits meanwhile, and its loop goes on.
function plugin.users(ids)
  local requests = {}
  for i, id in ipairs(ids) do requests[i] = api("/users/" .. id):load() end
  local names = {}
  for i, entity in ipairs(assert(lull.all(requests))) do names[i] = greet(entity.content.name) end
  return names
end

-- Fails as scripts do: an error of a request stays one in Swift.
function plugin.missing() return assert(api("/users/4711"):load():await()) end

function plugin.fail(settings) return settings.depth + nothing.x end

-- Nobody waits for this one: the program hears of it at `lua.onError`.
function plugin.observe()
  api("/users/1"):observe(function(_, event)
    if event == "requested" then error("a mistake in an observer", 0) end
  end)
end

function plugin.forever() while true do end end

return plugin
