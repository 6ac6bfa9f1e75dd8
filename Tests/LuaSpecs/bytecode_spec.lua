-- Precompiled chunks, which the interpreter does not check: the command takes none, however patched,
-- under whatever mode and by whatever way (LUA-01). A stock interpreter is what it is.
local spec = ...
local describe, it, equal, check, contains = spec.describe, spec.it, spec.equal, spec.check, spec.contains

if spec.is_stock then return end

local modes = {
  "b", "bt", "tb", "t", "bb", "bbb", "xb", "bx", "b b", " b", "b ", "xbt", "btb", "", "x", "B", "bB", "b\0t", "\0b",
}
-- As luaL_loadfilex skips them: a mark of byte order, and a first line for the shell.
local openings = { "", "#!/usr/bin/env lull\n", "#\n", "\xEF\xBB\xBF", "\xEF\xBB\xBF#!x\n" }
local refusal = "attempt to load a precompiled chunk"

local function code(...)
  local kept = { ... }
  local function inner(x) return kept[1], x .. "text", 12345.5, { x, kept } end
  return inner("a")
end

-- A whole chunk, and such as have single bytes changed: of their head, their instructions (as indices of
-- constants and upvalues that are none) or their constants.
local function patched()
  local whole = string.dump(code)
  local chunks = { whole, string.dump(code, true), "\27", "\27Lua", "\27LuaT", whole:sub(1, #whole // 2) }
  for at = 2, #whole, 7 do
    for _, byte in ipairs { 0, 0x7F, 0x80, 0xFF, (whole:byte(at) + 1) % 256 } do
      chunks[#chunks + 1] = whole:sub(1, at - 1) .. string.char(byte) .. whole:sub(at + 1)
    end
  end
  return chunks
end

local function refused(what, chunk, problem)
  check(chunk == nil or chunk == false, what)
  contains(problem, refusal, what)
end

local function reader(chunk, size)
  local at = 1
  return function()
    at = at + size
    return chunk:sub(at - size, at - 1)
  end
end

local function write(path, text)
  local file <close> = assert(io.open(path, "wb"))
  assert(file:write(text))
end

-- What a sandbox prints of a script in a folder of its own.
local function sandboxed(folder, source, options)
  write(folder .. "/main.lua", source)
  return spec.shell(("timeout 60 '%s' %s %s/main.lua 2>&1; echo $?"):format(
    spec.interpreter(), options or "run --sandbox", folder))
end

describe("a precompiled chunk", function()
  it("LUA-01 is refused by load, patched or not, whatever the mode", function()
    for number, chunk in ipairs(patched()) do
      refused(number, load(chunk))
      refused(number, load(chunk, "name"))
      for _, mode in ipairs(modes) do
        local what = ("chunk %d, mode %q"):format(number, mode)
        refused(what, load(chunk, "name", mode))
        refused(what, load(chunk, "name", mode, {}))
      end
    end
  end, { seconds = 60 })

  it("is refused by load where a function brings it in pieces", function()
    for number, chunk in ipairs(patched()) do
      for _, mode in ipairs(modes) do
        local what = ("chunk %d, mode %q"):format(number, mode)
        refused(what, load(reader(chunk, 1), "name", mode))
        refused(what, load(reader(chunk, #chunk), "name", mode, {}))
      end
    end
  end, { seconds = 60 })

  it("is refused from files, behind a mark of byte order and a first line for the shell too", function()
    local folder, guard = spec.temporary_folder()
    local _ <close> = guard
    local path = package.path
    package.path = folder .. "/?.lua"
    local _ <close> = setmetatable({}, { __close = function() package.path = path end })
    local chunks = patched()
    for number = 1, #chunks, 5 do
      for _, opening in ipairs(openings) do
        local what = ("chunk %d behind %q"):format(number, opening)
        write(folder .. "/chunk.lua", opening .. chunks[number])
        refused(what, loadfile(folder .. "/chunk.lua"))
        for _, mode in ipairs(modes) do
          refused(what .. (", mode %q"):format(mode), loadfile(folder .. "/chunk.lua", mode, {}))
        end
        refused(what, pcall(dofile, folder .. "/chunk.lua"))
        refused(what, pcall(require, "chunk"))
      end
    end
    -- A file that is not there is what it was.
    contains(select(2, loadfile(folder .. "/none.lua", "bb")), "cannot open")
  end, { seconds = 60 })

  it("is refused in the sandbox, by load and as a module, with the sandbox's words", function()
    local folder, guard = spec.temporary_folder()
    local _ <close> = guard
    local texts = {}
    for number, chunk in ipairs(patched()) do
      texts[number] = '"' .. chunk:gsub(".", function(c) return ("\\%03d"):format(c:byte()) end)
        :gsub("\n", "\\010") .. '"'
    end
    for number, opening in ipairs(openings) do
      write(("%s/module%d.lua"):format(folder, number), opening .. string.dump(code))
    end
    local listed = {}
    for number, mode in ipairs(modes) do listed[number] = ("%q"):format(mode):gsub("\0", "\\0") end
    local text = sandboxed(folder, ([[
      local count = 0
      local function refused(what, chunk, problem)
        count = count + 1
        if chunk or not tostring(problem):find("precompiled chunk, which is not available in the sandbox", 1, true) then
          print("taken", what, chunk, problem)
        end
      end
      local modes = { %s }
      for number, chunk in ipairs { %s } do
        for _, mode in ipairs(modes) do
          refused(number, load(chunk, "x", mode))
          refused(number, load(chunk, "x", mode, {}))
          local at = 0
          refused(number, load(function() at = at + 1 return chunk:sub(at, at) end, "x", mode))
        end
        refused(number, load(chunk))
      end
      for i = 1, %d do refused("module" .. i, pcall(require, "module" .. i)) end
      print(count)
    ]]):format(table.concat(listed, ", "), table.concat(texts, ",\n"), #openings))
    equal(text, ("%d\n0"):format(#texts * (3 * #modes + 1) + #openings))
  end, { seconds = 60 })

  it("is refused as the script itself, in a sandbox, without, and at a prompt", function()
    local folder, guard = spec.temporary_folder()
    local _ <close> = guard
    for _, opening in ipairs(openings) do
      local chunk = opening .. string.dump(code)
      local unavailable = refusal .. ", which is not available in the sandbox\n3"
      local permitted = refusal .. " (only --allow-bytecode permits it)\n3"
      for options, ending in pairs {
        ["run"] = permitted, ["run --sandbox"] = unavailable,
        ["-i"] = permitted, ["-i --sandbox"] = unavailable,
        [" - <"] = permitted, ["run --sandbox - <"] = unavailable,
      } do
        local text = sandboxed(folder, chunk, options)
        check(text:sub(-#ending) == ending, ("%s: %s"):format(options, text))
      end
    end
  end, { seconds = 60 })

  it("is taken by all of them with --allow-bytecode, as by a stock interpreter", function()
    local folder, guard = spec.temporary_folder()
    local _ <close> = guard
    local loader = 'print("ran", ...)'
    for number, opening in ipairs(openings) do
      local chunk = opening .. string.dump(assert(load(loader)))
      equal(sandboxed(folder, chunk, "--allow-bytecode"), "ran\n0", ("%q"):format(opening))
      write(("%s/module%d.lua"):format(folder, number), chunk)
    end
    equal(sandboxed(folder, [[
      local here = arg[0]:match("^(.*)/")
      for i = 1, ]] .. #openings .. [[ do
        local file = here .. "/module" .. i .. ".lua"
        for _, mode in ipairs { "b", "bt", "bb", "xb" } do assert(loadfile(file, mode), mode) end
        dofile(file)
        require("module" .. i)
      end
      assert(load(string.dump(function() end), "x", "bb"))
      for _, mode in ipairs { "t", "x" } do assert(not load(string.dump(function() end), "x", mode)) end
    ]], "--allow-bytecode"):gsub("ran[^\n]*\n", ""), "0")
  end, { seconds = 60 })
end)
