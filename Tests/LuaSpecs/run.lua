-- Runs the specs of this folder, unchanged under `lull` and under a stock lua5.4:
--
--   lull run.lua [TOPIC …]        only TOPIC_spec.lua; without such a file, those with TOPIC in their names
--
-- A spec file is a chunk that gets the toolkit below as its argument and says `it(sentence, function)`.
-- Every spec runs in a task of its own, one after another, for a few seconds at most; a file that has
-- not ended after two minutes ends the interpreter. Prints one line for each spec that failed; the last
-- line says how many passed and failed.

local lull = require "lull"

local folder = arg[0]:match("^(.*)/[^/]*$") or "."
local own_source = debug.getinfo(1, "S").source
local first = 0
while arg[first - 1] do first = first - 1 end
local interpreter = arg[first]

-- Specs make requests fail to see something else.
lull.unhandled = "ignore"

-- What is pinned while nothing runs but this: the coroutine it runs in.
local own_pins = lull.stats().pins

local specs, prefix, topic = {}, {}, nil
local current                      -- the spec that runs
local spec = {}                    -- the toolkit

spec.is_stock = not interpreter:match("lull$")
spec.folder = folder
-- How many times slower than usual everything is, as under Scripts/support/memcheck.
spec.slowness = tonumber(os.getenv "SPEC_SLOWNESS") or 1

-- Saying what there is ---------------------------------------------------------------------------

function spec.describe(name, body)
  prefix[#prefix + 1] = name
  body()
  prefix[#prefix] = nil
end

-- options.seconds: how long it may take, instead of 5
function spec.it(name, body, options)
  local info = debug.getinfo(body, "S")
  specs[#specs + 1] = {
    name = table.concat(prefix, " ") .. (#prefix > 0 and " " or "") .. name, body = body,
    place = info.short_src:match("[^/]*$") .. ":" .. info.linedefined, topic = topic,
    seconds = (options and options.seconds or 5) * spec.slowness,
  }
end

-- Asserting --------------------------------------------------------------------------------------

-- A value as text, in one line.
local function show(value, level)
  level = level or 0
  if type(value) == "string" then
    local text = ("%q"):format(value):gsub("\\\n", "\\n")
    return #text > 300 and text:sub(1, 300) .. "…" or text
  end
  if type(value) ~= "table" or level > 4 then return tostring(value) end
  local parts, count = {}, #value
  for i = 1, math.min(count, 30) do parts[i] = show(value[i], level + 1) end
  local named = {}
  for k, v in pairs(value) do
    if not (math.type(k) == "integer" and k >= 1 and k <= count) then
      named[#named + 1] = tostring(k) .. " = " .. show(v, level + 1)
    end
  end
  table.sort(named)
  table.move(named, 1, #named, #parts + 1, parts)
  return "{" .. table.concat(parts, ", ") .. "}"
end
spec.show = show

local function fail(reason)
  local level, where = 2, ""
  while true do
    local info = debug.getinfo(level, "Sl")
    if not info then break end
    if info.source ~= own_source and info.what ~= "C" then
      where = info.short_src:match("[^/]*$") .. ":" .. info.currentline
      break
    end
    level = level + 1
  end
  if current then current.failures[#current.failures + 1] = { where = where, reason = reason } end
  error(where .. ": " .. reason, 0)
end
spec.fail = fail

function spec.check(condition, what)
  if not condition then fail(what or "this should be true, got " .. tostring(condition)) end
  return condition
end

local function prefixed(what) return what and what .. ": " or "" end

function spec.equal(actual, expected, what)
  if actual ~= expected or math.type(actual) ~= math.type(expected) then
    fail(("%sexpected %s, got %s"):format(prefixed(what), show(expected), show(actual)))
  end
end

local function is_same(a, b)
  if type(a) ~= "table" or type(b) ~= "table" then
    return a == b and math.type(a) == math.type(b)
  end
  for k, v in pairs(a) do if not is_same(v, b[k]) then return false end end
  for k in pairs(b) do if a[k] == nil then return false end end
  return true
end

-- Tables are compared by what they hold.
function spec.same(actual, expected, what)
  if not is_same(actual, expected) then
    fail(("%sexpected %s, got %s"):format(prefixed(what), show(expected), show(actual)))
  end
end

function spec.contains(text, part, what)
  if type(text) ~= "string" or not text:find(part, 1, true) then
    fail(("%sexpected a text with %s, got %s"):format(prefixed(what), show(part), show(text)))
  end
  return text
end

function spec.excludes(text, part, what)
  if type(text) ~= "string" or text:find(part, 1, true) then
    fail(("%sexpected a text without %s, got %s"):format(prefixed(what), show(part), show(text)))
  end
end

function spec.near(actual, expected, tolerance, what)
  if type(actual) ~= "number" or math.abs(actual - expected) > tolerance then
    fail(("%sexpected about %s, got %s"):format(prefixed(what), expected, show(actual)))
  end
end

-- The call must raise a text that contains `part` and begins with the file and line of `fn`.
function spec.raises(part, fn)
  local ok, message = pcall(fn)
  if ok then fail(("expected an error with %s, none was raised"):format(show(part))) end
  if type(message) ~= "string" then
    fail(("expected an error with %s, got %s"):format(show(part), show(message)))
  end
  spec.contains(message, part)
  local info = debug.getinfo(fn, "S")
  local line = message:match("^" .. info.short_src:gsub("%p", "%%%0") .. ":(%d+): ")
  line = tonumber(line)
  if not line or line < info.linedefined or line > info.lastlinedefined then
    fail(("expected an error at %s:%d, got %s"):format(
      info.short_src, info.linedefined, show(message)))
  end
  return message
end

-- `fn`, which must be called exactly n times (once) before the spec is over.
function spec.expect(fn, n)
  if type(fn) == "number" then fn, n = nil, fn end
  local info = debug.getinfo(2, "Sl")
  local call = {
    count = 0, expected = n or 1, where = info.short_src:match("[^/]*$") .. ":" .. info.currentline,
  }
  table.insert(current.calls, call)
  return function(...)
    call.count = call.count + 1
    if fn then return fn(...) end
  end
end

function spec.never() return spec.expect(nil, 0) end

-- What has been reported (an error in a callback) since the last look; a report that nobody looks at
-- fails the spec. Each is { message =, traceback =, where = }.
function spec.reports()
  local reports = current.reports
  current.reports = {}
  return reports
end

-- Making what is tested --------------------------------------------------------------------------

-- A service of the sample API, fresh.
function spec.demo(settings)
  local all = { base_url = lull.demo() }
  for k, v in pairs(settings or {}) do all[k] = v end
  return lull.service(all)
end

-- A JSON answer of a `networking` function.
function spec.json(body, headers, status)
  local all = { ["Content-Type"] = "application/json" }
  for k, v in pairs(headers or {}) do all[k] = v end
  return { status = status or 200, headers = all, body = body }
end

function spec.answer(content_type, body, status)
  return { status = status or 200, headers = { ["Content-Type"] = content_type }, body = body }
end

-- A service whose network is `answers`: an answer for all, a list of answers (the last one stays), or
-- a `networking` function; and the list of what was sent.
function spec.fake(answers, settings)
  local sent = {}
  local all = { base_url = "https://api.test/v1" }
  for k, v in pairs(settings or {}) do all[k] = v end
  all.networking = function(http, complete, report)
    local headers = {}
    for k, v in pairs(http.headers) do headers[k] = v end
    sent[#sent + 1] = { method = http.method, url = http.url, headers = headers, body = http.body }
    if type(answers) == "function" then return answers(http, complete, report) end
    return #answers > 0 and answers[math.min(#sent, #answers)] or answers
  end
  return lull.service(all), sent
end

-- A service whose requests wait until `held[i](answer)` is called.
function spec.held(settings)
  local held = {}
  local service = spec.fake(function(_, complete) held[#held + 1] = complete end, settings)
  return service, held
end

-- The events a resource sends, as a list of `event` or `event(detail)` and the flags that were on:
-- L loading, D data, E error.
function spec.record(resource)
  local events = {}
  local observation = resource:observe(function(r, event, detail)
    local flags = (r.is_loading and "L" or "") .. (r.latest_data and "D" or "")
      .. (r.latest_error and "E" or "")
    events[#events + 1] = event .. (detail and "(" .. detail .. ")" or "") .. " [" .. flags .. "]"
  end)
  table.insert(current.finally, function() observation:stop() end)
  return events, observation
end

-- Lets everything that is due happen.
function spec.turn()
  for _ = 1, 3 do lull.sleep(0) end
end

function spec.collect()
  for _ = 1, 2 do collectgarbage("collect") lull.sleep(0) end
end

-- What a command prints, on both streams.
function spec.shell(command)
  local pipe = assert(io.popen(command .. " 2>&1"))
  local text = pipe:read("a")
  pipe:close()
  return (text:gsub("\n$", ""))
end

-- A folder of its own, gone when the second result is closed.
function spec.temporary_folder()
  local path = spec.shell("mktemp -d")
  local guard = setmetatable({}, { __close = function() spec.shell("rm -rf " .. path) end })
  return path, guard
end

-- The interpreter as another folder can call it.
function spec.interpreter()
  if not interpreter:find("/", 1, true) or interpreter:sub(1, 1) == "/" then return interpreter end
  return os.getenv("PWD") .. "/" .. interpreter
end

-- Runs a script of its own in the same interpreter: { out =, err =, code = }.
function spec.script(source, options)
  local path = os.tmpname()
  local file = assert(io.open(path, "w"))
  file:write(source)
  file:close()
  local command = ("timeout %d %s %s %s >%s.out 2>%s.err; echo $?"):format(
    options and options.seconds or 10, options and options.env and "env " .. options.env or "",
    interpreter, path, path, path)
  local pipe = assert(io.popen(command))
  local result = { code = math.tointeger(tonumber(pipe:read("a"))), path = path }
  pipe:close()
  for _, name in ipairs { "out", "err" } do
    local output = assert(io.open(path .. "." .. name))
    result[name] = output:read("a")
    output:close()
    os.remove(path .. "." .. name)
  end
  os.remove(path)
  return result
end

-- Running ----------------------------------------------------------------------------------------

local function load_specs()
  local pipe, names, is_there = assert(io.popen("ls '" .. folder .. "'")), {}, {}
  for name in pipe:lines() do
    if name:match("_spec%.lua$") then
      names[#names + 1], is_there[name] = name, true
    end
  end
  pipe:close()
  local wanted = {}
  for _, name_or_part in ipairs(arg) do
    local whole, is_found = name_or_part:gsub("_spec$", "") .. "_spec.lua", false
    for _, name in ipairs(names) do
      if name == whole or not is_there[whole] and name:find(name_or_part, 1, true) then
        wanted[name], is_found = true, true
      end
    end
    if not is_found then
      print(("run.lua: no spec file in %s has '%s' in its name"):format(folder, name_or_part))
      os.exit(2)
    end
  end
  for _, name in ipairs(names) do
    if #arg == 0 or wanted[name] then
      topic = name
      assert(loadfile(folder .. "/" .. name))(spec)
    end
  end
end

local function reset()
  lull.log.enabled = {}
  lull.log.handler = nil
  lull.on_error(function(err, traceback, where)
    table.insert(current.reports, { message = tostring(err), traceback = traceback, where = where })
    return true
  end)
end

-- Kills the interpreter if a file takes longer, as one does that waits for a program or never yields: no
-- task could end that. It is told when to go, since children of the specs keep its input open, too.
local function limit(name)
  local seconds = math.ceil(120 * spec.slowness)
  local guard = assert(io.popen(([[timeout %d sh -c 'read _'
    if [ $? -eq 124 ]; then echo 'run.lua: %s has not ended after %d s' >&2; kill -9 $PPID; fi]]):format(
    seconds, name, seconds), "w"))
  return function()
    guard:write("over\n")
    guard:close()
  end
end

-- The reasons why a spec failed, the most telling first.
local function run(this)
  current = this
  this.failures, this.reports, this.calls, this.finally = {}, {}, {}, {}
  reset()
  local task = lull.spawn(function()
    local ok, err = xpcall(this.body, function(err)
      return { text = tostring(err), traceback = debug.traceback() }
    end)
    lull.sleep(0)
    if not ok and #this.failures == 0 then
      local where, reason = err.text:match("([^/]*_spec%.lua:%d+): (.*)")
      table.insert(this.failures, { where = where or this.place, reason = reason or err.text })
    end
  end)
  local is_late = false
  local watchdog = lull.spawn(function()
    lull.sleep(this.seconds)
    is_late = true
    task:cancel()
  end)
  task:await()
  watchdog:cancel()
  for _, finish in ipairs(this.finally) do pcall(finish) end
  local failures = this.failures
  if is_late then
    table.insert(failures, { where = this.place, reason = "not over after " .. this.seconds .. " s" })
  end
  for _, call in ipairs(this.calls) do
    if call.count ~= call.expected and not is_late then
      table.insert(failures, {
        where = call.where,
        reason = ("expected %d calls, got %d"):format(call.expected, call.count),
      })
    end
  end
  for _, report in ipairs(this.reports) do
    local reason = ("error in %s: %s"):format(report.where, report.message)
    table.insert(failures, { where = this.place, reason = reason })
  end
  this.body, this.calls, this.finally, this.reports = nil, nil, nil, nil
end

-- What is still alive after everything has been dropped.
local function leaks()
  current = { reports = {} }
  lull.on_error(nil)
  lull.log.handler = nil
  spec.collect()
  spec.collect()
  local found, stats = {}, lull.stats()
  stats.pins = stats.pins - own_pins
  for _, name in ipairs { "pins", "requests_in_flight", "requests_queued" } do
    if stats[name] > 0 then found[#found + 1] = ("%s: %d"):format(name, stats[name]) end
  end
  return found
end

load_specs()
local passed, failed = 0, 0
local limited, lift
for _, this in ipairs(specs) do
  if this.topic ~= limited then
    if lift then lift() end
    limited, lift = this.topic, limit(this.topic)
  end
  run(this)
  if #this.failures == 0 then
    passed = passed + 1
  else
    failed = failed + 1
    local failure = this.failures[1]
    local where = failure.where ~= "" and failure.where or this.place
    print(("%s: %s: %s"):format(where, this.name, (tostring(failure.reason):gsub("\n.*", ""))))
    if os.getenv("SPEC_ALL") then
      for i = 2, #this.failures do
        print("    also " .. this.failures[i].where .. ": " .. this.failures[i].reason)
      end
    end
  end
end
if lift then lift() end
for _, leak in ipairs(leaks()) do
  failed = failed + 1
  print("run.lua: nothing is left behind: " .. leak)
end
io.stdout:write(("%d passed, %d failed\n"):format(passed, failed))
io.stdout:flush()
os.exit(failed == 0 and 0 or 1)
