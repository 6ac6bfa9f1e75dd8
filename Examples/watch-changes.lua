-- Two observers of one resource, and an edit published to both without the network.
local lull = require "lull"

local api = lull.service(lull.demo())
local note = api:resource("/notes/1")

-- A table can observe too. It is kept as long as its owner, here the table `screen`, lives.
local screen = { lines = 0 }
note:add_observer({
  resource_changed = function(_, resource, event)
    if event == "new_data" then
      screen.lines = screen.lines + 1
      print("screen shows", resource.json_dict.title)
    end
  end,
  stopped_observing = function() print("screen is gone") end,
}, screen)

-- `local … <close>`: this observation ends with the block.
do
  local watching <close> = note:observe(function(_, event, source)
    if event == "new_data" then print("new data from", source) end
  end)
  assert(note:load():await())

  -- Content is shared and read-only: copy it, edit the copy, publish that.
  local edited = lull.copy(note.content)
  edited.title = edited.title .. " (edited)"
  note:override_local_content(edited)
end

-- The edit was local; the server's version comes back with the next load.
assert(note:load():await())
note:remove_observers(screen)
print("drawn", screen.lines, "times")
