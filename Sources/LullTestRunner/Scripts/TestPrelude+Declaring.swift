extension TestPrelude {
  /// What a test has besides expectations: time, network, APIs.
  static let surroundings = #"""
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
      if type(method) ~= "string" or type(path) ~= "string" then
        error(("%s needs a method and a path, such as \"GET\" and \"/users/*\""):format(what), 3)
      end
      if answers.n == 0 then error(what .. " needs an answer", 3) end
      local rule = ask(3, "rule", method, path)
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
        error(what .. ": what has a 'networking' function asks no 'cassette': leave one of them out", 3)
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
        error(("t:api knows cassette, match and hide, not '%s': answers are given with t.network:on"):format(tostring(key)), 2)
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

    """#

  /// The module, and what runs its tests.
  static let declaring = #"""
    local tests, befores, afters = {}, {}, {}
    local is_declaring = true

    local function declare(what, name, body, mode, level)
      if not is_declaring then
        error(what .. " stands in the file itself: tests are not declared inside of tests", level + 1)
      end
      if type(name) ~= "string" or not name:find("%S") then
        error(what .. " needs a name that is not empty", level + 1)
      end
      if not utf8.len(name) or name:find("%c") then
        error(what .. ": a name is one line of UTF-8", level + 1)
      end
      if type(body) ~= "function" then error(what .. " needs a function", level + 1) end
      local info = getinfo(level + 1, "Sl")
      local line = info and info.currentline or 0
      local known = native:declare(name, line, mode)
      if known then error(("there is a test '%s' already, on line %d"):format(name, known), level + 1) end
      local place = line > 0 and ("%s:%d: "):format(info.short_src, line) or ""
      tests[#tests + 1] = { name = name, body = body, place = place }
      return tests[#tests]
    end

    local function each(mode, what)
      return function(cases, name, body)
        if type(cases) ~= "table" or #cases == 0 then
          error(what .. " needs a list of cases that is not empty", 2)
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
        if not is_declaring then error(what .. " stands in the file itself, not in a test", 2) end
        list[#list + 1] = body
      end
    end

    local no_shared = "each test has a host of its own, in which the file is run anew: what is to be there before "
      .. "it stands in the file itself, or in test.before_each"
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
    """#
}
