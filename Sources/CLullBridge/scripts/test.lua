-- The Lua half of `lull.test`.
--
-- Called with the object that has the Swift half, it makes the module there and returns functions: one that
-- runs the test with a number, up to its end or an error, and one that tidies up behind it; then how often that is
-- called, the files that were loaded, and one that says which expectations were never reached.
-- luacheck: globals os

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

-- Documents are compared as plain tables.
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
local masked = setmetatable({}, { __tostring = function() return "<masked>" end })

-- One line of a snapshot for each line of a text.
local function rendered_text(text, indent)
  local parts = {}
  for line in text:gmatch("[^\n]*\n?") do
    if line ~= "" then
      local done, quoted = pcall(lull.json.encode, line)
      -- Invalid UTF-8 is written byte by byte, so that the snapshot file is valid UTF-8.
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
    error({ problem = ("%s is a %s, which has no text form: give its content"):format(
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
-- What an expectation comes to. It is called by its method, which the script has called. What is not met
-- fails the test also where the error is caught.
local function verdict(self, holds_true, text, opposite)
  if holds_true ~= self.negated then return native:met() end
  local message = self.negated and opposite or text
  if type(message) == "function" then message = message() end
  local raised = place(3) .. message
  native:was_not_met(raised)
  error(raised, 0)
end

local expectations = {}
-- Those that no method was called on, each with its place and number.
local unmatched, expected_count = {}, 0
-- Functions that have expected something, or called one that has.
local expecting = setmetatable({}, { __mode = "k" })

-- The method that calls this was called on an expectation.
local function check(self)
  if type(self) == "table" and rawget(self, "negated") ~= nil then
    unmatched[self.given] = nil
    return
  end
  local name = getinfo(2, "n").name or "to_be"
  error(("a colon is missing: t.expect(x):%s(…)"):format(name), 3)
end

local expectation

local function expect(...)
  if select("#", ...) == 0 then error("t.expect needs a value", 2) end
  expected_count = expected_count + 1
  for level = 2, 20 do
    local info = getinfo(level, "f")
    if not info then break end
    expecting[info.func] = true
  end
  local given = { place = place(2), number = expected_count }
  unmatched[given] = true
  return setmetatable({ value = (...), negated = false, given = given }, expectation)
end
function expectations:to_equal(expected)
  check(self)
  local got = self.value
  verdict(self, same(expected, got), function()
    local list = differences("", expected, got, {}, {})
    if #list == 1 then return "not equal: " .. list[1] end
    return ("not equal, %d differences:%s"):format(#list, lines(list))
  end, function() return "equal, which was not expected: " .. show(got) end)
end

function expectations:to_be(expected)
  check(self)
  local got = self.value
  verdict(self, rawequal(got, expected) or type(got) ~= "table" and got == expected, function()
    local text = ("expected %s, got %s"):format(show(expected), show(got))
    if same(got, expected) then return text .. ", which is equal but not the same (to_equal)" end
    return text
  end, function() return "is " .. show(got) .. ", which was not expected" end)
end

function expectations:to_be_a(kind)
  check(self)
  local got = self.value
  local name = type(got) == "userdata" and tostring(got):match("^%a+") or type(got)
  verdict(self, type(got) == kind or name == kind,
    ("expected a %s, got %s, which is a %s"):format(tostring(kind), show(got), name),
    ("%s is a %s, which was not expected"):format(show(got), name))
end

function expectations:to_have_count(count)
  check(self)
  if math.type(count) ~= "integer" then error("to_have_count needs a whole number", 2) end
  local got = self.value
  local number = type(got) == "string" and #got
  if not number then
    local done, counted = pcall(lull.list.count, got)
    if not done then error(("%s cannot be counted"):format(show(got)), 2) end
    number = counted
  end
  verdict(self, number == count, function()
    local list = plain(got)
    local shown = {}
    if type(list) == "table" then
      for index, element in ipairs(list) do shown[index] = show(element, 200) end
    end
    return ("expected %d, got %d%s"):format(count, number, #shown > 0 and ":" .. lines(shown) or "")
  end, ("there are %d, which was not expected"):format(number))
end

function expectations:to_match(pattern)
  check(self)
  if type(pattern) ~= "string" then error("to_match needs a pattern", 2) end
  local got = self.value
  local fits = type(got) == "string" and got:find(pattern) ~= nil
  verdict(self, fits, function()
    return ("expected what matches %s, got %s"):format(show(pattern), show(got))
  end, function() return ("%s matches %s"):format(show(got), show(pattern)) end)
end

function expectations:to_contain(part)
  check(self)
  local got = plain(self.value)
  local there = false
  if type(got) == "string" then
    if type(part) ~= "string" then error("a text contains texts: to_contain needs one", 2) end
    there = got:find(part, 1, true) ~= nil
  elseif type(got) == "table" then
    if next(got) == nil or is_list(got) then
      for _, element in ipairs(got) do there = there or holds(element, part) end
    else
      there = type(plain(part)) == "table" and holds(got, part)
    end
  end
  verdict(self, there, function()
    if type(got) == "table" and type(plain(part)) == "table" and next(got) and not is_list(got) then
      local list = {}
      for key, value in pairs(plain(part)) do
        if not holds(got[key], value) then differences(below("", key), value, got[key], list, {}) end
      end
      table.sort(list)
      return "expected to be in it:" .. lines(list)
    end
    return ("%s is not in %s"):format(show(part), show(got, 400))
  end, function() return ("%s is in %s"):format(show(part), show(got, 400)) end)
end

function expectations:to_be_near(number, tolerance)
  check(self)
  tolerance = tolerance or 1e-9 * math.max(1, math.abs(number))
  local got = self.value
  local near = type(got) == "number" and math.abs(got - number) <= tolerance
  verdict(self, near, function()
    return ("expected %s, %s more or less, got %s"):format(show(number), show(tolerance), show(got))
  end, function() return ("%s is near %s"):format(show(got), show(number)) end)
end

function expectations:to_raise(text)
  check(self)
  local body = self.value
  if type(body) ~= "function" then error("to_raise is asked of a function", 2) end
  local done, raised = pcall(body)
  local message = tostring(raised)
  verdict(self, not done and (text == nil or message:find(text, 1, true) ~= nil), function()
    if done then return "it raised nothing" end
    return ("expected an error with %s, got %s"):format(show(text), show(message, 400))
  end, function() return "it raised " .. show(message, 400) end)
  return raised
end
local function outcome(self, name)
  local request = self.value
  local done, await = pcall(function() return request.await end)
  if not done or await == nil then
    error(("%s is asked of a request, got %s"):format(name, show(request)), 3)
  end
  return request:await()
end

local function failure(err)
  local status = err.http_status and (" (%d)"):format(err.http_status) or ""
  local kind = err.cause and not err.http_status and (" (%s)"):format(err.cause.kind) or ""
  local cause = err.cause
  local misfit = type(cause) == "table" and cause.kind == "validation" and ": " .. tostring(cause.message) or ""
  return tostring(err.user_message) .. status .. kind .. misfit
end

function expectations:to_succeed()
  check(self)
  local entity, err = outcome(self, "to_succeed")
  local what = tostring(self.value)
  verdict(self, entity ~= nil,
    function() return ("%s was to succeed, and failed: %s"):format(what, failure(err)) end,
    function() return what .. " has succeeded, which was not expected" end)
  return entity
end

local failing = { status = "integer", http_status = "integer", kind = "string", message = "string" }

function expectations:to_fail_with(expected)
  check(self)
  if type(expected) ~= "table" then
    error("to_fail_with needs a table such as { status = 404 }", 2)
  end
  for name, value in pairs(expected) do
    if not failing[name] then
      error(("to_fail_with knows status, kind and message, not '%s'"):format(tostring(name)), 2)
    elseif math.type(value) ~= failing[name] and type(value) ~= failing[name] then
      error(("'%s' must be a %s"):format(name, failing[name]), 2)
    end
  end
  local entity, err = outcome(self, "to_fail_with")
  local what = tostring(self.value)
  local list = {}
  if err then
    local kind = err.cause and err.cause.kind
    local status = expected.status or expected.http_status
    if status and err.http_status ~= status then
      list[#list + 1] = changed("status", status, err.http_status)
    end
    if expected.kind and kind ~= expected.kind then
      list[#list + 1] = changed("kind", expected.kind, kind)
    end
    if expected.message and not err.user_message:find(expected.message, 1, true) then
      list[#list + 1] = changed("message", expected.message, err.user_message)
    end
  end
  verdict(self, err ~= nil and #list == 0, function()
    if entity then return what .. " was to fail, and has succeeded" end
    return ("%s has failed otherwise:%s"):format(what, lines(list))
  end, function() return ("%s has failed so: %s"):format(what, failure(err)) end)
  return err
end
local snapshot_counts = {}

function expectations:to_match_snapshot(options)
  check(self)
  if self.negated then error("to_match_snapshot cannot be negated", 2) end
  options = options or {}
  if type(options) ~= "table" then error("to_match_snapshot takes a table", 2) end
  for name in pairs(options) do
    if name ~= "name" and name ~= "mask" then
      error(("to_match_snapshot knows name and mask, not '%s'"):format(tostring(name)), 2)
    end
  end
  local value = self.value
  local pointers = options.mask or {}
  if type(pointers) ~= "table" then error("'mask' must be a list of JSON Pointers", 2) end
  for _, pointer in ipairs(pointers) do
    local parts, problem = pointer_parts(pointer)
    if not parts then error(problem, 2) end
    value = mask(value, parts, 1)
  end
  local key = current.name
  if options.name ~= nil then
    if type(options.name) ~= "string" or options.name == "" then
      error("'name' must be a non-empty string", 2)
    end
    key = key .. ": " .. options.name
  else
    snapshot_counts[key] = (snapshot_counts[key] or 0) + 1
    if snapshot_counts[key] > 1 then key = ("%s (%d)"):format(key, snapshot_counts[key]) end
  end
  local done, text = pcall(render, value, "", "", {})
  if not done then
    error(type(text) == "table" and "no snapshot can be made of this: " .. text.problem or text, 2)
  end
  text = native:hidden(text)
  local is_first, known, updates, is_read_only = native:snapshot(key)
  if not is_first then error(("two snapshots are called '%s': give one a name"):format(key), 2) end
  if known == text then return native:met() end
  if updates or known == nil and not is_read_only then
    native:keep_snapshot(key, text)
    return native:met()
  end
  verdict(self, false, function()
    if known == nil then
      return ("there is no snapshot '%s', and none is written where CI is set: run lull test without it")
        :format(key)
    end
    return ("not as in the snapshot '%s' (lull test --update accepts the new value):%s"):format(
      key, lines(native:line_difference(known, text)))
  end)
end

-- As other libraries call them.
local usual = {
  to_eq = "to_equal", to_equals = "to_equal", to_be = "to_equal", to_be_equal = "to_equal",
  to_deep_equal = "to_equal", to_throw = "to_raise", to_error = "to_raise", to_fail = "to_fail_with",
  to_be_ok = "to_succeed", to_resolve = "to_succeed", to_reject = "to_fail_with",
}

local function other_expectation(key)
  local known = usual[tostring(key):gsub("(%l)(%u)", "%1_%2"):lower()]
  if known and expectations[known] then return (" (did you mean '%s'?)"):format(known) end
  local names = {}
  for name in pairs(expectations) do names[#names + 1] = name end
  table.sort(names)
  return "; there are " .. table.concat(names, ", ")
end

expectation = {
  __index = function(self, key)
    if expectations[key] then return expectations[key] end
    if key == "never" then
      return setmetatable(
        { value = rawget(self, "value"), negated = not self.negated, given = self.given }, expectation)
    elseif key == "value" then
      return nil
    end
    error(("there is no expectation '%s'%s"):format(tostring(key), other_expectation(key)), 2)
  end,
  __name = "Expectation",
  __tostring = function() return "Expectation" end,
  __metatable = false,
}
-- Calls for the script that has called the caller, at whose line is raised what raises here.
local function relay(level, call, argument)
  local done, value = pcall(function()
    local result = call(argument)
    return result
  end)
  if done then return value end
  if type(value) ~= "string" then error(value, 0) end
  local text, count = value:gsub("^lull%.test:%d+: ", "")
  error(text, count > 0 and level + 1 or 0)
end

local clock_methods = {}

function clock_methods.advance(_, seconds)
  if type(seconds) ~= "number" or seconds ~= seconds or seconds < 0 or seconds == math.huge then
    error(("t.clock:advance needs a number of seconds, 0 or more, got %s"):format(show(seconds)), 2)
  end
  relay(2, lull.sleep, seconds)
  -- What else is due at that very time comes first.
  relay(2, lull.sleep, 0)
end

function clock_methods.set(_, moment)
  if type(moment) == "string" then
    local time, problem = lull.time.parse(moment)
    if not time then error(problem, 2) end
    moment = time
  end
  if type(moment) ~= "number" then
    error(("t.clock:set needs a time, got %s"):format(show(moment)), 2)
  end
  ask(2, "set_time", moment)
end

local clock = setmetatable({}, sealed("t.clock", clock_methods, {
  now = function() return native:now() end,
}))

local network_methods = {}

local function add_answer(rule, answer)
  -- No tail calls, of which no line is left to raise at.
  if type(answer) == "function" then
    ask(4, "handle", rule, answer)
    return
  end
  if type(answer) ~= "table" then
    error(("an answer is a table such as { json = … } or a function, got %s"):format(show(answer)), 4)
  end
  local delay = answer.delay or 0
  if type(delay) ~= "number" then error("'delay' must be a number of seconds", 4) end
  if answer.fail ~= nil then
    for name in pairs(answer) do
      if name ~= "fail" and name ~= "delay" then
        error(("an answer that fails has no '%s'"):format(tostring(name)), 4)
      end
    end
    if type(answer.fail) ~= "string" then error("'fail' must be a string", 4) end
    ask(4, "fail", rule, answer.fail, delay)
    return
  end
  local fields = {}
  for name, value in pairs(answer) do
    if name ~= "delay" then fields[name] = value end
  end
  ask(4, "answer", rule, fields, delay)
end

local function add_rule(what, method, path, answers)
  local content = {}
  if type(path) == "table" then
    -- A path and the body that a request must have.
    for name, value in pairs(path) do
      if name ~= "path" then content[name] = value end
    end
    path = path.path
  end
  if type(method) ~= "string" or type(path) ~= "string" then
    error(("%s needs a method and a path, such as \"GET\" and \"/users/*\""):format(what), 3)
  end
  if answers.n == 0 then error(what .. " needs an answer", 3) end
  local rule = ask(3, "rule", method, path, content)
  for index = 1, answers.n do add_answer(rule, answers[index]) end
end

function network_methods.on(_, method, path, ...)
  add_rule("t.network:on", method, path, table.pack(...))
end

function network_methods.fail(_, method, path, kind, options)
  options = options or {}
  if type(options) ~= "table" then error("t.network:fail takes a table of options", 2) end
  for name in pairs(options) do
    if name ~= "delay" then error(("t.network:fail knows delay, not '%s'"):format(tostring(name)), 2) end
  end
  add_rule("t.network:fail", method, path, table.pack({ fail = kind or 0, delay = options.delay }))
end

local network = setmetatable({}, sealed("t.network", network_methods))

local test_methods = { expect = expect }

-- Has the recording of that name answer, by the headers of one list, without the fields of the other.
local function insert_cassette(what, name, match, hide, level)
  local names, hidden = {}, {}
  if type(name) ~= "string" then
    error(("%s: 'cassette' must be the name of a recording, got %s"):format(what, show(name)), level + 1)
  end
  if match ~= nil and (type(match) ~= "table" or not is_list(match)) then
    error(("%s: 'match' must be a list of names of headers, got %s"):format(what, show(match)), level + 1)
  end
  for index, header in ipairs(match or {}) do
    if type(header) ~= "string" or not header:find("^[%w!#$%%&'*+.^_`|~-]+$") then
      error(("%s: 'match' has the names of headers, not %s"):format(what, show(header)), level + 1)
    end
    names[index] = header:lower()
  end
  if hide ~= nil and (type(hide) ~= "table" or not is_list(hide)) then
    error(("%s: 'hide' must be a list of names of fields, got %s"):format(what, show(hide)), level + 1)
  end
  for index, field in ipairs(hide or {}) do
    if type(field) ~= "string" or field == "" or field:find("%c") or not utf8.len(field) then
      error(("%s: 'hide' has the names of fields, not %s"):format(what, show(field)), level + 1)
    end
    hidden[index] = field
  end
  ask(level + 1, "cassette", name, table.concat(names, ","), table.concat(hidden, "\n"))
end

-- Has the recording answer that the options name; gives the others.
local function take_cassette(what, options)
  if options == nil then return {} end
  if type(options) ~= "table" then
    error(("%s takes a table of options, got %s"):format(what, show(options)), 3)
  end
  local rest = {}
  for key, value in pairs(options) do
    if key ~= "cassette" and key ~= "match" and key ~= "hide" then rest[key] = value end
  end
  local name, match, hide = options.cassette, options.match, options.hide
  if name == nil and match == nil and hide == nil then return rest end
  if rest.networking ~= nil then
    error(what .. ": 'networking' and 'cassette' cannot be combined: leave one of them out", 3)
  end
  insert_cassette(what, name, match, hide, 3)
  return rest
end

-- What is asked of that service is recorded there, if it is.
local function claim(options, service, environment)
  if options and options.cassette then
    native:claim(options.cassette, service.base_url or "", environment or "")
  end
end

function test_methods.cassette(_, name, options)
  if options ~= nil and type(options) ~= "table" then error("t:cassette takes a table of options", 2) end
  for key in pairs(options or {}) do
    if key ~= "match" and key ~= "hide" then
      error(("t:cassette knows match and hide, not '%s'"):format(tostring(key)), 2)
    end
  end
  insert_cassette("t:cassette", name, options and options.match, options and options.hide, 2)
end

function test_methods.api(_, name, options)
  if type(name) ~= "string" then error("t:api needs the name of an API file", 2) end
  for key in pairs(take_cassette("t:api", options)) do
    local text = "t:api knows cassette, match and hide, not '%s': answers are given with t.network:on"
    error(text:format(tostring(key)), 2)
  end
  local api = relay(2, lull.api, name)
  claim(options, api.service, api.environment)
  return api
end

function test_methods.service(_, url, options)
  local settings = { base_url = url }
  for key, value in pairs(take_cassette("t:service", options)) do settings[key] = value end
  local service = relay(2, lull.service, settings)
  claim(options, service)
  return service
end

local test_getters = {
  clock = function() return clock end,
  network = function() return network end,
  name = function() return current.name end,
  exchanges = function() return native:exchanges() end,
  output = function() return native:printed() end,
}
local tests, befores, afters = {}, {}, {}
local is_declaring = true

local function declare(what, name, body, mode, level)
  if not is_declaring then
    error(what .. " must be at the top level of the file: tests cannot be declared inside tests", level + 1)
  end
  if type(name) ~= "string" or not name:find("%S") then
    error(what .. " needs a non-empty name", level + 1)
  end
  if not utf8.len(name) or name:find("%c") then
    error(what .. ": a name is one line of UTF-8", level + 1)
  end
  if type(body) ~= "function" then error(what .. " needs a function", level + 1) end
  local info = getinfo(level + 1, "Sl")
  local line = info and info.currentline or 0
  local known = native:declare(name, line, mode)
  if known then error(("there is a test '%s' already, on line %d"):format(name, known), level + 1) end
  local start = line > 0 and ("%s:%d: "):format(info.short_src, line) or ""
  tests[#tests + 1] = { name = name, body = body, place = start }
  return tests[#tests]
end

local function each(mode, what)
  return function(cases, name, body)
    if type(cases) ~= "table" or #cases == 0 then
      error(what .. " needs a non-empty list of cases", 2)
    end
    if type(name) ~= "string" then error(what .. " needs a name", 2) end
    for index, case in ipairs(cases) do
      local fields = type(case) == "table" and case or {}
      local shown = name:gsub("{([%w_]*)}", function(key)
        local value = case
        if key ~= "" then value = fields[math.tointeger(tonumber(key)) or key] end
        if value == nil then return nil end
        return (cut(type(value) == "string" and value or show(value), 60):gsub("%c", " "))
      end)
      if shown == name then shown = ("%s (%d)"):format(name, index) end
      declare(what, shown, body, mode, 2).case = { case }
    end
  end
end

local function hook(what, list)
  return function(body)
    if type(body) ~= "function" then error(what .. " needs a function", 2) end
    if not is_declaring then error(what .. " must be at the top level of the file, not in a test", 2) end
    list[#list + 1] = body
  end
end

local no_shared = "each test has its own host, in which the file is run again: put what comes before "
  .. "a test at the top level of the file, or in test.before_each"
local members = {
  each = each("plain", "test.each"),
  skip = function(name, body) declare("test.skip", name, body, "skip", 2) end,
  only = function(name, body) declare("test.only", name, body, "only", 2) end,
  before_each = hook("test.before_each", befores),
  after_each = hook("test.after_each", afters),
}

package.loaded["lull.test"] = setmetatable({}, {
  __call = function(_, name, body) declare("test", name, body, "plain", 2) end,
  __index = function(_, key)
    if members[key] then return members[key] end
    if key == "before_all" or key == "after_all" then
      error(("there is no test.%s: %s"):format(key, no_shared), 2)
    end
    error(("lull.test has no '%s'"):format(tostring(key)), 2)
  end,
  __newindex = function(_, key) error(("lull.test: '%s' cannot be set"):format(tostring(key)), 2) end,
  __name = "lull.test",
  __tostring = function() return "lull.test" end,
  __metatable = false,
})

local t = setmetatable({}, sealed("t", test_methods, test_getters))

local function run(number)
  is_declaring = false
  current = tests[number]
  for _, before in ipairs(befores) do before(t) end
  local test = current.body
  if current.case then test(t, current.case[1]) else test(t) end
end

-- The last one first, each in turn: one that fails does not keep the others from it.
local function tidy(count)
  local after = afters[#afters - count]
  if after then after(t) end
end

-- Whether a constant of that code is this name, which stands behind its length.
local function is_named(code, name)
  return #name < 100 and code:find(string.char(0x81 + #name) .. name, 1, true) ~= nil
end

local has_expectation

-- Whether a value that code may use leads to such a function: of a table, by the names that stand in the code.
local function leads_to_expectation(value, code, seen, depth)
  if type(value) == "function" then return has_expectation(value, seen) end
  if type(value) ~= "table" or rawequal(value, t) or depth > 3 then return false end
  for key, inner in next, value do
    if seen.entries == 0 then return false end
    seen.entries = seen.entries - 1
    if (type(inner) == "function" or type(inner) == "table")
      and (type(key) ~= "string" or is_named(code, key))
      and leads_to_expectation(inner, code, seen, depth + 1)
    then
      return true
    end
  end
  local meta = getmetatable(value)
  local index = type(meta) == "table" and rawget(meta, "__index")
  return type(index) == "table" and leads_to_expectation(index, code, seen, depth + 1)
end

-- Whether a function has an expectation, or uses one that has: `expect`, or a variable that holds it, and the name
-- of a method are among what it refers to. Globals and fields count by their names.
function has_expectation(body, seen)
  if type(body) ~= "function" or seen[body] or seen.functions == 0 or body == expect then return false end
  seen[body], seen.functions = true, seen.functions - 1
  local done, code = pcall(string.dump, body)
  if not done then return false end
  local names_expect = is_named(code, "expect")
  local names_method = code:find("[\x80-\xFF]to_%l") ~= nil
  if names_expect and names_method then return true end
  for index = 1, 255 do
    local name, value = getupvalue(body, index)
    if not name then return false end
    if names_method and rawequal(value, expect) then return true end
    if name == "_ENV" and names_method and type(value) == "table" then
      for key, global in next, value do
        if rawequal(global, expect) and type(key) == "string" and is_named(code, key) then return true end
      end
    end
    if leads_to_expectation(value, code, seen, 0) then return true end
  end
  return false
end

local function note_unreached(what, body, advice)
  if not has_expectation(body, { functions = 1000, entries = 10000 }) then return false end
  local info = getinfo(body, "S")
  native:was_not_met(("%s:%d: %s, so its expectations were not checked: %s"):format(
    info.short_src, info.linedefined, what, advice or "await what it waits for"))
  return true
end

-- The functions of a list of arguments, or of an observer.
local function functions(value)
  if type(value) == "function" then return { value } end
  local list = {}
  for _, inner in next, type(value) == "table" and value or {} do
    if type(inner) == "function" then list[#list + 1] = inner end
  end
  return list
end

local function note_hooks(what, request, advice)
  local held = getuservalue(request, 2)
  if type(held) ~= "table" then held = { held } end
  for _, body in pairs(held) do note_unreached(what:format(tostring(request)), body, advice) end
end

-- Expectations that were given and never checked: of functions and requests that have not ended.
local function finish(bodies, arguments, requests, unstarted, observers)
  local list = {}
  for given in pairs(unmatched) do list[#list + 1] = given end
  table.sort(list, function(one, other) return one.number < other.number end)
  for _, given in ipairs(list) do
    native:was_not_met(given.place .. "t.expect(…) expects nothing: call a method, such as :to_equal(…)")
  end
  local before = "the test ended before this function did"
  for _, body in ipairs(bodies) do note_unreached(before, body) end
  for _, given in ipairs(arguments) do
    for _, body in ipairs(functions(given)) do note_unreached(before, body) end
  end
  for _, request in ipairs(requests) do note_hooks("the test ended before %s did", request) end
  for _, request in ipairs(unstarted) do note_hooks("%s was never started", request, "start it") end
  for _, observer in ipairs(observers) do
    for _, body in ipairs(functions(observer)) do
      if not expecting[body] then
        note_unreached("this observer heard of nothing", body, "load its resource, and await that")
      end
    end
  end
end

-- The files of modules that were loaded since.
local loaded, search, known = package.loaded, package.searchpath, {}
for name in pairs(loaded) do known[name] = true end
local function modules()
  local files = {}
  for name in pairs(loaded) do
    local file = not known[name] and type(name) == "string" and type(package.path) == "string"
      and search(name, package.path)
    if file then files[#files + 1] = file end
  end
  return table.unpack(files, 1, math.min(#files, 100))
end

return run, tidy, function() return #afters end, modules, finish
