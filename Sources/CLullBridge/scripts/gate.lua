-- Replaces the stock functions that load files: the same, with bytes that the gate provides.
--
-- `read` returns the text of a file, `copy` the name of a copy that no other user can change; on failure
-- both return nil and the reason.
-- luacheck: globals loadfile dofile package

local read, copy = ...
local load, error, package, loadlib = load, error, package, package.loadlib
local search, format, gsub, match = package.searchpath, string.format, string.gsub, string.match
local copies = {}

local function compile(path, ...)
  local text, problem = read(path)
  if not text then return nil, problem end
  return load(text, "@" .. path, ...)
end

function loadfile(path, mode, ...)
  -- Inspected files have an empty standard input.
  if path == nil then return load("", "=stdin", mode, ...) end
  return compile(path, mode, ...)
end

function dofile(path)
  if path == nil then return end
  local chunk, problem = compile(path, "t")
  if not chunk then error(problem, 0) end
  return chunk()
end

function package.loadlib(path, symbol)
  local problem
  if not copies[path] then copies[path], problem = copy(path) end
  if not copies[path] then return nil, problem, "open" end
  return loadlib(copies[path], symbol)
end
local open = package.loadlib

local function failed(name, path, problem)
  error(format("error loading module '%s' from file '%s':\n\t%s", name, path, problem), 0)
end

package.searchers[2] = function(name)
  local path, problem = search(name, package.path)
  if not path then return problem end
  local chunk
  chunk, problem = compile(path, "t")
  if not chunk then failed(name, path, problem) end
  return chunk, path
end

-- The function that opens a C module, named by the part before a hyphen, or else by the part after it.
local function opener(name, path)
  local symbol = gsub(name, "%.", "_")
  local before, after = match(symbol, "^([^-]*)%-(.*)$")
  local found, problem, kind
  if before then
    found, problem, kind = open(path, "luaopen_" .. before)
    if found or kind == "open" then return found, problem, kind end
  end
  return open(path, "luaopen_" .. (after or symbol))
end

package.searchers[3] = function(name)
  local path, problem = search(name, package.cpath)
  if not path then return problem end
  local found
  found, problem = opener(name, path)
  if not found then failed(name, path, problem) end
  return found, path
end

package.searchers[4] = function(name)
  local root = match(name, "^([^.]*)%.")
  if not root then return nil end
  local path, problem = search(root, package.cpath)
  if not path then return problem end
  local found, kind
  found, problem, kind = opener(name, path)
  if found then return found, path end
  if kind ~= "init" then failed(name, path, problem) end
  return format("no module '%s' in file '%s'", name, path)
end
