-- Services, and which URL is which resource (SVC).
local lull = require "lull"
local spec = ...
local describe, it, equal, check, raises = spec.describe, spec.it, spec.equal, spec.check, spec.raises
local contains = spec.contains

-- In a frame of its own: nothing of it stays in a register.
local function load(service, path)
  service:resource(path):load():await()
end

local function content(service, path)
  local data = service:resource(path).latest_data
  return data and data.content
end

local function urls(base, rows)
  local service = lull.service(base)
  for path, url in pairs(rows) do equal(service:resource(path).url, url, path) end
end

describe("a service", function()
  it("SVC-01 normalises its base to end in one slash", function()
    for base, expected in pairs {
      ["http://foo.bar/"] = "http://foo.bar/", ["http://foo.bar"] = "http://foo.bar/",
      ["http://foo.bar/baz"] = "http://foo.bar/baz/",
      ["http://foo.bar/baz/"] = "http://foo.bar/baz/",
      ["http://foo.bar/?you=x"] = "http://foo.bar/?you=x",
      ["http://foo.bar/baz?you=x"] = "http://foo.bar/baz/?you=x",
    } do
      equal(lull.service(base).base_url, expected)
    end
  end)

  it("SVC-04 without a base has no base_url, and its paths are invalid resources", function()
    local service = lull.service {}
    equal(service.base_url, nil)
    local entity, err = service:resource("/x"):load():await()
    equal(entity, nil)
    equal(err.cause.kind, "invalid_url")
  end)

  it("SVC-04 without a base loads from absolute URLs", function()
    local service = lull.service { networking = function() return spec.json "17" end }
    equal(service:resource_at("https://x.test/a"):load():await().content, 17)
  end)

  it("SVC-05 takes a base that is no URL as none, raising nothing", function()
    equal(lull.service("no url at all").base_url, nil)
  end)

  it("has a name and a readable text", function()
    local service = lull.service { base_url = "https://foo.bar", name = "volcanos" }
    equal(service.name, "volcanos")
    contains(tostring(service), "volcanos")
  end)

  it("SVC-07 is its resources' service", function()
    local service = lull.service("https://foo.bar")
    equal(service:resource("/foo").service, service)
  end)

  it("is called like resource()", function()
    local service = lull.service("https://foo.bar")
    equal(service("/foo"), service:resource("/foo"))
  end)

  it("SVC-08 appends a path with one joining slash", function()
    urls("https://foo.bar", {
      baz = "https://foo.bar/baz", ["baz/fez"] = "https://foo.bar/baz/fez",
      ["/baz/fez"] = "https://foo.bar/baz/fez", ["baz/fez/"] = "https://foo.bar/baz/fez/",
    })
    urls("https://foo.bar/v1", { baz = "https://foo.bar/v1/baz" })
  end)

  it("SVC-09 keeps dot segments", function()
    urls("https://foo.bar/v1", {
      ["./baz"] = "https://foo.bar/v1/./baz", ["baz/."] = "https://foo.bar/v1/baz/.",
    })
  end)

  it("SVC-10 takes a URL-like path as a path and drops one slash only", function()
    urls("https://foo.bar/v1", {
      ["http://other.host"] = "https://foo.bar/v1/http://other.host",
      ["//other"] = "https://foo.bar/v1//other",
    })
  end)

  it("SVC-11 escapes what a path cannot hold, the percent sign included", function()
    urls("https://foo.bar/v1", {
      ["?foo=bar"] = "https://foo.bar/v1/%3Ffoo=bar", ["a%20b"] = "https://foo.bar/v1/a%2520b",
      ["é"] = "https://foo.bar/v1/%C3%A9", ["a#b"] = "https://foo.bar/v1/a%23b",
      ["a b"] = "https://foo.bar/v1/a%20b",
    })
  end)

  it("SVC-12 keeps the query of its base", function()
    urls("https://foo.bar/?a=b&x=y", { ["baz/fez/"] = "https://foo.bar/baz/fez/?a=b&x=y" })
  end)

  it("SVC-13 SVC-14 ignores its base in resource_under", function()
    local service = lull.service("https://foo.bar/v1")
    equal(service:resource_under("http://fraz.bot/", "/bar").url, "http://fraz.bot/bar")
    equal(service:resource_under("http://fraz.bot", "bar").url, "http://fraz.bot/bar")
  end)

  it("SVC-15 escapes ? but neither & nor dots in resource_under", function()
    local service = lull.service("https://foo.bar/v1")
    equal(service:resource_under("http://fraz.bot", "./a?b&c").url, "http://fraz.bot/./a%3Fb&c")
  end)

  it("SVC-16 SVC-17 takes an absolute URL as it is", function()
    local service = lull.service("https://foo.bar/v1")
    equal(service:resource_at("http://x.test/a?b=c").url, "http://x.test/a?b=c")
    equal(service:resource_at("./foo").url, "./foo")
  end)
end)

describe("the URL of a resource", function()
  local service = lull.service "http://h/v1"

  it("SVC-16 SVC-26 has a path, so that http://h and http://h/ are one", function()
    equal(service:resource_at("http://h").url, "http://h/")
    equal(service:resource_at("http://h"), service:resource_at("http://h/"))
    equal(service:resource_at("http://h?x"), service:resource_at("http://h/?x"))
    equal(service:resource_at("http://a"):relative("//h"), service:resource_at("http://h"))
  end)

  it("SVC-40 has the A-label of an international host name", function()
    equal(lull.service("http://BÜCHER.example/v1").base_url, "http://xn--bcher-kva.example/v1/")
    equal(service:resource_at("http://bücher.example/é").url, "http://xn--bcher-kva.example/é")
    equal(service:resource_at("http://h"):relative("//b%C3%BCcher.example").url,
      "http://xn--bcher-kva.example/")
    equal(service:resource_under("http://ü", "x").url, "http://xn--tda/x")
  end)

  it("SVC-40 says of a host that is no name why it is none", function()
    local bad = service:resource_at("http://ü..example/")
    equal(bad.url, ":")
    local _, err = bad:load():await()
    equal(err.cause.kind, "invalid_url")
    contains(err.cause.message,
      "'http://ü..example/' is not a URL: the host name 'ü..example' is not valid")
    local _, other = service:resource_at("http://℀.example/"):load():await()
    contains(other.cause.message, "the host name '℀.example' is not valid")
  end)

  it("SVC-40 is what patterns match", function()
    local books = lull.service "http://bücher.example/"
    books:configure("http://bücher.example/a", { expiration_time = 7 })
    books:configure("http://*.xn--bcher-kva.example/a", { expiration_time = 8 })
    equal(books:configuration_for(books("/a")).expiration_time, 7.0)
    equal(books:configuration_for("http://x.bücher.example/a").expiration_time, 8.0)
  end)

  it("SVC-41 has bytes that are no UTF-8 as escapes, and stays apart by them", function()
    equal(service("/a\xFE").url, "http://h/v1/a%FE")
    equal(service("/a\xFF").url, "http://h/v1/a%FF")
    equal(service:resource_at("http://h/\xC3\x41é").url, "http://h/%C3Aé")
    equal(service:resource_under("http://h/\xFE", "\xFF").url, "http://h/%FE/%FF")
    equal(lull.service("http://h/\xFE").base_url, "http://h/%FE/")
    equal(lull.service { base_url = "http://h/\xFE" }.base_url, "http://h/%FE/")
    equal(service:resource_at("http://\xFE/").url, ":")
  end)

  it("SVC-41 is sent with the bytes of a mutation's url, too", function()
    local sent
    local stub = lull.service {
      base_url = "http://h", networking = function(request) sent = request.url return { status = 204 } end,
    }
    stub("/"):get(nil, function(request) request.url = "http://bücher.example/\xFEü" end):await()
    equal(sent, "http://xn--bcher-kva.example/%FE%C3%BC")
    local _, err = stub("/"):get(nil, function(request) request.url = "http://ü..example/" end):await()
    equal(err.cause.kind, "script_error")
    contains(spec.reports()[1].message, "the host name 'ü..example' is not valid")
  end)

  it("SVC-39 is told in the log if dot segments lead above the base", function()
    local lines = {}
    lull.log.enabled = { "network" }
    lull.log.handler = function(_, text) lines[#lines + 1] = text end
    local stub = lull.service {
      base_url = "http://h/v1", networking = function() return { status = 204 } end,
    }
    stub("../admin"):get():await()
    stub:resource_at("http://h/v1/a/%2e%2E/../x"):get():await()
    stub("a/../b"):get():await()
    lull.log.handler = nil
    lull.log.enabled = {}
    local warnings = {}
    for _, line in ipairs(lines) do
      if line:find("warning", 1, true) then warnings[#warnings + 1] = line end
    end
    equal(#warnings, 2)
    contains(warnings[1], "warning: GET http://h/v1/../admin leads above the base URL http://h/v1/")
    contains(warnings[2], "warning: GET http://h/v1/a/%2e%2E/../x leads above")
  end)
end)

describe("an invalid resource", function()
  it("SVC-18 SVC-21 comes from nil or from no URL, and nothing is raised", function()
    local service = lull.service("https://foo.bar")
    for _, source in ipairs { "\0", "http://[", false } do
      local resource = service:resource_at(source or nil)
      equal(resource.url, ":")
    end
  end)

  it("SVC-19 SVC-20 has requests that are completed from birth and fail later", function()
    local service = lull.service("https://foo.bar")
    local is_inside = true
    local request = service:resource_at("http://["):load()
    equal(request.state, "completed")
    request:on_success(spec.never())
    request:on_failure(spec.expect(function(err)
      equal(is_inside, false, "inside the registration")
      equal(err.cause.kind, "invalid_url")
      equal(err.cause.source, "http://[")
      equal(err.http_status, nil)
      contains(err.user_message:lower(), "invalid url")
    end))
    is_inside = false
    spec.turn()
  end)

  it("SVC-20 has no source where there was none", function()
    local _, err = lull.service("https://foo.bar"):resource_at(nil):get():await()
    equal(err.cause.kind, "invalid_url")
    equal(err.cause.source, nil)
  end)

  it("SVC-21 says in its text that the URL was missing, or echoes it", function()
    local service = lull.service("https://foo.bar")
    contains(tostring(service:resource_at("http://[")), "http://[")
    contains(tostring(service:resource_at(nil)):lower(), "url")
  end)

  it("SVC-22 is one for all nils, a fresh one for each text", function()
    local service = lull.service("https://foo.bar")
    equal(service:resource_at(nil), service:resource_at(nil))
    check(service:resource_at("http://[") ~= service:resource_at("http://["))
  end)

  it("SVC-23 always has the built-in configuration", function()
    local service = lull.service("https://foo.bar"):configure { expiration_time = 5 }
    equal(service:configuration_for(service:resource_at(nil)).expiration_time, 30.0)
  end)
end)

describe("a resource", function()
  it("SVC-24 is the same object for the same path", function()
    local service = lull.service("https://foo.bar")
    equal(service:resource("/foo"), service:resource("foo"))
    check(rawequal(service:resource("/foo"), service:resource("/foo")))
  end)

  it("SVC-25 is the same object by whatever route", function()
    local service = lull.service("https://foo.bar")
    local resource = service:resource("/foo/bar")
    equal(service:resource("/foo"):child("bar"), resource)
    equal(service:resource("/foo/zip"):relative("bar"), resource)
    equal(service:resource_at("https://foo.bar/foo/bar"), resource)
    equal(service:resource_under("https://foo.bar", "foo/bar"), resource)
  end)

  it("SVC-26 is told from others by its whole URL, the order of parameters included", function()
    local service = lull.service("https://foo.bar")
    local one = service:resource_at("https://foo.bar/a?x=1&y=2")
    check(one ~= service:resource_at("https://foo.bar/a?y=2&x=1"))
    check(one ~= service:resource_at("http://foo.bar/a?x=1&y=2"))
  end)

  it("SVC-27 differs from that of another service", function()
    check(lull.service("https://foo.bar")("/a") ~= lull.service("https://foo.bar")("/a"))
  end)

  it("SVC-28 keeps its state when nobody holds it", function()
    local service = spec.fake(spec.json "17")
    service:resource("/a"):load():await()
    spec.collect()
    equal(service:resource("/a").content, 17)
  end)

  it("SVC-28 keeps what a Lua transformer made through two full collections", function()
    local service = spec.fake(spec.json "17")
    service:transform(function(number) return { model = number } end)
    service:resource("/a"):load():await()
    spec.collect()
    equal(service:resource("/a").content.model, 17)
  end)

  it("SVC-30 is dropped by a flush when nobody holds it, and kept else", function()
    local service = spec.fake(spec.json "17")
    load(service, "/a")
    local kept = service:resource("/b")
    kept:load():await()
    service:flush_unused_resources()
    equal(content(service, "/a"), nil)
    equal(service:resource("/b").content, 17)
  end)

  it("SVC-33 is not flushed while it is observed", function()
    local service = spec.fake(spec.json "17")
    service:resource("/a"):add_observer(function() end)
    load(service, "/a")
    service:flush_unused_resources()
    equal(service:resource("/a").content, 17)
  end)

  it("SVC-33 is not flushed while a request is in flight", function()
    local service, held = spec.held()
    service:resource("/a"):load()
    spec.turn()
    service:flush_unused_resources()
    equal(service:resource("/a").is_loading, true)
    held[1](spec.json "1")
    spec.turn()
    equal(service:resource("/a").content, 1)
  end)

  it("SVC-31 SVC-32 is evicted when least recently used beyond the limit", function()
    local service = spec.fake(spec.json "17")
    equal(service.cached_resource_count_limit, 2048)
    for i = 1, 5 do load(service, "/" .. i) end
    spec.collect()
    content(service, "/1")
    spec.collect()
    service.cached_resource_count_limit = 3
    spec.collect()
    equal(content(service, "/1"), 17, "just used")
    equal(content(service, "/5"), 17, "recent")
    equal(content(service, "/2"), nil, "oldest")
  end)

  it("STA-01 begins with nothing", function()
    local resource = lull.service("https://foo.bar")("/a")
    equal(resource.latest_data, nil)
    equal(resource.latest_error, nil)
    equal(resource.is_loading, false)
    equal(resource.is_requesting, false)
    equal(resource.is_up_to_date, false)
    equal(resource.timestamp, 0.0)
    equal(#resource.all_requests, 0)
    equal(#resource.load_requests, 0)
  end)

  it("STA-16 shows its path and flags", function()
    local service = spec.fake { spec.json "1", spec.json("x", nil, 500) }
    local resource = service("/users/7")
    equal(tostring(resource), "Resource(/users/7 [])")
    local request = resource:load()
    equal(tostring(resource), "Resource(/users/7 [L])")
    request:await()
    equal(tostring(resource), "Resource(/users/7 [D])")
    resource:load():await()
    equal(tostring(resource), "Resource(/users/7 [DE])")
  end)

  it("STA-17 has read-only state", function()
    local resource = lull.service("https://foo.bar")("/a")
    raises("read-only", function() resource.latest_data = 1 end)
    raises("read-only", function() resource.is_loading = true end)
  end)
end)

describe("service:resources()", function()
  local function list(service)
    local names = {}
    for resource in service:resources() do names[#names + 1] = resource.url:match("[^/]*$") end
    table.sort(names)
    return table.concat(names, " ")
  end

  it("walks over those in memory, creating and loading none", function()
    local service, sent = spec.fake(spec.json "1")
    equal(list(service), "")
    local a, b = service("/a"), service("/b")
    equal(list(service), "a b")
    for resource in service:resources() do check(resource == a or resource == b) end
    equal(#sent, 0)
    equal(list(spec.fake(spec.json "1")), "", "another service's are its own")
  end)

  it("leaves out what was flushed, and what nobody could find", function()
    local service = spec.fake(spec.json "1")
    local kept = service("/kept")
    load(service, "/gone")
    equal(list(service), "gone kept")
    service:flush_unused_resources()
    equal(list(service), "kept")
    check(kept)
  end)

  it("may load, wipe, create and flush while it walks", function()
    local service = spec.fake(spec.json "1")
    for i = 1, 20 do load(service, "/" .. i) end
    local count = 0
    for resource in service:resources() do
      count = count + 1
      equal(resource:load():await().content, 1)
      service("/new" .. count)
      if count == 5 then service:flush_unused_resources() end
    end
    check(count >= 5 and count <= 20, "count: " .. count)
    list(service)
  end)

  it("does not count as use: the oldest is evicted all the same", function()
    local service = spec.fake(spec.json "1")
    for i = 1, 5 do load(service, "/" .. i) end
    spec.collect()
    list(service)
    spec.collect()
    service.cached_resource_count_limit = 2
    spec.collect()
    equal(list(service), "4 5")
  end)

  it("ends for good, and outlives its service", function()
    local next_one
    local function make()
      local service = spec.fake(spec.json "1")
      load(service, "/a")
      next_one = service:resources()
    end
    make()
    spec.collect()
    local first = next_one()
    check(first == nil or first.url == "https://api.test/v1/a")
    equal(next_one(), nil)
    equal(next_one(), nil)
  end)

  it("is walked over by two loops at once, each in its own place", function()
    local service = spec.fake(spec.json "1")
    local kept = { service("/a"), service("/b"), service("/c") }
    local pairs_seen = 0
    for _ in service:resources() do
      for _ in service:resources() do pairs_seen = pairs_seen + 1 end
    end
    equal(pairs_seen, 9)
    equal(#kept, 3)
  end)

  it("takes no arguments", function()
    local service = spec.fake(spec.json "1")
    raises("too many arguments to 'resources'", function() service:resources("/a") end)
    raises("colon", function() service.resources() end)
  end)
end)
