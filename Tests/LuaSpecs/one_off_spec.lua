-- Requests of a URL for which no service is defined (ONE-01 to ONE-09).
local lull = require "lull"
local spec = ...
local describe, it, equal, raises, contains = spec.describe, spec.it, spec.equal, spec.raises, spec.contains
local excludes, check, same = spec.excludes, spec.check, spec.same

local METHODS = { "get", "post", "put", "patch", "delete", "head", "options" }

local base = lull.demo()

-- What arrived of a request with these options.
local function echoed(options, path)
  return assert(lull.post(base .. (path or "/echo"), options):await()).content
end

describe("a one-off request", function()
  it("ONE-01 is begun by the call, and gives a Request whose entity is parsed", function()
    local request = lull.get(base .. "/users/7")
    equal(tostring(request), "Request(GET /users/7 in progress)")
    equal(request.resource.url, base .. "/users/7")
    equal(request.resource.service.base_url, base .. "/")
    local entity = assert(request:await())
    equal(entity.content.name, "Edsger Dijkstra")
    equal(entity.http_status, 200)
    equal(entity.content_type, "application/json")
  end)

  it("ONE-01 has a function for each method, and one for any", function()
    for _, name in ipairs(METHODS) do
      local request = lull[name](base .. "/echo")
      equal(request.method, name:upper())
      local entity = assert(request:await())
      if name ~= "head" then equal(entity.content.method, name:upper()) end
    end
    equal(assert(lull.request("purge", base .. "/echo"):await()).content.method, "PURGE")
  end)

  it("ONE-01 fails as any other: nil and the error, nothing raised", function()
    local entity, err = lull.get(base .. "/users/0"):await()
    equal(entity, nil)
    equal(err.http_status, 404)
    contains(tostring(err), "GET " .. base .. "/users/0")
  end)

  it("ONE-01 goes with what waits for several", function()
    local both = assert(lull.all{ lull.get(base .. "/users/7"), lull.get(base .. "/users/8") })
    equal(both[2].content.id, 8)
    local ids = lull.map({ 7, 8, 9 }, function(id)
      return assert(lull.get(base .. "/users/" .. id):await()).content.id
    end)
    same(ids, { 7, 8, 9 })
  end)

  it("ONE-01 keeps the script alive, and has its hooks told, without anybody holding it", function()
    local result = spec.script(([[
      local lull = require "lull"
      lull.get("%s/users/7"):on_success(function(entity) print(entity.content.id) end)
      collectgarbage() collectgarbage()
      lull.run()
    ]]):format(base))
    equal(result.out, "7\n")
    equal(result.code, 0)
  end)
end)

describe("the URL of a one-off request", function()
  it("ONE-02 is taken whole, its query with it", function()
    local content = echoed(nil, "/echo?x=1&b=2&a=%2Fy")
    same(content.query, { x = "1", b = "2", a = "/y" })
  end)

  it("ONE-02 has what cannot stand in it escaped, and its escapes left alone", function()
    local content = echoed(nil, "/echo?q=a b&name=Zoë&done=50%25")
    same(content.query, { q = "a b", name = "Zoë", done = "50%" })
    equal(lull.get("  " .. base .. "/a b/ü  ").url, base .. "/a%20b/%C3%BC")
    equal(lull.get(base .. "/\xFF").url, base .. "/%FF")
  end)

  it("ONE-03 that is none of http or https fails the request, which is not sent", function()
    for _, url in ipairs {
      "/users", "users", "example.com/x", "localhost:7002/x", "ftp://example.com/x", "file:///etc/passwd",
      "", "http://", "http://exa mple/", base .. "/a\nb", "\xFF",
    } do
      local entity, err = lull.get(url):await()
      equal(entity, nil, url)
      equal(err.cause.kind, "invalid_url", url)
      contains(tostring(err), "URL", url)
    end
  end)

  it("ONE-03 that is no string raises, and says what is expected", function()
    raises("bad argument #1 to 'get' (value expected, got no value)", function() lull.get() end)
    raises("bad argument #1 to 'put' (URL expected, got nil)", function() lull.put(nil) end)
    raises("bad argument #1 to 'get' (URL expected, got number)", function() lull.get(8080) end)
    raises("bad argument #1 to 'post' (URL expected, got table; options come after the URL)", function()
      lull.post{ url = base }
    end)
    raises("bad argument #1 to 'get' (URL expected, got Resource; a resource has methods of these names)",
      function() lull.get(spec.demo()("/users/7")) end)
    raises("bad argument #2 to 'request' (value expected, got no value)", function() lull.request("GET") end)
    raises("is not an HTTP method; pass the method before the URL", function() lull.request(base, "GET") end)
  end)

  it("ONE-08 may have credentials in it, which are sent and not shown", function()
    local request = lull.get((base:gsub("//", "//ann:s3same@")) .. "/echo")
    local entity = assert(request:await())
    equal(entity.content.headers.authorization, "Basic " .. lull.base64.encode("ann:s3same"))
    local _, err = lull.get((base:gsub("//", "//ann:s3same@")) .. "/status/500"):await()
    excludes(tostring(err), "s3same")
    excludes(tostring(request), "s3same")
  end)
end)

describe("the options of a one-off request", function()
  it("ONE-04 are those of a call: headers, timeout, mutate", function()
    local content = echoed{
      text = "x", headers = { ["X-A"] = "1", ["User-Agent"] = false }, timeout = 5,
      mutate = function(http) http.headers["X-B"] = http.headers["X-A"] .. "!" end,
    }
    equal(content.headers["x-a"], "1")
    equal(content.headers["x-b"], "1!")
    equal(content.headers["user-agent"], nil)
    local _, err = lull.get(base .. "/slow?seconds=20", { timeout = 0.05 }):await()
    equal(err.cause.kind, "timeout")
  end)

  it("ONE-04 set and remove parameters of the query", function()
    local content = echoed({ query = { q = "a&b", page = 2, x = false } }, "/echo?x=1&z=3")
    same(content.query, { q = "a&b", page = "2", z = "3" })
    equal(lull.get(base .. "/echo?b=2&a=1", { query = {} }).url, base .. "/echo?b=2&a=1")
    raises("'query' must be a table of parameters, got 'a=1'", function() lull.get(base, { query = "a=1" }) end)
    raises("parameter 'a' must be a string, a finite number or a boolean, got table", function()
      lull.get(base, { query = { a = {} } })
    end)
  end)

  it("ONE-04 ONE-08 prove who sends it, to the origin of its URL only", function()
    local auth = lull.auth.bearer("t0ken")
    equal(echoed{ auth = auth }.headers.authorization, "Bearer t0ken")
    equal(echoed{ auth = false }.headers.authorization, nil)
    local entity = assert(lull.get(base .. "/redirect-other", { auth = auth }):await())
    equal(entity.content.headers.authorization, nil)
    raises("'auth' must be the result of a lull.auth function, or false, got string", function()
      lull.get(base, { auth = "t0ken" })
    end)
  end)

  it("ONE-05 have one body, as json, form, text or data", function()
    equal(echoed{ json = { a = 1 } }.body, '{"a":1}')
    local form = echoed{ form = { a = "b c" } }
    equal(form.body, "a=b%20c")
    equal(form.headers["content-type"], "application/x-www-form-urlencoded")
    equal(echoed{ text = "ü", encoding = "latin1" }.headers["content-type"], "text/plain; charset=iso-8859-1")
    equal(echoed{ data = "x", content_type = "image/png" }.headers["content-type"], "image/png")
    local _, err = lull.post(base .. "/echo", { json = 0 / 0 }):await()
    equal(err.cause.kind, "invalid_json_object")
  end)

  it("ONE-05 have a file by its path, and a multipart form by its values", function()
    local folder <const>, guard <close> = spec.temporary_folder()
    local path = folder .. "/note.txt"
    assert(lull.write_file(path, "hello"))
    local sent = echoed{ file = path }
    equal(sent.body, "hello")
    equal(sent.headers["content-type"], "text/plain")
    equal(echoed{ file = lull.file(path, { type = "x/y" }) }.headers["content-type"], "x/y")
    contains(echoed{ multipart = { a = "1", note = lull.file(path) } }.body, 'filename="note.txt"')
    contains(echoed{ multipart = lull.multipart{ a = "1" } }.body, 'name="a"')
    local _, err = lull.put(base .. "/echo", { file = folder .. "/none" }):await()
    equal(err.cause.kind, "file_unavailable")
    check(guard)
  end)

  it("ONE-05 raise for two bodies, and for what is none", function()
    raises("a body is either", function() lull.post(base, { json = 1, text = "x" }) end)
    raises("a body is either", function() lull.post(base, { file = "a", multipart = { a = 1 } }) end)
    raises("a body needs one of 'json', 'form', 'text', 'data'", function()
      lull.post(base, { content_type = "x/y" })
    end)
    raises("'encoding' is for 'text' bodies", function() lull.post(base, { json = 1, encoding = "utf-8" }) end)
    raises("set the type of a file with lull.file(path, { type = … })", function()
      lull.post(base, { file = "a", content_type = "x/y" })
    end)
    raises("a multipart form sets its own 'content_type'", function()
      lull.post(base, { multipart = { a = 1 }, content_type = "x/y" })
    end)
    raises("'file' must be the name of a file, or lull.file, got 1", function() lull.post(base, { file = 1 }) end)
    raises("'file' must be the name of a file, or lull.file, got ''", function() lull.post(base, { file = "" }) end)
    raises("'multipart' must be a table, or lull.multipart, got 'x'", function()
      lull.post(base, { multipart = "x" })
    end)
    raises("a multipart form needs a value", function() lull.post(base, { multipart = {} }) end)
    raises("(table expected, got File)", function() lull.post(base, lull.file("a")) end)
    raises("too many arguments to 'post' (2 expected, got 3)", function() lull.post(base, {}, {}) end)
  end)

  it("ONE-06 that are unknown raise, with the nearest name or where the setting belongs", function()
    raises("unknown setting 'headrs' (did you mean 'headers'?)", function() lull.get(base, { headrs = {} }) end)
    raises("unknown setting 'jsn' (did you mean 'json'?)", function() lull.post(base, { jsn = 1 }) end)
    raises(
      "unknown setting 'retry' of a single request; services have this setting: "
        .. "lull.service{ base_url = …, retry = … }",
      function() lull.get(base, { retry = 3 }) end)
    raises("unknown setting of type number; settings have names", function() lull.get(base, { "x" }) end)
  end)
end)

describe("one-off requests", function()
  it("ONE-07 of one origin share connections", function()
    -- A server that answers with the port of its client. Debian's python3: Lua has no sockets.
    local server <close> = assert(io.popen([[exec timeout 4 python3 -c '
import http.server, os
class Handler(http.server.BaseHTTPRequestHandler):
  protocol_version = "HTTP/1.1"
  def do_GET(self):
    body = str(self.client_address[1]).encode()
    self.send_response(200)
    self.send_header("Content-Type", "text/plain")
    self.send_header("Content-Length", str(len(body)))
    self.end_headers()
    self.wfile.write(body)
    if self.path == "/end": os._exit(0)
  def log_message(self, *arguments): pass
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(server.server_port, flush = True)
server.serve_forever()
']]))
    local url = "http://127.0.0.1:" .. server:read("l")
    local first = assert(lull.get(url .. "/"):await()).content
    equal(assert(lull.get(url .. "/x"):await()).content, first)
    equal(assert(lull.get(url .. "/end"):await()).content, first)
  end)

  it("ONE-07 share nothing else: no resource, content or cookie", function()
    local first, second = lull.get(base .. "/counter"), lull.get(base .. "/counter")
    check(first ~= second)
    check(first.resource ~= second.resource)
    assert(lull.all{ first, second })
    check(first.response.entity.content.count ~= second.response.entity.content.count)
    equal(first.resource.latest_data, nil)
    assert(lull.get(base .. "/headers?Set-Cookie=a%3D1"):await())
    equal(assert(lull.get(base .. "/echo"):await()).content.headers.cookie, nil)
  end)

  it("ONE-09 in the sandbox go where it allows, and send no files", function()
    if spec.is_stock then return end
    local text = spec.shell(([[%s --sandbox --allow-host 127.0.0.1 -e '
      print(lull.get("%s/users/7"):await().content.id)
      print(select(2, lull.get("http://localhost:1/"):await()))
      print(pcall(lull.post, "%s", { file = "/etc/hostname" }))']]):format(spec.interpreter(), base, base))
    contains(text, "7\n")
    contains(text, "localhost")
    contains(text, "not allowed")
    contains(text, "file is not available in the sandbox")
  end)
end)
