extension TestPrelude {
  /// What `t.expect` gives.
  static let expecting = verdicts + values + requests + snapshots

  private static let verdicts = #"""
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

    """#

  private static let values = #"""
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

    """#

  private static let requests = #"""
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

    """#

  private static let snapshots = #"""
    local snapshot_counts = {}

    function expectations:to_match_snapshot(options)
      check(self)
      if self.negated then error("there is no opposite of to_match_snapshot", 2) end
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
          error("'name' must be a string that is not empty", 2)
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
        return ("not as in the snapshot '%s' (lull test --update takes it as it is now):%s"):format(
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

    """#
}
