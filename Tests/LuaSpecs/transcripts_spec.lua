-- Reports of errors in callbacks and tasks, in the command as in a stock interpreter: the scripts in
-- Tests/Reports and what each is to write. Errors of main chunks are the interpreter's own to show.
local spec = ...

local folder = spec.folder .. "/../Reports"

local function read(path)
  local file = assert(io.open(path))
  local text = file:read("a")
  file:close()
  return text
end

spec.describe("The report of", function()
  local pipe = assert(io.popen("ls '" .. folder .. "'"))
  for name in pipe:lines() do
    name = name:match("^(.*)%.lua$")
    if name and not name:find("^main_") and not name:find("^syntax_") then
      spec.it((name:gsub("_", " ")), function()
        local command = "cd '%s' && timeout 10 '%s' %s.lua 2>&1 >/dev/null"
        local output = assert(io.popen(command:format(folder, spec.interpreter(), name)))
        local text = output:read("a")
        output:close()
        spec.equal(text, (read(folder .. "/" .. name .. ".expected"):gsub("exit %d+\n$", "")))
      end, { seconds = 10 })
    end
  end
  pipe:close()
end)
