-- The sample API, which `lull demo` and `lull.demo()` serve: the things that clients of REST APIs have to deal with,
-- from pages and validators to failures, redirects and streams.
--
-- Nothing in it is declared as a call, since clients are to meet every method, path and status. One function `mock`
-- answers all requests, by the list of routes at the end.
local lull = require "lull"

-- JSON -------------------------------------------------------------------------------------------

-- JSON whose members stand in the order in which they are given, since people read it with curl.
local Object, Array = {}, {}

-- object("id", 1, "name", "Ada")
local function object(...) return setmetatable({ count = select("#", ...), ... }, Object) end

local function array(list) return setmetatable(list, Array) end

local function json_text(value)
  local kind = type(value) == "table" and getmetatable(value)
  local parts = {}
  if kind == Object then
    for i = 1, value.count, 2 do
      parts[#parts + 1] = lull.json.encode(value[i]) .. ":" .. json_text(value[i + 1])
    end
    return "{" .. table.concat(parts, ",") .. "}"
  elseif kind == Array then
    for i, element in ipairs(value) do parts[i] = json_text(element) end
    return "[" .. table.concat(parts, ",") .. "]"
  end
  return lull.json.encode(value)
end

-- A text whose bytes that are not UTF-8 are replaced by U+FFFD.
local function valid_text(bytes)
  local parts, start = {}, 1
  while true do
    local _, wrong = utf8.len(bytes, start)
    if not wrong then break end
    parts[#parts + 1] = bytes:sub(start, wrong - 1)
    start = wrong + 1
  end
  if #parts == 0 then return bytes end
  parts[#parts + 1] = bytes:sub(start)
  return table.concat(parts, "\u{FFFD}")
end

-- Answers ----------------------------------------------------------------------------------------

local function reply(value, status, headers)
  headers = headers or {}
  headers["content-type"] = headers["content-type"] or "application/json"
  return { status = status or 200, headers = headers, body = json_text(value) .. "\n" }
end

local function no_store(value, status)
  return reply(value, status, { ["cache-control"] = "no-store" })
end

local function content(bytes, type, headers)
  headers = headers or {}
  headers["content-type"] = type
  return { headers = headers, body = bytes }
end

local function empty(status, headers) return { status = status, headers = headers or {} } end

local function redirect(location, status)
  return reply(object("location", location), status or 302, { location = location })
end

-- A route raises it, and it is answered as JSON: `{"error": …, "message": …}`, the same for all routes.
local Problem = {}

local function fail(status, code, message, headers)
  error(setmetatable({ status = status, code = code, message = message, headers = headers }, Problem))
end

local function bad_request(message) fail(400, "bad_request", message) end
local function not_found(message) fail(404, "not_found", message) end

local function unauthorized(message)
  fail(401, "unauthorized", message, { ["www-authenticate"] = 'Bearer realm="lull-demo"' })
end

-- Requests ---------------------------------------------------------------------------------------

-- Text with its percent escapes undone; unchanged if one of them is wrong.
local function unescaped(text)
  if text:gsub("%%%x%x", ""):find("%", 1, true) then return text end
  local decoded = text:gsub("%%(%x%x)", function(digits) return string.char(tonumber(digits, 16)) end)
  return utf8.len(decoded) and decoded or text
end

-- The pairs of a query or a form, in order.
local function pairs_of(text)
  local found = {}
  for pair in text:gmatch("[^&]+") do
    local name, value = pair:gsub("%+", " "):match("^([^=]*)=?(.*)$")
    found[#found + 1] = { name = unescaped(name), value = unescaped(value) }
  end
  return found
end

-- The first value of that name.
local function first(found, name)
  for _, pair in ipairs(found) do
    if pair.name == name then return pair.value end
  end
end

-- An object with the names in the order of their first use; those that are repeated become lists.
local function json_of_pairs(found)
  local names, values = {}, {}
  for _, pair in ipairs(found) do
    if not values[pair.name] then
      names[#names + 1], values[pair.name] = pair.name, array {}
    end
    table.insert(values[pair.name], valid_text(pair.value))
  end
  local members = { count = 0 }
  for _, name in ipairs(names) do
    members[members.count + 1] = valid_text(name)
    members[members.count + 2] = #values[name] == 1 and values[name][1] or values[name]
    members.count = members.count + 2
  end
  return setmetatable(members, Object)
end

-- A whole number of 64 bits; nil if the text is something else.
local function whole(text)
  return text:find("^[+-]?%d+$") and math.tointeger(tonumber(text)) or nil
end

-- A whole number of the query, from `least` to `most`.
local function number_of(call, name, default, least, most)
  local text = first(call.query, name)
  if not text then return default end
  local value = whole(text)
  if not value or value < least or value > most then
    bad_request(("%s must be a whole number from %d to %d"):format(name, least, most))
  end
  return value
end

-- A whole number in the path.
local function number_in_path(call, name, least, most)
  local text = call.parameters[name]
  local value = whole(text)
  if not value or value < least or value > most then
    bad_request(("'%s' is not a whole number from %d to %d"):format(text, least, most))
  end
  return value
end

-- The body as a JSON object: 415 if it is declared as something else, 400 if it is none.
local function json_object(call)
  local type = (call.headers["content-type"] or ""):match("^[^;]*"):match("^%s*(.-)%s*$"):lower()
  if type ~= "application/json" and not type:find("%+json$") then
    local shown = type == "" and "a body without a Content-Type" or type
    fail(415, "unsupported_media_type", "send application/json, not " .. shown)
  end
  if call.json == nil then bad_request "the body is not valid JSON" end
  if not call.body:find("^%s*{") then bad_request "the body must be a JSON object" end
  return call.json
end

-- A member of an object if it has that type, else nil.
local function text_member(members, name)
  return type(members[name]) == "string" and members[name] or nil
end

local function whole_member(members, name)
  return type(members[name]) == "number" and math.tointeger(members[name]) or nil
end

-- Dates ------------------------------------------------------------------------------------------

-- In whole seconds since 1970: HTTP says nothing finer.
local function date(seconds) return os.date("!%a, %d %b %Y %H:%M:%S GMT", seconds) end

local months = {
  Jan = 1, Feb = 2, Mar = 3, Apr = 4, May = 5, Jun = 6, Jul = 7, Aug = 8, Sep = 9, Oct = 10, Nov = 11, Dec = 12,
}

-- The seconds of the preferred form; nil for anything else, which servers ignore.
local function seconds_of(text)
  local day, month, year, hour, minute, second =
    text:match("^%a+, *(%d+) +(%a+) +(%d+) +(%d+):(%d+):(%d+) +GMT$")
  day, year, month = whole(day or ""), whole(year or ""), months[month]
  if not (day and month and year and year >= 1 and year <= 9999 and day <= 99) then return nil end
  -- The days since 1970, with years that begin in March: the leap day is then the last of one.
  local y = month <= 2 and year - 1 or year
  local day_of_year = (153 * ((month + 9) % 12) + 2) // 5 + day - 1
  local days = 365 * y + y // 4 - y // 100 + y // 400 + day_of_year - 719468
  return days * 86400 + hour * 3600 + minute * 60 + second
end

-- Collections ------------------------------------------------------------------------------------

-- The fields of the items of a collection. One without a default must be given.
local schemas = {
  users = {
    item = "user", { name = "name", kind = "a string" }, { name = "email", kind = "a string", default = "" },
    { name = "role", kind = "a string", default = "member" },
    { name = "visits", kind = "a whole number", default = 0 },
  },
  notes = {
    item = "note", { name = "title", kind = "a string" }, { name = "body", kind = "a string", default = "" },
    { name = "done", kind = "true or false", default = false },
  },
  articles = {
    item = "article", { name = "title", kind = "a string" },
    { name = "topic", kind = "a string", default = "tea" },
    { name = "words", kind = "a whole number", default = 0 },
  },
}

local user_names = {
  "Ada Lovelace", "Alan Turing", "Barbara Liskov", "Carl Gauss", "Dana Scott", "Donald Knuth", "Edsger Dijkstra",
  "Emmy Noether", "Frances Allen", "Grace Hopper", "Hedy Lamarr", "Ida Rhodes", "Jean Bartik", "John McCarthy",
  "Karen Jones", "Kurt Gödel", "Leslie Lamport", "Lynn Conway", "Mary Shaw", "Niklaus Wirth", "Ole Dahl",
  "Radia Perlman", "Robin Milner", "Sophie Wilson", "Tony Hoare",
}

local note_seeds = {
  { title = "Buy milk", body = "Two litres, the blue one.", done = false },
  { title = "Call the plumber", body = "The tap in the kitchen drips.", done = true },
  { title = "Read RFC 9110", body = "At least the chapter on conditional requests.", done = false },
}

-- A collection with its first items, all made at the same moment of the past, so that they are the same in every run.
local function collection(seeds)
  local items = {}
  for id, values in ipairs(seeds) do
    items[id] = { id = id, values = values, modified = 1735689600 }
  end
  return { items = items, last_id = #items }
end

local function users()
  local seeds = {}
  for i, name in ipairs(user_names) do
    seeds[i] = {
      name = name, email = ("%s%d@example.com"):format(name:match("^%S+"):lower(), i),
      role = i == 1 and "admin" or i % 5 == 0 and "editor" or "member", visits = (i - 1) * 7 % 40,
    }
  end
  return collection(seeds)
end

-- Many, for clients that walk through pages.
local function articles()
  local topics, seeds = { [0] = "tea", "trains", "tides", "type" }, {}
  for i = 1, 200 do
    seeds[i] = { title = "Article " .. i, topic = topics[i % 4], words = 100 + i * 37 % 900 }
  end
  return collection(seeds)
end

-- Everything that the server remembers, as it is at the start.
local function new_contents()
  local notes = {}
  for i, note in ipairs(note_seeds) do notes[i] = lull.copy(note) end
  return {
    users = users(), notes = collection(notes), articles = articles(), jobs = {},
    tokens = {},                   -- user and end, by token
    refreshers = {},               -- user by refresh token
    serial = 0, logins = 0, refreshes = 0, last_refresher = 0,
    attempts = {},                 -- of /flaky, by key
    times = {},                    -- of the requests to /limited that count, by key
    count = 0,
    received = {},                 -- the last requests to /echo
    searches = {},                 -- results by their entity tag
  }
end

local contents = new_contents()

local function item_json(name, item)
  local members = { "id", item.id, count = 2 }
  for _, field in ipairs(schemas[name]) do
    members[members.count + 1], members[members.count + 2] = field.name, item.values[field.name]
    members.count = members.count + 2
  end
  return setmetatable(members, Object)
end

-- Made from the content, so that it changes when the content does, and only then (FNV-1a).
local function entity_tag(text)
  local hash = 0xcbf29ce484222325
  for i = 1, #text do hash = (hash ~ text:byte(i)) * 0x100000001b3 end
  return ('"%x"'):format(hash)
end

local function validators(name, item)
  return { etag = entity_tag(json_text(item_json(name, item))), ["last-modified"] = date(item.modified) }
end

local function find(name, id)
  for position, item in ipairs(contents[name].items) do
    if tostring(item.id) == id then return item, position end
  end
  not_found(("there is no %s with the id '%s'"):format(schemas[name].item, id))
end

-- The values of an object by its schema. Unknown members are ignored; null stands for the default.
local function values_of(name, members)
  local values = {}
  for _, field in ipairs(schemas[name]) do
    local value = members[field.name]
    if value == nil or value == lull.null then
      if field.default == nil then
        bad_request(("a %s needs the field '%s'"):format(schemas[name].item, field.name))
      end
      value = field.default
    elseif field.kind == "a whole number" then
      value = whole_member(members, field.name)
    elseif type(value) ~= (field.kind == "a string" and "string" or "boolean") then
      value = nil
    end
    if value == nil then bad_request(("the field '%s' must be %s"):format(field.name, field.kind)) end
    values[field.name] = value
  end
  return values
end

local function replace(name, id, members)
  local item = find(name, id)
  if members.id ~= nil and members.id ~= item.id then
    bad_request "the id in the body is not the one in the path"
  end
  item.values, item.modified = values_of(name, members), os.time()
  return item
end

local function page(call, name)
  local number = number_of(call, "page", 1, 1, 1000000)
  local size = number_of(call, "per_page", 10, 1, 100)
  local items, list = contents[name].items, array {}
  for i = (number - 1) * size + 1, math.min(number * size, #items) do
    list[#list + 1] = item_json(name, items[i])
  end
  local last = math.max(1, (#items + size - 1) // size)
  local links = {}
  local function link(relation, target)
    links[#links + 1] =
      ('<%s/%s?page=%d&per_page=%d>; rel="%s"'):format(call.origin, name, target, size, relation)
  end
  if number < last then link("next", number + 1) end
  if number > 1 then link("prev", math.min(number - 1, last)) end
  link("first", 1)
  link("last", last)
  return reply(list, 200, { link = table.concat(links, ", "), ["x-total-count"] = tostring(#items) })
end

-- Whether the client's copy is good. An entity tag decides alone; dates are for clients without one.
-- (RFC 9110, section 13.2.2)
local function is_current(call, item, tag)
  local tags = call.headers["if-none-match"]
  if tags then
    for known in tags:gmatch("[^,]+") do
      known = known:match("^%s*(.-)%s*$")
      if known == "*" or known:gsub("^W/", "") == tag then return true end
    end
    return false
  end
  local since = seconds_of(call.headers["if-modified-since"] or "")
  return since ~= nil and item.modified <= since
end

local function read(call, name)
  local item = find(name, call.parameters.id)
  local headers = validators(name, item)
  if not is_current(call, item, headers.etag) then return reply(item_json(name, item), 200, headers) end
  -- Of what the client has, the length alone is sent.
  return { status = 304, headers = headers, body = json_text(item_json(name, item)) .. "\n" }
end

local function insert(call, name)
  local values = values_of(name, json_object(call))
  local all = contents[name]
  all.last_id = all.last_id + 1
  local item = { id = all.last_id, values = values, modified = os.time() }
  table.insert(all.items, item)
  local headers = validators(name, item)
  headers.location = ("/%s/%d"):format(name, item.id)
  return reply(item_json(name, item), 201, headers)
end

local function put(call, name)
  local item = replace(name, call.parameters.id, json_object(call))
  return reply(item_json(name, item), 200, validators(name, item))
end

-- RFC 7396; the fields are flat, so is the merge.
local function patch(call, name)
  local given = json_object(call)
  local item = find(name, call.parameters.id)
  local merged = { id = item.id }
  for field, value in pairs(item.values) do merged[field] = value end
  for field, value in pairs(given) do merged[field] = value end
  replace(name, call.parameters.id, merged)
  return reply(item_json(name, item), 200, validators(name, item))
end

local function remove(call, name)
  local _, position = find(name, call.parameters.id)
  table.remove(contents[name].items, position)
  return empty(204)
end

-- Jobs -------------------------------------------------------------------------------------------

-- A job moves on when it is polled and its step has lasted long enough since it was first seen, by one step at most,
-- so that clients meet every state, however slow either side is.
local steps = {
  { "queued", 0 }, { "running", 25 }, { "running", 50 }, { "running", 75 }, { "done", 100 },
}

local function job_json(id)
  local job = contents.jobs[id]
  local state, progress = table.unpack(steps[job.step])
  local result = state == "done" and "/articles/" .. id or lull.null
  return object("id", id, "name", job.name, "state", state, "progress", progress, "result", result)
end

local function begin_job(call)
  local given = json_object(call)
  local pace = whole_member(given, "milliseconds") or 100
  if pace < 0 or pace > 60000 then bad_request "milliseconds must be a whole number from 0 to 60000" end
  table.insert(contents.jobs, { name = text_member(given, "name") or "a job", pace = pace / 1000, step = 1 })
  local id = #contents.jobs
  return reply(job_json(id), 202, { location = "/jobs/" .. id })
end

local function poll_job(call)
  local id = whole(call.parameters.id)
  local job = contents.jobs[id or 0]
  if not job then not_found("there is no job " .. call.parameters.id) end
  local now = lull.now()
  if not job.since then
    job.since = now
  elseif job.step < #steps and now - job.since >= job.pace then
    job.step, job.since = job.step + 1, now
  end
  return no_store(job_json(id))
end

-- Failures ---------------------------------------------------------------------------------------

local phrases = {
  [200] = "OK", [201] = "Created", [202] = "Accepted", [203] = "Non-Authoritative Information",
  [204] = "No Content", [205] = "Reset Content", [206] = "Partial Content", [207] = "Multi-Status",
  [300] = "Multiple Choices", [301] = "Moved Permanently", [302] = "Found", [303] = "See Other",
  [304] = "Not Modified", [307] = "Temporary Redirect", [308] = "Permanent Redirect", [400] = "Bad Request",
  [401] = "Unauthorized", [402] = "Payment Required", [403] = "Forbidden", [404] = "Not Found",
  [405] = "Method Not Allowed", [406] = "Not Acceptable", [407] = "Proxy Authentication Required",
  [408] = "Request Timeout", [409] = "Conflict", [410] = "Gone", [411] = "Length Required",
  [412] = "Precondition Failed", [413] = "Content Too Large", [414] = "URI Too Long",
  [415] = "Unsupported Media Type", [416] = "Range Not Satisfiable", [417] = "Expectation Failed",
  [418] = "I'm a teapot", [421] = "Misdirected Request", [422] = "Unprocessable Content", [423] = "Locked",
  [424] = "Failed Dependency", [425] = "Too Early", [426] = "Upgrade Required", [428] = "Precondition Required",
  [429] = "Too Many Requests", [431] = "Request Header Fields Too Large",
  [451] = "Unavailable For Legal Reasons", [500] = "Internal Server Error", [501] = "Not Implemented",
  [502] = "Bad Gateway", [503] = "Service Unavailable", [504] = "Gateway Timeout",
  [505] = "HTTP Version Not Supported", [507] = "Insufficient Storage", [511] = "Network Authentication Required",
}

local function slow(call)
  local text = first(call.query, "seconds") or "2"
  local seconds = text:find("^[%w.+-]+$") and tonumber(text)
  if not seconds or not (seconds >= 0 and seconds <= 30) then
    bad_request "seconds must be a number from 0 to 30"
  end
  lull.sleep(seconds)
  return reply(object("slept", math.tointeger(seconds) or seconds))
end

local function status(call)
  local code = number_in_path(call, "code", 200, 599)
  if code == 204 or code == 205 or code == 304 then return empty(code) end
  return reply(object("status", code, "message", phrases[code] or "Status " .. code), code)
end

local function flaky(call)
  local failures = number_of(call, "fail", 2, 0, 1000000)
  local key = first(call.query, "key") or ""
  local retry_after = number_of(call, "retry_after", 1, 0, 1000000)
  local attempts = (contents.attempts[key] or 0) + 1
  contents.attempts[key] = attempts
  if attempts <= failures then
    fail(
      503, "unavailable", ("attempt %d fails, try again"):format(attempts),
      { ["retry-after"] = tostring(retry_after) })
  end
  return reply(object("attempts", attempts))
end

local function limited(call)
  local requests = number_of(call, "requests", 5, 1, 100000)
  local seconds = number_of(call, "per", 1, 1, 3600)
  local key = first(call.query, "key") or ""
  local now, recent = lull.now(), {}
  for _, time in ipairs(contents.times[key] or {}) do
    if time + seconds > now then recent[#recent + 1] = time end
  end
  contents.times[key] = recent
  if #recent >= requests then
    fail(
      429, "too_many_requests", ("no more than %d requests in %d s"):format(requests, seconds),
      { ["retry-after"] = tostring(math.floor(recent[1] + seconds - now) + 1) })
  end
  recent[#recent + 1] = now
  return reply(object("limited", false))
end

-- Redirects, and what was received ---------------------------------------------------------------

-- Whether a text can be sent in a header without ending it.
local function is_header_value(text) return not text:find("[\0-\31\127]") end

local function echo(call)
  -- Of a repeated header the last one counts.
  local values, names = {}, {}
  for _, line in ipairs(call.lines) do
    if not values[line[1]] then names[#names + 1] = line[1] end
    values[line[1]] = line[2]
  end
  table.sort(names)
  local headers = { count = 2 * #names }
  for i, name in ipairs(names) do
    headers[2 * i - 1], headers[2 * i] = valid_text(name), valid_text(values[name])
  end
  local members = {
    "method", call.method, "path", call.path, "query", json_of_pairs(call.query),
    "headers", setmetatable(headers, Object), "body", valid_text(call.body), count = 10,
  }
  if call.json ~= nil then
    members[11], members[12], members.count = "json", call.json, 12
  end
  local record = { "origin", call.site, table.unpack(members) }
  record.count = members.count + 2
  if #contents.received == 100 then table.remove(contents.received, 1) end
  table.insert(contents.received, setmetatable(record, Object))
  return reply(setmetatable(members, Object))
end

local function redirect_times(call)
  local hops = number_in_path(call, "n", 0, 1000)
  if hops == 0 then return echo(call) end
  return redirect(hops == 1 and "/echo" or "/redirect/" .. hops - 1)
end

local function redirect_to(call)
  local url = first(call.query, "url") or ""
  if url == "" or not is_header_value(url) then bad_request "url must be given" end
  return redirect(url, number_of(call, "status", 302, 300, 399))
end

-- Bodies -----------------------------------------------------------------------------------------

-- Byte i is i % 251: a prime period makes pieces that are lost, doubled or swapped show.
local pattern = {}
for i = 0, 250 do pattern[i + 1] = string.char(i) end
pattern = table.concat(pattern):rep(1024)

local function bytes(call)
  local count = number_in_path(call, "n", 0, 200000000)
  local left = count
  return content(function()
    if left == 0 then return nil end
    local piece = left >= #pattern and pattern or pattern:sub(1, left)
    left = left - #piece
    return piece
  end, "application/octet-stream", { ["content-length"] = tostring(count) })
end

-- The last one is kept, so that measuring a client against it does not measure this server.
local large_parts = { items = -1 }
local colors = { [0] = "red", "green", "blue", "amber", "violet", "teal", "white" }
local large_item = '{"id":%d,"name":"Item number %d","tags":["%s","%s","%s"],"nested":{"group":%d,'
  .. '"owner":{"id":%d,"active":%s},"path":"/groups/%d/items/%d"},"score":%s}'

-- In parts of a thousand items, between which others have their turn.
local function make_large(items)
  local made = { items = items, length = 0 }
  local part = {}
  local function add(text)
    made[#made + 1] = text
    made.length = made.length + #text
  end
  for id = 1, items do
    part[#part + 1] = large_item:format(
      id, id, colors[id % 7], colors[(id + 2) % 7], colors[(id + 5) % 7], id % 100, id % 25 + 1, id % 2 == 0,
      id % 100, id, id * 7919 % 10000 / 100)
    if #part == 1000 or id == items then
      add((id > 1000 and "," or "[") .. table.concat(part, ","))
      part = {}
      lull.sleep(0)
    end
  end
  add(items == 0 and "[]\n" or "]\n")
  return made
end

local function large(call)
  local items = number_of(call, "items", 20000, 0, 500000)
  if large_parts.items ~= items then large_parts = make_large(items) end
  local parts, place = large_parts, 0
  return content(function()
    place = place + 1
    return parts[place]
  end, "application/json", { ["content-length"] = tostring(parts.length) })
end

-- In the gzip format without being made smaller: clients undo the one as they undo the other.
local function gzip()
  local text = '{"gzipped":true,"text":"The quick brown fox jumps over the lazy dog."}\n'
  local crc = 0xffffffff
  for i = 1, #text do
    crc = crc ~ text:byte(i)
    for _ = 1, 8 do crc = crc & 1 == 1 and crc >> 1 ~ 0xedb88320 or crc >> 1 end
  end
  local stored = string.pack("<BBBBI4BB BI2I2", 0x1f, 0x8b, 8, 0, 0, 0, 255, 1, #text, ~#text & 0xffff)
  return content(
    stored .. text .. string.pack("<I4I4", ~crc & 0xffffffff, #text), "application/json",
    { ["content-encoding"] = "gzip", vary = "Accept-Encoding" })
end

-- Streams ----------------------------------------------------------------------------------------

local open_streams = 0

local function ending_of(call)
  local ending = first(call.query, "end") or "close"
  if ending ~= "close" and ending ~= "cut" and ending ~= "silence" then
    bad_request "end must be close, cut or silence"
  end
  return ending
end

-- Items `from` to `to`, made while they are sent, one every so many milliseconds, or many at once. Behind the last one
-- the body ends, breaks off within an item, or says nothing of interest until the client has gone.
local function numbered(call, type, head, from, to, text)
  local every, ending = number_of(call, "every", 0, 0, 60000), ending_of(call)
  local next, is_cut = from, false
  open_streams = open_streams + 1
  local function piece()
    if head then
      local first_piece = head
      head = nil
      return first_piece
    elseif next <= to then
      if every > 0 then
        lull.sleep(every / 1000)
        next = next + 1
        return text(next - 1)
      end
      local items = {}
      for i = next, math.min(next + 999, to) do items[#items + 1] = text(i) end
      next = next + #items
      return table.concat(items)
    elseif ending == "silence" then
      lull.sleep(0.02)
      return ":\n"
    elseif ending == "close" or is_cut then
      return nil, is_cut and "cut off" or nil
    end
    is_cut = true
    return text(next):sub(1, -3)
  end
  local answer = content(piece, type, { ["cache-control"] = "no-store" })
  answer.close = function() open_streams = open_streams - 1 end
  return answer
end

local function events(call)
  local count = number_of(call, "count", 10, 0, 100000000)
  local per = number_of(call, "per", 0, 0, 100000000)
  local retry = number_of(call, "retry", nil, 0, 600000)
  local last = whole(call.headers["last-event-id"] or "") or 0
  if last >= count and ending_of(call) ~= "silence" then return empty(204) end
  local to = per > 0 and math.min(count, last + per) or count
  return numbered(
    call, "text/event-stream", retry and ("retry: %d\n\n"):format(retry), last + 1, to,
    function(n) return ('id: %d\ndata: {"n":%d}\n\n'):format(n, n) end)
end

local function rows(call)
  local count = number_of(call, "count", 10, 0, 100000000)
  return numbered(
    call, "application/x-ndjson", nil, 1, count, function(n) return ('{"n":%d}\n'):format(n) end)
end

-- Tokens -----------------------------------------------------------------------------------------

-- In seconds: they run out quickly, for clients that renew them.
local lifetime = 5

local function new_token(user)
  contents.serial = contents.serial + 1
  local token = "token-" .. contents.serial
  contents.tokens[token] = { user = user, ends = lull.now() + lifetime }
  return token
end

local function grant(user, refresher)
  return no_store(object("token", new_token(user), "refresh_token", refresher, "expires_in", lifetime))
end

local function login(call)
  local given = json_object(call)
  local user, password = text_member(given, "user") or "", text_member(given, "password") or ""
  if user == "" or password == "" then bad_request "user and password must be given" end
  contents.logins = contents.logins + 1
  local count = 1
  for _ in pairs(contents.refreshers) do count = count + 1 end
  local refresher = "refresh-" .. count
  contents.refreshers[refresher] = user
  return grant(user, refresher)
end

-- The refresh token stays good.
local function refresh(call)
  local refresher = text_member(json_object(call), "refresh_token")
  if not refresher then bad_request "refresh_token must be given" end
  local user = contents.refreshers[refresher]
  if not user then unauthorized "that refresh token is unknown" end
  contents.refreshes = contents.refreshes + 1
  return grant(user, refresher)
end

-- The two words of a header such as `Authorization: Basic bHVsbDpzM2NyM3Q=`.
local function credentials(call)
  local words = {}
  for word in (call.headers.authorization or ""):gmatch("[^ ]+") do words[#words + 1] = word end
  if #words == 2 then return words[1], words[2] end
end

-- RFC 6749, sections 2.3.1, 4.4, 5.2 and 6.
local function oauth_token(call)
  local form = pairs_of(call.body)
  local client, secret = first(form, "client_id"), first(form, "client_secret")
  local scheme, encoded = credentials(call)
  local pair = scheme == "Basic" and lull.base64.decode(encoded)
  if pair then
    client, secret = pair:match("^([^:]*):?(.*)$")
    client, secret = unescaped(client), unescaped(secret)
  end
  local function refuse(code, error, words)
    return no_store(object("error", error, "error_description", words), code)
  end
  if client ~= "lull" or secret ~= "s3cr3t" then
    return refuse(401, "invalid_client", "that client is unknown")
  end
  local kind = first(form, "grant_type")
  if kind ~= "client_credentials" and kind ~= "refresh_token" then
    return refuse(400, "unsupported_grant_type", "that grant is not known here")
  end
  -- A refresh token is used up and replaced.
  local rotates = kind == "refresh_token"
  if rotates then
    local refresher = first(form, "refresh_token") or ""
    if not contents.refreshers[refresher] then
      return refuse(400, "invalid_grant", "that refresh token is unknown or was used")
    end
    contents.refreshers[refresher] = nil
  end
  contents.refreshes = contents.refreshes + 1
  local token = new_token("lull")
  if not rotates then
    return no_store(object("access_token", token, "token_type", "Bearer", "expires_in", lifetime))
  end
  local rotated = "rotated-" .. contents.serial
  contents.refreshers[rotated] = "lull"
  return no_store(
    object("access_token", token, "token_type", "Bearer", "expires_in", lifetime, "refresh_token", rotated))
end

local function private(call)
  local scheme, token = credentials(call)
  if not scheme or scheme:lower() ~= "bearer" then
    unauthorized "send Authorization: Bearer <token>; POST /login gives one"
  end
  local known = contents.tokens[token]
  if not known or known.ends <= lull.now() then unauthorized "that token is unknown or has expired" end
  return no_store(object("user", known.user, "message", "only for you"))
end

local function expire()
  local count, now = 0, lull.now()
  for _, token in pairs(contents.tokens) do
    if token.ends > now then count = count + 1 end
  end
  contents.tokens = {}
  return no_store(object("expired", count))
end

-- Others -----------------------------------------------------------------------------------------

local function counter(call)
  if call.method == "GET" then contents.count = contents.count + 1 end
  return no_store(object("count", contents.count))
end

local function headers(call)
  local given, order = {}, {}
  for _, pair in ipairs(call.query) do
    if not given[pair.name] then
      given[pair.name] = {}
      order[#order + 1] = pair.name
    end
    table.insert(given[pair.name], pair.value)
  end
  local answer = reply(object("headers", json_of_pairs(call.query)))
  for _, name in ipairs(order) do
    local values = given[name]
    for _, value in ipairs(values) do
      if not name:find("^[%w!#$%%&'*+.^_`|~-]+$") or not is_header_value(value) then
        bad_request(("'%s' is no header that can be sent"):format(name))
      end
    end
    local known = name:lower()
    if known == "content-length" or known == "transfer-encoding" then
      bad_request(name .. " says where the body ends and cannot be chosen")
    end
    answer.headers[known] = known == "set-cookie" and values or table.concat(values, ", ")
  end
  return answer
end

local function feed(call)
  local cursors = { "", "c2Vjb25k", "dGhpcmQ", "Zm91cnRo" }
  local cursor = first(call.query, "cursor") or ""
  for number, known in ipairs(cursors) do
    if known == cursor then
      local items = array {}
      for id = number * 5 - 4, number * 5 do
        items[#items + 1] = object("id", id, "title", "Story " .. id)
      end
      return reply(object("items", items, "next", cursors[number + 1] or lull.null))
    end
  end
  bad_request "that cursor is unknown; start without one"
end

-- Searches ---------------------------------------------------------------------------------------

-- The articles that a query asks for: `{topic, words, size, after}`. The answer has the rows, their number without
-- `size`, and the ID to pass as `after` for the next rows.
local function search(call)
  local given = json_object(call)
  local topic, words = text_member(given, "topic"), whole_member(given, "words") or 0
  local size, after = whole_member(given, "size") or 10, whole_member(given, "after") or 0
  if size < 1 or size > 100 then bad_request "size must be a whole number from 1 to 100" end
  local found, total, more = array {}, 0, false
  for _, item in ipairs(contents.articles.items) do
    if (not topic or item.values.topic == topic) and item.values.words >= words then
      total = total + 1
      if item.id > after then
        if #found < size then found[#found + 1] = item_json("articles", item) else more = true end
      end
    end
  end
  local last = found[#found]
  local answer = object("rows", found, "total", total, "next", more and last[2] or lull.null)
  local tag = entity_tag(json_text(answer))
  local fields = {
    etag = tag, ["accept-query"] = '"application/json"', ["content-location"] = "/searches/" .. tag:sub(2, -2),
  }
  contents.searches[tag] = answer
  for known in (call.headers["if-none-match"] or ""):gmatch("[^,%s]+") do
    if known == tag then return empty(304, fields) end
  end
  return reply(answer, 200, fields)
end

local function search_result(call)
  local answer = contents.searches['"' .. call.parameters.tag .. '"']
  return answer and reply(answer) or not_found "no search has this result; send the search again"
end

-- GraphQL ----------------------------------------------------------------------------------------

local sdl = [[
"What the sample API answers at /graphql."
type Query {
  "One user; null and an error if there is none."
  user(id: ID!): User
  users(first: Int = 10, after: String): UserConnection!
  articles(topic: Topic, first: Int = 10, after: String): ArticleConnection!
}

type Mutation {
  rename(id: ID!, name: String!): User
}

type Subscription {
  "The numbers from 1 to a limit."
  count(to: Int = 3): Int!
}

enum Topic { tea trains tides type }

type User {
  id: ID!
  name: String!
  email: String!
  role: String!
  visits: Int!
  "Not readable: null and an error."
  password: String
  mail: String @deprecated(reason: "Use email.")
}

type Article {
  id: ID!
  title: String!
  topic: Topic!
  words: Int!
}

type PageInfo {
  hasNextPage: Boolean!
  endCursor: String
}

type UserConnection {
  nodes: [User!]!
  totalCount: Int!
  pageInfo: PageInfo!
}

type ArticleConnection {
  nodes: [Article!]!
  totalCount: Int!
  pageInfo: PageInfo!
}
]]

-- The types of the fields that have fields of their own; a list if the name ends with +.
local composite = {
  Query = { user = "User", users = "UserConnection", articles = "ArticleConnection" },
  Mutation = { rename = "User" }, Subscription = {},
  UserConnection = { nodes = "User+", pageInfo = "PageInfo" },
  ArticleConnection = { nodes = "Article+", pageInfo = "PageInfo" },
}

-- The fields of each type and their arguments, read from the schema above.
local fields_of = {}
for name, body in sdl:gmatch "\ntype (%w+) {\n(.-)\n}" do
  fields_of[name] = { __typename = {} }
  for line in body:gmatch "[^\n]+" do
    local field, arguments = line:match "^  (%w+)(%b())"
    field = field or line:match "^  (%w+):"
    local known = {}
    for argument, type in (arguments or ""):gmatch "(%w+): ([%w!]+)" do known[argument] = type end
    if field then fields_of[name][field] = known end
  end
end

-- A document that can't be answered: 400 with this error.
local Refusal = {}

local function refuse(message) error(setmetatable({ message = message }, Refusal)) end

local function tokens_of(text)
  local tokens, place = {}, 1
  while true do
    place = text:match("^[%s,]*()", place)
    if text:find("^#", place) then
      place = text:match("^[^\n]*()", place)
    elseif place > #text then
      return tokens
    else
      local token = text:match("^%.%.%.", place) or text:match('^"[^"\n]*"', place)
        or text:match("^%-?%d+%.?%d*", place) or text:match("^%a[%w_]*", place) or text:match("^_[%w_]*", place)
        or text:match("^[{}()%[%]:!$=@]", place)
      if not token then refuse("Syntax Error: unexpected " .. valid_text(text:sub(place, place))) end
      tokens[#tokens + 1] = token
      place = place + #token
    end
  end
end

-- A parser for the part of the language that clients of the sample API need: no block strings, no directives.
local function parse_document(text)
  local tokens, at = tokens_of(text), 1
  local operations, fragments = {}, {}
  local used = {}                  -- the variables of the operation, for its fragments

  local function take(wanted)
    local token = tokens[at]
    if not token or wanted and token ~= wanted then
      refuse(("Syntax Error: expected %s, found %s"):format(wanted or "a name", token or "the end"))
    end
    at = at + 1
    return token
  end

  local function taken(wanted)
    if tokens[at] ~= wanted then return false end
    at = at + 1
    return true
  end

  local function value(variables)
    local token = take()
    if token == "$" then
      local name = take()
      if variables == nil then refuse "a default has no variables" end
      return variables[name]
    elseif token == "[" then
      local list = {}
      while not taken "]" do list[#list + 1] = value(variables) end
      return list
    elseif token:find '^"' then
      return token:sub(2, -2)
    elseif token == "true" or token == "false" then
      return token == "true"
    elseif token == "null" then
      return nil
    end
    return math.tointeger(tonumber(token)) or tonumber(token) or token
  end

  local depth = 0

  local function selections(variables)
    local set = {}
    depth = depth + 1
    if depth > 50 then refuse "the selections are nested too deeply" end
    take "{"
    while not taken "}" do
      if tokens[at] == "@" then refuse "the sample API knows no directives" end
      if taken "..." then
        if taken "on" then
          take()
          set[#set + 1] = { selections = selections(variables) }
        elseif tokens[at] == "{" then
          set[#set + 1] = { selections = selections(variables) }
        else
          set[#set + 1] = { fragment = take() }
        end
      else
        local field = { name = take() }
        field.key = field.name
        if taken ":" then field.name = take() end
        field.arguments = {}
        if taken "(" then
          while not taken ")" do
            local name = take()
            take ":"
            field.arguments[name] = { value = value(variables) }
          end
        end
        if tokens[at] == "{" then field.selections = selections(variables) end
        set[#set + 1] = field
      end
    end
    depth = depth - 1
    return set
  end

  local function type_name()
    if taken "[" then
      type_name()
      take "]"
    else
      take()
    end
    return taken "!"
  end

  -- The operation with the given name, or the only one, and the fragments.
  return function(given, wanted)
    local names = {}
    for place, token in ipairs(tokens) do
      local kind = tokens[place - 1]
      if (kind == "query" or kind == "mutation" or kind == "subscription") and token:find "^[%a_]" then
        names[token] = true
      end
    end
    if wanted and not names[wanted] then refuse(('Unknown operation named "%s".'):format(wanted)) end
    while tokens[at] do
      local kind = tokens[at] == "{" and "query" or take()
      if kind == "fragment" then
        local name = take()
        take "on"
        take()
        fragments[name] = selections(used)
      else
        local operation = { kind = kind }
        if tokens[at] ~= "{" and tokens[at] ~= "(" then operation.name = take() end
        local is_wanted = not wanted or operation.name == wanted
        local values = {}
        if taken "(" then
          while not taken ")" do
            take "$"
            local name = take()
            take ":"
            local is_required = type_name()
            local default
            if taken "=" then default = value(nil) end
            if given[name] ~= lull.null then values[name] = given[name] end
            if given[name] == nil then values[name] = default end
            if is_required and is_wanted and values[name] == nil then
              refuse(("Variable \"$%s\" of required type was not provided."):format(name))
            end
          end
        end
        operation.selections = selections(values)
        if is_wanted then
          operations[#operations + 1] = operation
          for name, known in pairs(values) do used[name] = known end
        end
      end
    end
    return operations, fragments
  end
end

local function connection(name, keep, arguments)
  if arguments.after ~= nil and type(arguments.after) ~= "string" then refuse "after must be a string" end
  local size, after = arguments.first or 10, math.tointeger(tonumber(arguments.after or "0")) or 0
  if type(size) ~= "number" or size < 1 or size > 100 then refuse "first must be from 1 to 100" end
  local nodes, total, more = {}, 0, false
  for _, item in ipairs(contents[name].items) do
    if keep(item) then
      total = total + 1
      if item.id > after then
        if #nodes < size then nodes[#nodes + 1] = item else more = true end
      end
    end
  end
  local last = nodes[#nodes]
  return {
    nodes = nodes, totalCount = total,
    pageInfo = { hasNextPage = more, endCursor = last and tostring(last.id) },
  }
end

local function user_of(arguments)
  for _, item in ipairs(contents.users.items) do
    if tostring(item.id) == tostring(arguments.id) then return item end
  end
  return nil, "there is no user with the id " .. tostring(arguments.id)
end

local root = {
  Query = {
    user = user_of,
    users = function(arguments) return connection("users", function() return true end, arguments) end,
    articles = function(arguments)
      return connection(
        "articles", function(item) return not arguments.topic or item.values.topic == arguments.topic end, arguments)
    end,
  },
  Mutation = {
    rename = function(arguments)
      if type(arguments.name) ~= "string" then refuse "name must be a string" end
      local user, problem = user_of(arguments)
      if user then user.values.name, user.modified = arguments.name, os.time() end
      return user, problem
    end,
  },
}

-- The value of a field; nil and a message if it can't be read.
local function resolve(type, source, field, arguments)
  if root[type] then return root[type][field](arguments) end
  if not source.values then return source[field] end
  if field == "id" then return tostring(source.id) end
  if field == "password" then return nil, "a password cannot be read" end
  return source.values[field == "mail" and "email" or field]
end

local function execute(set, fragments, type, source, errors, path, result)
  result = result or setmetatable({ count = 0 }, Object)
  for _, selection in ipairs(set) do
    errors.steps = (errors.steps or 0) + 1
    if errors.steps > 20000 or #path > 50 then refuse "the document selects too many fields" end
    local inner = selection.selections
    if selection.fragment then
      inner = fragments[selection.fragment] or refuse(('Unknown fragment "%s".'):format(selection.fragment))
      if errors[inner] then refuse(('Cannot spread fragment "%s" within itself.'):format(selection.fragment)) end
    end
    if not selection.name then
      errors[inner] = true
      execute(inner, fragments, type, source, errors, path, result)
      errors[inner] = nil
    -- The value of a field that is selected twice is there already.
    elseif not result["key " .. selection.key] then
      local known = fields_of[type][selection.name]
        or refuse(('Cannot query field "%s" on type "%s".'):format(selection.name, type))
      local arguments = {}
      for name, given in pairs(selection.arguments) do
        if not known[name] then refuse(('Unknown argument "%s" on field "%s".'):format(name, selection.name)) end
        arguments[name] = given.value
      end
      for name, kind in pairs(known) do
        if kind:find "!$" and arguments[name] == nil then
          refuse(('Argument "%s" of required type "%s" was not provided.'):format(name, kind))
        end
      end
      local own = { table.unpack(path) }
      own[#own + 1] = selection.key
      local value, problem
      if selection.name == "__typename" then
        value = type
      else
        value, problem = resolve(type, source, selection.name, arguments)
      end
      if problem then
        errors[#errors + 1] = object("message", problem, "path", array(own))
      end
      local kind = (composite[type] or {})[selection.name]
      if kind and not inner then refuse(('Field "%s" must have a selection of subfields.'):format(selection.name)) end
      if value == nil then
        value = lull.null
      elseif kind and kind:find "%+$" then
        local list = array {}
        for i, element in ipairs(value) do
          own[#path + 2] = i - 1
          list[i] = execute(inner, fragments, kind:sub(1, -2), element, errors, own)
        end
        value = list
      elseif kind then
        value = execute(inner, fragments, kind, value, errors, own)
      end
      result[result.count + 1], result[result.count + 2] = selection.key, value
      result.count = result.count + 2
      result["key " .. selection.key] = true
    end
  end
  return result
end

-- The numbers of a subscription, as events of graphql-sse.
local function counting(selections)
  local field = selections[1]
  if not field or field.name ~= "count" then refuse "a subscription has the field count" end
  local parts, limit = {}, field.arguments.to and field.arguments.to.value or 3
  if math.type(limit) ~= "integer" then refuse "to must be a whole number" end
  for i = 1, math.min(limit, 100) do
    parts[i] = ('event: next\ndata: {"data":{"%s":%d}}\n\n'):format(field.key, i)
  end
  return content(table.concat(parts) .. "event: complete\ndata:\n\n", "text/event-stream")
end

local function graphql(call)
  local given = json_object(call)
  local media_type = "application/json"
  if (call.headers.accept or ""):find("application/graphql-response+json", 1, true) then
    media_type = "application/graphql-response+json"
  end
  local is_done, answer = pcall(function()
    local text = text_member(given, "query") or refuse "the body has no query"
    local variables = {}
    local values = given.variables
    if values ~= nil and values ~= lull.null and type(values) ~= "table" then refuse "variables must be an object" end
    for name, value in pairs(values ~= lull.null and values or {}) do variables[name] = value end
    local operations, fragments = parse_document(text)(variables, text_member(given, "operationName"))
    local operation = operations[1]
    if not operation then refuse "the document has no operation" end
    if #operations > 1 then refuse "Must provide operation name if query contains multiple operations." end
    if operation.kind == "subscription" then return counting(operation.selections) end
    local errors = array {}
    local name = operation.kind == "mutation" and "Mutation" or "Query"
    local data = execute(operation.selections, fragments, name, nil, errors, {})
    local fields = { ["content-type"] = media_type }
    if #errors == 0 then return reply(object("data", data), 200, fields) end
    return reply(object("errors", errors, "data", data), 200, fields)
  end)
  if is_done then return answer end
  if getmetatable(answer) ~= Refusal then error(answer, 0) end
  local is_plain = media_type == "application/json"
  local refusal = object("errors", array { object("message", answer.message) })
  return reply(refusal, is_plain and 200 or 400, { ["content-type"] = media_type })
end

-- Routes -----------------------------------------------------------------------------------------

-- What is served where, with the line that describes it to people. A segment in braces matches anything; what follows
-- a `?` is for readers only.
local routes = {}

local function route(method, path, summary, answer)
  local segments = {}
  for segment in path:match("^[^?]*"):gmatch("[^/]+") do segments[#segments + 1] = segment end
  routes[#routes + 1] = { method = method, path = path, summary = summary, answer = answer, segments = segments }
end

route("GET", "/", "this list, with the address of the other origin", function(call)
  local list = array {}
  for i = 2, #routes do
    local known = routes[i]
    list[i - 1] = object("method", known.method, "path", known.path, "description", known.summary)
  end
  return reply(
    object("name", "lull-demo", "origin", call.site, "other_origin", call.other_site, "routes", list))
end)

for _, name in ipairs { "users", "notes", "articles" } do
  local function with(answer)
    return function(call) return answer(call, name) end
  end
  local list, one = "/" .. name, "/" .. name .. "/{id}"
  route("GET", list .. "?page=1&per_page=10", "a page, with Link and X-Total-Count", with(page))
  route("POST", list, "makes one: 201 and its Location", with(insert))
  route("GET", one, "one, with ETag and Last-Modified; 304 when it is unchanged", with(read))
  route("PUT", one, "puts another in its place", with(put))
  route("PATCH", one, "changes the fields that are given (merge patch)", with(patch))
  route("DELETE", one, "removes it: 204", with(remove))
end

route("QUERY", "/search", "{topic?, words?, size?, after?} for articles: rows, total and next", search)
route("POST", "/search", "the same, for clients that cannot send QUERY", search)
route("GET", "/searches/{tag}", "the result that Content-Location of a search names", search_result)

route("POST", "/graphql", "GraphQL: user, users, articles, rename, and the subscription count", graphql)
route("GET", "/schema.graphql", "the schema of /graphql", function()
  return content(sdl, "text/plain; charset=utf-8")
end)

route("POST", "/jobs", "{name?, milliseconds?} begins a job: 202 and its Location", begin_job)
route("GET", "/jobs/{id}", "how far it is: queued, running, done", poll_job)

route("ANY", "/slow?seconds=2", "answers after that many seconds, at most 30", slow)
route("ANY", "/status/{code}", "answers with that status, 200 to 599", status)
route("ANY", "/flaky?fail=2&key=K&retry_after=1", "503 that many times for each key, then 200", flaky)
route("ANY", "/limited?requests=5&per=1&key=K", "429 above that rate for each key", limited)

route("ANY", "/echo", "what was sent: method, path, query, headers, body, json", echo)
route("GET", "/received", "what /echo got lately, at either origin", function()
  return no_store(object("requests", array { table.unpack(contents.received) }))
end)
route("ANY", "/redirect/{n}", "that many times 302, the last one to /echo", redirect_times)
route("ANY", "/redirect-loop", "302 to itself, for ever", function() return redirect "/redirect-loop" end)
route("ANY", "/redirect-to?url=U&status=302", "redirects to that URL", redirect_to)
route("ANY", "/redirect-other", "302 to /echo of the other origin", function(call)
  return redirect(call.other_site .. "/echo")
end)

route("GET", "/text", "plain text in UTF-8", function()
  return content("Hello, 世界! Grüße, café.\n", "text/plain; charset=utf-8")
end)
route("GET", "/latin1", "plain text in ISO-8859-1", function()
  local text = ("Grüße, café, mañana, £5.\n"):gsub(utf8.charpattern, function(character)
    return string.char(utf8.codepoint(character))
  end)
  return content(text, "text/plain; charset=iso-8859-1")
end)
route("GET", "/html", "a page of HTML", function()
  return content("<!doctype html>\n<title>lull-demo</title>\n<h1>Hello</h1>\n", "text/html; charset=utf-8")
end)
route("GET", "/bytes/{n}", "that many bytes, up to 200 million; byte i is i % 251", bytes)
route("GET", "/large?items=20000", "a JSON array of that many objects", large)
route("GET", "/gzip", "JSON, sent with Content-Encoding: gzip", gzip)
route("GET", "/empty", "200 and application/json, but no body at all", function()
  return content("", "application/json")
end)
route("ANY", "/nocontent", "204", function() return empty(204) end)
route("GET", "/malformed", "200 and application/json, but cut off", function()
  return content('{"id": 1, "name": "Ada', "application/json")
end)

route(
  "GET", "/events?count=10&per=0&every=0&retry=M&end=E",
  "numbered events (text/event-stream), behind Last-Event-ID: so many of them in all, and on one "
    .. "connection, one every so many milliseconds; end: close, cut or silence; 204 behind the last",
  events)
route("GET", "/events/open", "how many streams are being sent", function()
  return no_store(object("open", open_streams))
end)
route("GET", "/rows?count=10&every=0&end=E", "numbered rows (NDJSON), in the same way", rows)

route("POST", "/login", "{user, password} for {token, refresh_token, expires_in}", login)
route("POST", "/token", "{refresh_token} for a new token", refresh)
route(
  "POST", "/oauth/token", "OAuth 2.0: client_credentials of lull:s3cr3t, or refresh_token once each", oauth_token)
route("GET", "/token-count", "how many tokens /token has given out", function()
  return no_store(object("count", contents.refreshes, "logins", contents.logins))
end)
route("GET", "/private", "needs Authorization: Bearer <token>", private)
route("POST", "/expire", "ends all tokens now", expire)

route("GET", "/counter", "counts its own requests; Cache-Control: no-store", counter)
route("GET", "/headers?name=value", "answers with those headers", headers)
route("GET", "/feed?cursor=C", "four pages, each with the cursor of the next", feed)
route("POST", "/reset", "everything as it was at the start", function()
  contents = new_contents()
  return reply(object("reset", true))
end)

-- The named parts of a path, nil if it is not the route's.
local function parameters_of(known, segments)
  if #known.segments ~= #segments then return nil end
  local parameters = {}
  for i, segment in ipairs(known.segments) do
    if segment:find("^{") then
      parameters[segment:sub(2, -2)] = segments[i]
    elseif segment ~= segments[i] then
      return nil
    end
  end
  return parameters
end

local function answer(call)
  local segments, allowed = {}, {}
  for segment in call.path:gmatch("[^/]+") do segments[#segments + 1] = unescaped(segment) end
  local has_get = false
  for _, known in ipairs(routes) do
    local parameters = parameters_of(known, segments)
    if parameters then
      local method = known.method
      if method == "ANY" or method == call.method or (call.method == "HEAD" and method == "GET") then
        call.parameters = parameters
        return known.answer(call)
      end
      allowed[#allowed + 1] = method
      has_get = has_get or method == "GET"
    end
  end
  if #allowed == 0 then not_found(("nothing is served at %s; GET / lists the routes"):format(call.path)) end
  if has_get then allowed[#allowed + 1] = "HEAD" end
  allowed[#allowed + 1] = "OPTIONS"
  local allow = table.concat(allowed, ", ")
  if call.method == "OPTIONS" then return empty(204, { allow = allow }) end
  fail(
    405, "method_not_allowed", ("%s is not possible here, only %s"):format(call.method, allow), { allow = allow })
end

local function mock(request)
  local site = request.url:match("^https?://[^/]+")
  local host = request.headers.host
  local is_answered, result = pcall(answer, {
    method = request.method, path = request.path, query = pairs_of(request.url:match("%?(.*)") or ""),
    headers = request.headers, lines = request.lines, body = request.body, json = request.json, site = site,
    other_site = request.other_origin,
    -- As the client has written it, so that links stay on `localhost` for a client that said `localhost`.
    origin = host and "http://" .. host or site,
  })
  if is_answered then return result end
  if getmetatable(result) ~= Problem then error(result, 0) end
  return reply(object("error", result.code, "message", result.message), result.status, result.headers)
end

-- The list for the terminal.
local function list()
  local width, lines = 0, {}
  for _, known in ipairs(routes) do width = math.max(width, #known.path) end
  for i, known in ipairs(routes) do
    lines[i] = ("  %-6s  %s  %s"):format(known.method, known.path .. (" "):rep(width - #known.path), known.summary)
  end
  return table.concat(lines, "\n") .. "\n\nHEAD is served wherever GET is."
end

return { service = lull.service "http://127.0.0.1", description = list(), mock = mock }
