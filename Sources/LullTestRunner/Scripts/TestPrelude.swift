/// The Lua half of `lull.test`.
///
/// Called with the object that has the Swift half, it makes the module there and returns functions: one that
/// runs the test with a number, up to its end or an error, and one that tidies up behind it; then how often that is
/// called, the files that were loaded, and one that says which expectations were never reached.
enum TestPrelude {
  /// Its frames are not shown in tracebacks.
  static let chunkName = Array("=lull.test".utf8)

  static let text = Array(
    (helpers + comparing + rendering + expecting + surroundings + declaring).utf8)

  /// Messages, and where they belong.
  private static let helpers = #"""
    local native = ...
    local lull = require "lull"
    local getinfo, getupvalue, getuservalue = debug.getinfo, debug.getupvalue, debug.getuservalue
    local floor = math.floor

    -- The time of scripts is that of the test.
    local system_time, system_date = os.time, os.date
    function os.time(...)
      if (...) == nil then return floor(native:now()) end
      return system_time(...)
    end
    function os.date(format, at)
      return system_date(format or "%c", at or floor(native:now()))
    end
    -- What scripts leave to chance is the same each time.
    math.randomseed(1)

    -- The test that runs.
    local current

    -- Where the function at that level above the caller is, for the beginning of a message; after a tail call,
    -- where the test is.
    local function place(level)
      local info = getinfo(level + 1, "Sl")
      if not info or info.currentline < 1 then return "" end
      if info.source == "=lull.test" then return current.place end
      return ("%s:%d: "):format(info.short_src, info.currentline)
    end

    -- Calls Swift; what is wrong is raised at that level above the caller.
    local function ask(level, name, ...)
      local answer = table.pack(pcall(native[name], native, ...))
      if answer[1] then return table.unpack(answer, 2, answer.n) end
      error((tostring(answer[2]):gsub("^lull%.test:%d+: ", "")), level + 1)
    end

    -- An object that says so where it is asked for what it does not have.
    local function sealed(what, methods, getters)
      return {
        __index = function(_, key)
          if methods[key] then return methods[key] end
          if getters and getters[key] then return getters[key]() end
          error(("%s has no '%s'"):format(what, tostring(key)), 2)
        end,
        __newindex = function(_, key)
          error(("%s: '%s' cannot be set"):format(what, tostring(key)), 2)
        end,
        __tostring = function() return what end,
        __name = what,
        __metatable = false,
      }
    end

    local function cut(text, most)
      if #text <= most then return text end
      local last = most
      while last > 0 and (text:byte(last + 1) or 0) // 64 == 2 do last = last - 1 end
      return text:sub(1, last) .. "…"
    end

    -- Documents are plain tables to whoever compares.
    local function plain(value)
      if type(value) ~= "userdata" or value == lull.null then return value end
      local done, copy = pcall(lull.copy, value)
      if done and type(copy) == "table" then return copy end
      return value
    end

    -- In one line.
    local function show(value, most)
      local kind = type(value)
      if kind == "string" or kind == "table" or kind == "number" and value == value
        and value ~= math.huge and value ~= -math.huge
      then
        local done, text = pcall(lull.json.encode, value)
        if done then return cut(text, most or 120) end
        if kind == "string" then return cut(("%q"):format(value), most or 120) end
      end
      return cut(tostring(value), most or 120)
    end

    """#

  /// Equality and differences, by paths.
  private static let comparing = #"""
    local differences

    local function is_list(value)
      local count = 0
      for key in pairs(value) do
        if math.type(key) ~= "integer" then return false end
        count = count + 1
      end
      return count == #value
    end

    local function same(one, other, seen)
      one, other = plain(one), plain(other)
      if rawequal(one, other) or one == other then return true end
      if one ~= one and other ~= other then return true end
      if type(one) ~= "table" or type(other) ~= "table" then return false end
      seen = seen or {}
      if seen[one] == other then return true end
      seen[one] = other
      for key, value in pairs(one) do
        if not same(value, other[key], seen) then return false end
      end
      for key in pairs(other) do
        if one[key] == nil then return false end
      end
      return true
    end

    local function below(path, key)
      if type(key) == "string" and key:find("^[%a_][%w_]*$") then
        return path == "" and key or path .. "." .. key
      end
      return ("%s[%s]"):format(path, type(key) == "string" and ("%q"):format(key) or tostring(key))
    end

    local function named(path, text)
      return path == "" and text or path .. ": " .. text
    end

    local function changed(path, expected, got)
      if type(expected) == "string" and type(got) == "string"
        and (expected:find("\n", 1, true) or got:find("\n", 1, true))
      then
        local line, from, to = 1, expected:gmatch("([^\n]*)\n?"), got:gmatch("([^\n]*)\n?")
        while true do
          local one, other = from(), to()
          if one ~= other then
            return named(path, ("line %d: expected %s, got %s"):format(line, show(one), show(other)))
          end
          if one == nil then break end
          line = line + 1
        end
      end
      return named(path, ("expected %s, got %s"):format(show(expected), show(got)))
    end

    -- What is the same at both ends is left out, so that what came or went in between shows as that.
    local function lists(path, expected, got, out, seen)
      local first, last, other = 1, #expected, #got
      while first <= last and first <= other and same(expected[first], got[first]) do
        first = first + 1
      end
      while last >= first and other >= first and same(expected[last], got[other]) do
        last, other = last - 1, other - 1
      end
      for index = first, math.min(last, other) do
        differences(below(path, index), expected[index], got[index], out, seen)
      end
      for index = math.min(last, other) + 1, last do
        out[#out + 1] = named(below(path, index), "missing: " .. show(expected[index]))
      end
      for index = math.min(last, other) + 1, other do
        out[#out + 1] = named(below(path, index), "not expected: " .. show(got[index]))
      end
    end

    function differences(path, expected, got, out, seen)
      expected, got = plain(expected), plain(got)
      if same(expected, got) then return out end
      if type(expected) ~= "table" or type(got) ~= "table" then
        out[#out + 1] = changed(path, expected, got)
        return out
      end
      if seen[expected] then return out end
      seen[expected] = true
      if next(expected) and next(got) and is_list(expected) and is_list(got) then
        lists(path, expected, got, out, seen)
        return out
      end
      local names = {}
      for key in pairs(expected) do names[#names + 1] = key end
      for key in pairs(got) do
        if expected[key] == nil then names[#names + 1] = key end
      end
      table.sort(names, function(one, another) return tostring(one) < tostring(another) end)
      for _, key in ipairs(names) do
        if got[key] == nil then
          out[#out + 1] = named(below(path, key), "missing: " .. show(expected[key]))
        elseif expected[key] == nil then
          out[#out + 1] = named(below(path, key), "not expected: " .. show(got[key]))
        else
          differences(below(path, key), expected[key], got[key], out, seen)
        end
      end
      return out
    end

    local function lines(list)
      local shown, most = {}, 20
      for index = 1, math.min(#list, most) do shown[index] = "\n  " .. list[index] end
      if #list > most then shown[#shown + 1] = ("\n  … and %d more"):format(#list - most) end
      return table.concat(shown)
    end

    -- Whether all that is expected is there; more may be.
    local function holds(got, expected)
      got, expected = plain(got), plain(expected)
      if type(expected) ~= "table" or type(got) ~= "table" or is_list(expected) and next(expected) then
        return same(got, expected)
      end
      for key, value in pairs(expected) do
        if not holds(got[key], value) then return false end
      end
      return true
    end

    """#

  /// Snapshots as text that is the same each time.
  private static let rendering = #"""
    local masked = setmetatable({}, { __tostring = function() return "<masked>" end })

    -- One line of a snapshot for each line of a text.
    local function rendered_text(text, indent)
      local parts = {}
      for line in text:gmatch("[^\n]*\n?") do
        if line ~= "" then
          local done, quoted = pcall(lull.json.encode, line)
          -- What is no UTF-8 is written byte by byte, so that the file is.
          parts[#parts + 1] = done and quoted or (("%q"):format(line):gsub("\\\n", "\\n"):gsub("[\128-\255]",
            function(byte) return ("\\x%02X"):format(byte:byte()) end))
        end
      end
      if #parts == 0 then return '""' end
      return table.concat(parts, "\n" .. indent)
    end

    local render

    local function rendered_list(value, indent, path, open)
      local parts = {}
      for index = 1, #value do
        parts[index] = indent .. "  " .. render(value[index], indent .. "  ", below(path, index), open)
      end
      return "[\n" .. table.concat(parts, ",\n") .. "\n" .. indent .. "]"
    end

    local function rendered_record(value, indent, path, open)
      local names, parts = {}, {}
      for key in pairs(value) do
        if type(key) ~= "string" then
          error({ problem = ("%s has a key of type %s"):format(path == "" and "it" or path, type(key)) })
        end
        names[#names + 1] = key
      end
      table.sort(names)
      for index, key in ipairs(names) do
        parts[index] = ("%s  %s: %s"):format(
          indent, show(key, 1000), render(value[key], indent .. "  ", below(path, key), open))
      end
      return "{\n" .. table.concat(parts, ",\n") .. "\n" .. indent .. "}"
    end

    function render(value, indent, path, open)
      if value == masked then return "<masked>" end
      value = plain(value)
      local kind = type(value)
      if value == nil or value == lull.null then return "null" end
      if kind == "string" then return rendered_text(value, indent) end
      if kind == "boolean" then return tostring(value) end
      if kind == "number" then
        local done, text = pcall(lull.json.encode, value)
        return done and text or tostring(value)
      end
      if kind ~= "table" then
        error({ problem = ("%s is a %s, of which there is no text: give its content"):format(
          path == "" and "it" or path, kind == "userdata" and tostring(value):match("^[^(]*") or kind) })
      end
      if open[value] then error({ problem = (path == "" and "it" or path) .. " leads into itself" }) end
      open[value] = true
      local text
      if next(value) == nil then
        text = lull.json.encode(value)
      elseif is_list(value) then
        text = rendered_list(value, indent, path, open)
      else
        text = rendered_record(value, indent, path, open)
      end
      open[value] = nil
      return text
    end

    -- A copy with what the pointer leads to masked. `*` stands for any key or element.
    local function mask(value, parts, at)
      value = plain(value)
      if at > #parts then return masked end
      if type(value) ~= "table" then return value end
      local copy = {}
      for key, element in pairs(value) do
        local name = math.type(key) == "integer" and tostring(key - 1) or tostring(key)
        if parts[at] == "*" or parts[at] == name then element = mask(element, parts, at + 1) end
        copy[key] = element
      end
      if next(copy) == nil then return value end
      return copy
    end

    local function pointer_parts(pointer)
      if type(pointer) ~= "string" or pointer:sub(1, 1) ~= "/" then
        return nil, ("a mask is a JSON Pointer such as \"/*/id\", got %s"):format(show(pointer))
      end
      local parts = {}
      for part in pointer:gmatch("/([^/]*)") do
        parts[#parts + 1] = (part:gsub("~1", "/"):gsub("~0", "~"))
      end
      return parts
    end

    """#
}
