-- Forms whose values may be files (BODY-10 to BODY-13).
local lull = require "lull"
local spec = ...
local describe, it, equal, same, raises = spec.describe, spec.it, spec.equal, spec.same, spec.raises
local contains, excludes, check = spec.contains, spec.excludes, spec.check

local function with_file(name, text)
  local folder, guard = spec.temporary_folder()
  local path = folder .. "/" .. name
  assert(lull.write_file(path, text))
  return path, guard
end

-- The parts of a body as RFC 2046 has it: { { head, value }, … }
local function parts_of(body, content_type)
  local boundary = assert(content_type:match("^multipart/form%-data; boundary=(%S+)$"), content_type)
  local parts, mark = {}, "--" .. boundary
  equal(body:sub(1, #mark + 2), mark .. "\r\n")
  local place = #mark + 3
  while true do
    local head_end = assert(body:find("\r\n\r\n", place, true))
    local first, last = assert(body:find("\r\n" .. mark, head_end, true))
    parts[#parts + 1] = { body:sub(place, head_end - 1), body:sub(head_end + 4, first - 1) }
    if body:sub(last + 1) == "--\r\n" then return parts end
    equal(body:sub(last + 1, last + 2), "\r\n")
    place = last + 3
  end
end

local function sent_parts(form, method)
  local seen = assert(spec.demo()("/echo"):request(method or "POST", form):await()).content
  equal(tonumber(seen.headers["content-length"]), #seen.body)
  return parts_of(seen.body, seen.headers["content-type"]), seen
end

local function plain(name, value)
  return { ('content-disposition: form-data; name="%s"'):format(name), value }
end

describe("a multipart form", function()
  it("BODY-10 BODY-11 BODY-12 has its values in the order of their names", function()
    local path <const>, guard <close> = with_file("a.pdf", "%PDF\r\n--x\0")
    local service, sent = spec.fake(spec.json "1")
    service("/a"):post(lull.multipart {
      z = 7, title = "Tëa\r\n", ok = true, share = 0.5, empty = "", file = lull.file(path),
    }):await()
    same(parts_of(sent[1].body, sent[1].headers["content-type"]), {
      plain("empty", ""),
      { 'content-disposition: form-data; name="file"; filename="a.pdf"\r\n'
        .. "content-type: application/pdf", "%PDF\r\n--x\0" },
      plain("ok", "true"), plain("share", "0.5"), plain("title", "Tëa\r\n"), plain("z", "7"),
    })
    check(guard)
  end)

  it("BODY-16 sends what its secrets stand for, and shows their masks", function()
    local path <const>, guard <close> = with_file("a.txt", ("x"):rep(100000))
    local token = lull.secret { command = "printf hunter2", name = "T" }
    local form = lull.multipart {
      a = token, b = lull.file(path), c = { value = "Bearer " .. token, type = "text/x", name = "t" },
    }
    local lines = {}
    lull.log.enabled, lull.log.handler = "all", function(_, line) lines[#lines + 1] = line end
    local parts = sent_parts(form)
    lull.log.enabled, lull.log.handler = {}, nil
    same({ parts[1], parts[2][2], parts[3] }, {
      plain("a", "hunter2"), ("x"):rep(100000),
      { 'content-disposition: form-data; name="c"; filename="t"\r\ncontent-type: text/x', "Bearer hunter2" },
    })
    excludes(table.concat(lines, "\n"), "hunter2")
    excludes(tostring(form), "hunter2")
    local service, sent = spec.fake(spec.json "1")
    service("/a"):post(form):await()
    contains(sent[1].body, "‹secret T›")
    excludes(sent[1].body, "hunter2")
    local index = assert(spec.demo()("/"):load():await()).content
    local _, err = spec.demo():resource_at(index.other_origin .. "/echo"):post(lull.multipart { a = token }):await()
    equal(err.cause.kind, "secret_origin")
    contains(err.user_message, "‹secret T› in the body is not sent to")
    _, err = spec.demo()("/echo"):post(lull.multipart { a = lull.secret { env = "LULL_NOT_THERE" } }):await()
    equal(err.cause.kind, "secret_unavailable")
    check(guard)
  end)

  it("BODY-10 is sent over the network with its length, by any method", function()
    local path <const>, guard <close> = with_file("a.txt", ("x"):rep(100000))
    for _, method in ipairs { "POST", "PUT", "DELETE" } do
      local parts, seen = sent_parts(lull.multipart { a = "1", b = lull.file(path) }, method)
      equal(seen.method, method)
      equal(#parts, 2)
      equal(parts[2][2], ("x"):rep(100000))
    end
    check(guard)
  end)

  it("BODY-10 has another boundary each time", function()
    local form = lull.multipart { a = "1" }
    local _, first = sent_parts(form)
    local _, second = sent_parts(form)
    check(first.headers["content-type"] ~= second.headers["content-type"])
  end)

  it("BODY-12 has its pairs in the order they are given, one name twice", function()
    local path <const>, guard <close> = with_file("a.txt", "file")
    local parts = sent_parts(lull.multipart {
      { "z", "1" }, { "tag", "a" }, { "tag", "b" }, { "a", lull.file(path, { type = "x/y", name = "b" }) },
    })
    same(parts, {
      plain("z", "1"), plain("tag", "a"), plain("tag", "b"),
      { 'content-disposition: form-data; name="a"; filename="b"\r\ncontent-type: x/y', "file" },
    })
    check(guard)
  end)

  it("BODY-11 has values with a type and a name", function()
    same(sent_parts(lull.multipart {
      note = { value = "*x*", type = "text/markdown", name = "n.md" }, other = { value = 7 },
    }), {
      { 'content-disposition: form-data; name="note"; filename="n.md"\r\ncontent-type: text/markdown', "*x*" },
      plain("other", "7"),
    })
  end)

  it("BODY-11 keeps names on their line and in their quotation marks", function()
    local path <const>, guard <close> = with_file("a.txt", "x")
    local parts = sent_parts(lull.multipart { ['a"b\r\nx: y'] = lull.file(path, { name = 'ä"\n' }) })
    equal(parts[1][1],
      'content-disposition: form-data; name="a%22b%0D%0Ax: y"; filename="ä%22%0A"\r\n'
        .. "content-type: application/octet-stream")
    check(guard)
  end)

  it("BODY-13 fails as its files do", function()
    local path <const>, guard <close> = with_file("a.txt", "x")
    local service, sent = spec.fake(spec.json "1")
    local request = service("/a"):post(lull.multipart { a = lull.file(path .. ".none") })
    equal(request.state, "completed")
    local _, err = request:await()
    equal(err.cause.kind, "file_unavailable")
    equal(#sent, 0)
    local real = spec.demo { concurrency = 1 }
    local first = real("/slow"):with_param("seconds", 0.1):get()
    request = real("/echo"):post(lull.multipart { a = lull.file(path), b = "x" })
    assert(lull.write_file(path, "changed"))
    _, err = request:await()
    equal(err.cause.kind, "file_changed")
    assert(first:await())
    contains(assert(request:repeated():start():await()).content.body, "changed")
    check(guard)
  end)

  it("BODY-13 is bounded by silence if it has files, by the timeout if not", function()
    local path <const>, guard <close> = with_file("a.txt", "x")
    local slow = spec.demo { timeout = 0.05 }("/slow"):with_param("seconds", 0.3)
    assert(slow:post(lull.multipart { a = lull.file(path) }):await())
    local _, err = slow:post(lull.multipart { a = "x" }):await()
    contains(err.user_message, "0.05 s (timeout)")
    check(guard)
  end)

  it("BODY-08 is named by its parts in the log", function()
    local path <const>, guard <close> = with_file("a.txt", "do not show")
    local lines = {}
    lull.log.enabled = "all"
    lull.log.handler = function(_, message) lines[#lines + 1] = message end
    spec.fake(spec.json "1")("/a"):post(lull.multipart { a = lull.file(path), b = "nor this" }):await()
    lull.log.enabled, lull.log.handler = {}, nil
    local text = table.concat(lines, "\n")
    contains(text, "body: multipart form of a (file '" .. path .. "'), b, ")
    excludes(text, "do not show")
    excludes(text, "nor this")
    equal(tostring(lull.multipart { a = lull.file(path), b = "x" }), "Multipart(a (file '" .. path .. "'), b)")
    check(guard)
  end)

  it("may be put in the place of a body by a mutation, and brings its type", function()
    local service, sent = spec.fake(spec.json "1")
    service("/a"):post({ json = {} }, function(http) http.body = lull.multipart { a = "1" } end):await()
    same(parts_of(sent[1].body, sent[1].headers["content-type"]), { plain("a", "1") })
  end)

  it("raises for what cannot be a part", function()
    local function bad(message, values) raises(message, function() lull.multipart(values) end) end
    raises("bad argument #1 to 'multipart' (table expected, got string)", function() lull.multipart "x" end)
    bad("a multipart form needs a value", {})
    bad("either names with values, or a list of { name, value }, not both", { { "a", "b" }, c = "d" })
    bad("multipart value 'a' must be a string, number, boolean, secret, lull.file", { a = print })
    bad("multipart value 'a' must be a string", { a = lull.null })
    bad("names of multipart values must be strings, got boolean", { [true] = "x" })
    bad("the name of a multipart value is not valid UTF-8", { ["\xE9"] = "x" })
    bad("multipart value #1 must be { name, value }", { "x" })
    bad("multipart value #1 must be { name, value }", { { "x" } })
    bad("multipart value #2 must be { name, value }", { { "x", "y" }, { 1, "y" } })
    bad("multipart value #1 must be { name, value }", { { "x", "y", "z" } })
    bad("multipart value #1 must be { name, value }", { { name = "x", value = "y" } })
    bad("multipart value 'a' needs 'value'", { a = {} })
    bad("unknown setting 'typ' (did you mean 'type'?)", { a = { value = "x", typ = "y" } })
    bad("multipart value 'a.value' must be a string", { a = { value = {} } })
    bad("multipart value 'a' is a file: set its type and name in lull.file", { a = { value = lull.file "a" } })
    bad("'type' must not contain line breaks", { a = { value = "x", type = "a/b\r\nx: y" } })
    bad("'name' must be a non-empty string", { a = { value = "x", name = "" } })
    bad("set another name with the option 'name'", { a = lull.file "\xE9.txt" })
  end)
end)
