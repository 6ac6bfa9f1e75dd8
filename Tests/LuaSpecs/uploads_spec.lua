-- Bodies that are read while they are sent (BODY).
local lull = require "lull"
local spec = ...
local describe, it, equal, raises = spec.describe, spec.it, spec.equal, spec.raises
local contains, excludes, check = spec.contains, spec.excludes, spec.check

-- A file with that text, gone when the second result is closed.
local function with_file(name, text)
  local folder, guard = spec.temporary_folder()
  local path = folder .. "/" .. name
  assert(lull.write_file(path, text))
  return path, guard
end

local function echo(method, body, options)
  return assert(spec.demo()("/echo"):request(method, body, options):await()).content
end

describe("a file as a body", function()
  it("BODY-01 BODY-02 is sent as it is, with the type of its name", function()
    local path <const>, guard <close> = with_file("notes.txt", "Tea\nCake")
    for _, method in ipairs { "POST", "PUT", "PATCH", "DELETE", "PROPFIND" } do
      local seen = echo(method, lull.file(path))
      equal(seen.body, "Tea\nCake")
      equal(seen.method, method)
      equal(seen.headers["content-type"], "text/plain")
      equal(seen.headers["content-length"], "8")
    end
    equal(echo("POST", lull.file(path, { type = "x/y" })).headers["content-type"], "x/y")
    equal(echo("POST", lull.file(path, { name = "a.json" })).headers["content-type"], "application/json")
    check(guard)
  end)

  it("BODY-02 has path, name and type, and says what it is", function()
    local file = lull.file "some/where/a.pdf"
    equal(file.path, "some/where/a.pdf")
    equal(file.name, "a.pdf")
    equal(file.type, "application/pdf")
    equal(tostring(file), "File(some/where/a.pdf, application/pdf)")
    equal(lull.file("x", { name = "y.png" }).name, "y.png")
    equal(lull.file("\xE9.png").path, "\xE9.png")
  end)

  it("BODY-01 may be sent by every helper, with options too", function()
    local path <const>, guard <close> = with_file("a.bin", "x")
    local service = spec.demo()
    for _, name in ipairs { "post", "put", "patch" } do
      local resource = service("/echo")
      local seen = assert(resource[name](resource, lull.file(path), { headers = { A = "b" } }):await()).content
      equal(seen.body, "x")
      equal(seen.headers.a, "b")
    end
    check(guard)
  end)

  it("BODY-03 that is missing, a directory or a pipe fails the request at once", function()
    local folder, guard <close> = spec.temporary_folder()
    spec.shell("mkfifo " .. folder .. "/pipe")
    local service, sent = spec.fake(spec.json "1")
    for path, problem in pairs {
      [folder .. "/none"] = "No such file or directory", [folder] = "is a directory",
      [folder .. "/pipe"] = "is not a regular file",
      ["/proc/self/status"] = "its size is unknown",
    } do
      local request = service("/a"):post(lull.file(path))
      equal(request.state, "completed")
      local _, err = request:await()
      equal(err.cause.kind, "file_unavailable")
      equal(err.user_message, ("cannot read '%s': %s"):format(path, problem))
    end
    equal(#sent, 0)
    equal(#service("/a").all_requests, 0)
    check(guard)
  end)

  it("BODY-04 that changes after the request was made fails it, and is not sent again", function()
    local path <const>, guard <close> = with_file("a.bin", "first")
    local service = spec.demo { retry = true }
    service:configure { concurrency = 1 }
    local first = service("/slow"):with_param("seconds", 0.1):get()
    local request = service("/echo"):put(lull.file(path))
    assert(lull.write_file(path, "second"))
    local _, err = request:await()
    equal(err.cause.kind, "file_changed")
    contains(err.user_message, "'" .. path .. "' has changed since its request was made")
    equal(#err.attempts, 1)
    assert(first:await())
    equal(assert(request:repeated():start():await()).content.body, "second", "looked at anew")
    check(guard)
  end)

  it("BODY-05 is read again for a retry", function()
    local path <const>, guard <close> = with_file("a.txt", "again")
    local bodies = 0
    local service = spec.fake(function(http)
      bodies = bodies + (http.body == "again" and 1 or 0)
      return bodies < 3 and { status = 503 } or spec.json "1"
    end, { retry = { times = 2, backoff = { base = 0.001 } } })
    assert(service("/a"):put(lull.file(path)):await())
    equal(bodies, 3)
    check(guard)
  end)

  it("BODY-06 has no timeout but that of its call", function()
    local path <const>, guard <close> = with_file("a.txt", "x")
    local service = spec.demo { timeout = 0.05 }
    local slow = service("/slow"):with_param("seconds", 0.3)
    assert(slow:post(lull.file(path)):await())
    local _, err = slow:post(lull.file(path), { timeout = 0.05 }):await()
    contains(err.user_message, "0.05 s (timeout)")
    _, err = slow:post({ text = "x" }):await()
    contains(err.user_message, "0.05 s (timeout)")
    service:configure { idle_timeout = 0.05 }
    _, err = slow:post(lull.file(path)):await()
    contains(err.user_message, "(idle_timeout)")
    service:configure { idle_timeout = 0 }
    equal(service:configuration_for("/slow").idle_timeout, false)
    assert(slow:post(lull.file(path)):await())
    check(guard)
  end)

  it("BODY-08 is named in the log, and not shown", function()
    local path <const>, guard <close> = with_file("a.txt", "do not show this")
    local lines = {}
    lull.log.enabled = "all"
    lull.log.handler = function(_, message) lines[#lines + 1] = message end
    echo("POST", lull.file(path))
    lull.log.enabled, lull.log.handler = {}, nil
    local text = table.concat(lines, "\n")
    contains(text, "body: file '" .. path .. "', 16 bytes")
    local asked = text:match("request:.-body[^\n]*")
    excludes(asked, "do not show")
    check(guard)
  end)

  it("BODY-09 is bytes for mutations and networking functions", function()
    local path <const>, guard <close> = with_file("a.txt", "bytes")
    local service, sent = spec.fake(spec.json "1")
    local seen
    service("/a"):post(lull.file(path), function(http)
      seen = http.body
      http.headers["X-Length"] = #http.body
    end):await()
    equal(seen, "bytes")
    equal(sent[1].body, "bytes")
    equal(sent[1].headers["x-length"], "5")
    service("/a"):post(lull.file(path), function(http) http.body = http.body .. "!" end):await()
    equal(sent[2].body, "bytes!")
    service("/a"):post(nil, function(http) http.body = lull.file(path) end):await()
    equal(sent[3].body, "bytes")
    equal(sent[3].headers["content-type"], "text/plain")
    check(guard)
  end)

  it("raises for what is no file and no option", function()
    raises("bad argument #1 to 'file'", function() lull.file() end)
    raises("bad argument #1 to 'file'", function() lull.file(7 == 7) end)
    raises("bad argument #1 to 'file' (the name of a file expected, got '')", function() lull.file "" end)
    raises("the name of a file expected", function() lull.file "a\0b" end)
    raises("unknown setting 'typ' (did you mean 'type'?)", function() lull.file("a", { typ = "x" }) end)
    raises("'type' must be a non-empty string", function() lull.file("a", { type = 7 }) end)
    raises("'type' must be a non-empty string", function() lull.file("a", { type = "" }) end)
    raises("'type' must not contain line breaks", function() lull.file("a", { type = "a/b\r\nX: y" }) end)
    raises("'name' must be a non-empty string", function() lull.file("a", { name = {} }) end)
    raises("'name' is not valid UTF-8", function() lull.file("a", { name = "\xE9" }) end)
    local service, sent = spec.fake(spec.json "1")
    raises("bad argument #1 to 'post' (table, lull.file or lull.multipart expected, got Service)", function()
      service("/a"):post(service)
    end)
    raises("bad argument #2 to 'request' (table, lull.file or lull.multipart expected, got string)", function()
      service("/a"):request("POST", "x")
    end)
    raises("form value 'a' must be a string, number, boolean or secret, got File (lull.multipart is a form with files)",
      function() service("/a"):post { form = { a = lull.file "a" } } end)
    raises("'text' must be a string", function() service("/a"):post { text = lull.file "a" } end)
    local _, err = service("/a"):post(nil, function(http) http.body = service end):await()
    contains(err.cause.message, "'body' must be a string, lull.file, lull.multipart or nil, got Service")
    equal(#sent, 0)
    equal(#spec.reports(), 1)
  end)
end)
