-- Configuration and URL patterns (CFG, PAT).
local lull = require "lull"
local spec = ...
local describe, it, equal, same, check = spec.describe, spec.it, spec.equal, spec.same, spec.check
local json, raises = spec.json, spec.raises

local function fresh() return lull.service("https://foo.bar/v1") end
local function time(service, path, method)
  return service:configuration_for(service(path), method).expiration_time
end

describe("configure", function()
  it("CFG-01 has its defaults", function()
    local service = fresh()
    local settings = service:configuration_for(service("/a"))
    equal(settings.expiration_time, 30.0)
    equal(settings.retry_time, 1.0)
    equal(settings.progress_reporting_interval, 0.05)
    equal(settings.timeout, 60.0)
    equal(settings.connect_timeout, 10.0)
    check(settings.max_body_size == 100 * 1024 * 1024 or settings.max_body_size == 100 * 1000 * 1000)
    for name in pairs(settings.headers) do spec.check(false, name) end
  end)

  it("CFG-02 CFG-04 applies to every resource, and leaves other settings alone", function()
    local service = fresh()
    equal(service:configure { expiration_time = 5 }, service)
    equal(time(service, "/a"), 5.0)
    equal(service:configuration_for(service("/b")).retry_time, 1.0)
  end)

  it("CFG-02 without a pattern, sends headers to the base's origin only", function()
    local service, sent = spec.fake(json "{}", { headers = {
      Authorization = "Bearer t", ["X-Tag"] = "1", Cookie = "a=b", Accept = "a/b", ["User-Agent"] = "me",
      ["Content-Language"] = "de",
    } })
    service:configure(function(config)
      config.headers["X-Function"] = "2"
      config.headers["Accept-Language"] = "de"
    end)
    service:configure("https://other.test/named/**", { headers = { ["X-Tag"] = "3" } })
    service:configure("/**", { headers = { ["X-Below"] = "4" } })
    local function headers(resource)
      assert(resource:load():await())
      return sent[#sent].headers
    end
    local own = headers(service:resource_at("https://API.test:443/elsewhere"))
    same({ own.authorization, own["x-tag"], own.cookie, own["x-function"], own["x-below"] },
      { "Bearer t", "1", "a=b", "2", nil })
    equal(headers(service("/a"))["x-below"], "4")
    for _, url in ipairs { "https://other.test/", "http://api.test/v1/a", "https://api.test:8443/v1/a",
      "https://api.test.evil/v1/a", "https://sub.api.test/v1/a" } do
      local there = headers(service("/a"):relative(url))
      for _, name in ipairs { "authorization", "x-tag", "cookie", "x-function", "x-below" } do
        equal(there[name], nil, name .. " at " .. url)
      end
      same({ there.accept, there["user-agent"], there["content-language"], there["accept-language"] },
        { "a/b", "me", "de", "de" })
    end
    equal(headers(service:resource_at("https://other.test/named/a"))["x-tag"], "3")
    equal(headers(service:resource_under("https://other.test", "/a")).authorization, nil)
    assert(service:resource_at("https://other.test/"):get(nil, function(http) http.headers["X-Tag"] = "5" end):await())
    equal(sent[#sent].headers["x-tag"], "5", "what a request itself says goes along")
  end)

  it("CFG-02 without a pattern and a base, sends headers anywhere", function()
    local nowhere = lull.service { headers = { ["X-Tag"] = "1" } }
    local other = lull.service { base_url = "https://api.test", headers = { ["X-Tag"] = "1" } }
    other:configure(function() return true end, { headers = { ["X-Named"] = "2" } })
    local function header(service, url, name)
      return service:configuration_for(service:resource_at(url)).headers[name]
    end
    equal(header(nowhere, "https://a.test/", "x-tag"), "1")
    equal(header(nowhere, "https://b.test/", "x-tag"), "1")
    equal(header(other, "https://b.test/", "x-tag"), nil)
    equal(header(other, "https://b.test/", "x-named"), "2", "a predicate is a pattern")
    equal(header(other, "https://api.test/x", "x-tag"), "1")
  end)

  it("CFG-02 puts back what a pattern has said before", function()
    local service = fresh()
    service:configure("https://other.test/**", { headers = { ["X-Tag"] = "named" } })
    service:configure { headers = { ["X-Tag"] = "any" } }
    equal(service:configuration_for(service:resource_at("https://other.test/a")).headers["x-tag"], "named")
    equal(service:configuration_for(service("/a")).headers["x-tag"], "any")
  end)

  it("CFG-02 says in the log what stays off", function()
    local service = lull.service { base_url = "https://api.test", headers = { ["X-Tag"] = "1", Accept = "a/b" } }
    local lines = {}
    lull.log.enabled = { "configuration" }
    lull.log.handler = function(_, line) lines[#lines + 1] = line end
    service:configuration_for(service:resource_at("https://other.test/"))
    service:configuration_for(service("/a"))
    check(lines[1]:find("; not on the origin of the base URL, so without x-tag\n", 1, true), lines[1])
    equal(lines[2]:find("another origin", 1, true), nil)
  end)

  it("takes settings beside the base URL", function()
    local service = lull.service { base_url = "https://foo.bar", expiration_time = 7 }
    equal(time(service, "/a"), 7.0)
  end)

  it("CFG-05 takes a resource as pattern", function()
    local service = fresh()
    service:configure(service("/a"), { expiration_time = 5 })
    equal(time(service, "/a"), 5.0)
    equal(time(service, "/b"), 30.0)
  end)

  it("CFG-06 takes a predicate of the URL", function()
    local service = fresh()
    service:configure(function(url) return url:match("/a$") ~= nil end, { expiration_time = 5 })
    equal(time(service, "/a"), 5.0)
    equal(time(service, "/b"), 30.0)
  end)

  it("CFG-07 CFG-08 minds the methods", function()
    local service = fresh()
    service:configure(nil, { expiration_time = 5 }, { methods = { "POST" } })
    equal(time(service, "/a", "POST"), 5.0)
    equal(time(service, "/a", "PUT"), 30.0)
    equal(time(service, "/a"), 30.0)
    equal(time(service, "/a", "post"), 5.0, "DYN-01")
  end)

  it("CFG-09 lets later ones see and override earlier ones", function()
    local service = fresh()
    service:configure { expiration_time = 1, retry_time = 2 }
    service:configure("/**", function(config)
      equal(config.expiration_time, 1.0)
      config.expiration_time = config.expiration_time + 9
    end)
    local settings = service:configuration_for(service("/a"))
    equal(settings.expiration_time, 10.0)
    equal(settings.retry_time, 2.0)
  end)

  it("CFG-10 CFG-14 counts at once after another entry", function()
    local service = fresh()
    equal(time(service, "/a"), 30.0)
    service:configure { expiration_time = 5 }
    equal(time(service, "/a"), 5.0)
  end)

  it("CFG-11 CFG-12 CFG-13 runs functions when needed, and again when invalidated", function()
    local service, value, count = fresh(), 1, 0
    service:configure("/**", function(config)
      count = count + 1
      config.expiration_time = value
    end)
    equal(count, 0)
    equal(time(service, "/a"), 1.0)
    value = 2
    equal(time(service, "/a"), 1.0)
    equal(count, 1)
    service:invalidate_configuration()
    equal(count, 1)
    equal(time(service, "/a"), 2.0)
    equal(time(service, "/b"), 2.0)
    equal(count, 3)
  end)

  it("CFG-15 uses GET's settings for staleness", function()
    local service = spec.fake(json "1")
    service:configure(nil, { expiration_time = 0 }, { methods = { "POST" } })
    local resource = service("/a")
    resource:load():await()
    equal(resource.is_up_to_date, true)
  end)

  it("CFG-16 falls back to GET's settings for other methods", function()
    local service = fresh()
    service:configure(nil, { expiration_time = 5 }, { methods = { "GET" } })
    equal(time(service, "/a", "PURGE"), 5.0)
  end)

  it("CFG-07 CFG-16 an entry that names a rare method counts for it", function()
    local service = spec.fake(json "1")
    service:configure(nil, { expiration_time = 5 }, { methods = { "GET" } })
    service:configure("/a", { headers = { x = "report" } }, { methods = { "report" } })
    service:configure("/a", { timeout = 300 }, { methods = { "REPORT", "PUT" } })
    equal(time(service, "/a", "REPORT"), 5.0)
    equal(service:configuration_for(service("/a"), "REPORT").headers.x, "report")
    equal(service:configuration_for(service("/b"), "REPORT").headers.x, nil)
    equal(service:configuration_for(service("/a"), "PURGE").headers.x, nil)
    equal(service:configuration_for(service("/a")).headers.x, nil)
    equal(service:configuration_for(service("/a"), "PUT").timeout, 300.0)
    assert(service("/a"):explain("REPORT"):find("timeout +300 s"))
    assert(not service("/a"):explain("PURGE"):find("300 s", 1, true))
  end)

  it("CFG-18 processes an answer with the pipeline in force when it arrives", function()
    local service, held = spec.held()
    local request = service("/a"):load()
    spec.turn()
    service:transform(function(content) return { content } end)
    held[1](json "1")
    same(request:await().content, { 1 })
  end)

  it("SVC-34 runs no function when only navigating", function()
    local service = fresh()
    service:configure("/**", spec.never())
    service:configure(function() error("no") end, {})
    local _ = service("/a"):child("b"):relative("c"):with_param("x", 1)
  end)

  it("a settings function with options takes nil as its pattern", function()
    local service = fresh()
    service:configure(nil, function(config) config.expiration_time = 5 end,
      { methods = { "GET" }, description = "time" })
    equal(time(service, "/a"), 5.0)
    equal(time(service, "/a", "POST"), 30.0)
  end)

  it("two functions are a predicate and its settings", function()
    local service = fresh()
    service:configure(function(url) return url:match("/a$") end,
      function(config) config.expiration_time = 5 end)
    equal(time(service, "/a"), 5.0)
    equal(time(service, "/b"), 30.0)
  end)

  it("headers are case-insensitive, and nil removes one", function()
    local service, sent = spec.fake(json "1")
    service:configure { headers = { ["X-Foo"] = "a", ["X-Bar"] = "b", Accept = "x/y" } }
    service:configure("/**", function(config)
      equal(config.headers["x-foo"], "a")
      config.headers["x-FOO"] = "c"
      config.headers["x-bar"] = nil
      config.headers["X-Many"] = { "1", "2" }
    end)
    service("/a"):load():await()
    local headers = sent[1].headers
    same({ headers["x-foo"], headers["x-bar"], headers.accept, headers["x-many"] },
      { "c", nil, "x/y", "1, 2" })
  end)

  it("a header's value cannot smuggle in another header", function()
    local service = spec.demo()
    local ok, result = pcall(function()
      service:configure { headers = { ["X-Foo"] = "a\r\nX-Smuggled: b" } }
      return service("/echo"):get():await()
    end)
    if ok and result then
      equal(result.content.headers["x-smuggled"], nil)
      equal(result.content.headers["x-foo"], nil, "what was sent instead")
    end
  end)

  it("headers of one table are added to those of another", function()
    local service = fresh():configure { headers = { A = "1" } }:configure { headers = { B = "2" } }
    local headers = service:configuration_for(service("/a")).headers
    equal(headers.a or headers.A, "1")
    equal(headers.b or headers.B, "2")
  end)

  it("a token is sent again after invalidate_configuration", function()
    local service, token = spec.demo(), "one"
    service:configure("/**", function(config) config.headers["X-Token"] = token end)
    equal(service("/echo"):get():await().content.headers["x-token"], "one")
    token = "two"
    service:invalidate_configuration()
    equal(service("/echo"):get():await().content.headers["x-token"], "two")
  end)

  it("the settings of configuration_for are read-only", function()
    local service = fresh()
    local settings = service:configuration_for(service("/a"))
    local ok = pcall(function() settings.expiration_time = 5 end)
    equal(ok, false)
  end)

  it("the argument of a function is closed afterwards", function()
    local service, kept = fresh(), nil
    service:configure("/**", function(config) kept = config end)
    time(service, "/a")
    raises("closed", function() kept.expiration_time = kept.retry_time end)
  end)

  it("raises for unknown keys with a suggestion, at the caller's line", function()
    local service = fresh()
    raises("unknown setting 'expiraton_time' (did you mean 'expiration_time'?)", function()
      service:configure { expiraton_time = 5 }
    end)
    raises("did you mean 'methods'?", function() service:configure(nil, {}, { method = { "GET" } }) end)
    raises("did you mean 'headers'?", function() lull.service { header = {} } end)
    raises("'zzzzz'", function() service:configure { zzzzz = 5 } end)
  end)

  it("raises for values of the wrong kind, naming the setting", function()
    local service = fresh()
    raises("'expiration_time'", function() service:configure { expiration_time = "soon" } end)
    raises("'expiration_time'", function() service:configure { expiration_time = -1 } end)
    raises("'expiration_time'", function() service:configure { expiration_time = 0 / 0 } end)
    raises("'headers'", function() service:configure { headers = "X" } end)
    raises("header", function() service:configure { headers = { X = {} , Y = print } } end)
    raises("'timeout'", function() service:configure { timeout = {} } end)
    raises("'mutate_requests'", function() service:configure { mutate_requests = 7 } end)
    raises("'configure'", function() service:configure(7) end)
    raises("'configure'", function() service:configure() end)
    raises("'configure'", function() service:configure("/a", "b") end)
  end)

  it("raises inside a function for an unknown setting, which fails its requests", function()
    local service = spec.fake(json "1")
    service:configure("/**", function(config) config.expiraton_time = 5 end)
    local _, err = service("/a"):load():await()
    equal(err.cause.kind, "script_error")
    spec.contains(err.cause.message, "did you mean 'expiration_time'?")
    equal(#spec.reports(), 1)
  end)
end)

describe("the pattern", function()
  local function matches(pattern, path, base)
    local service = lull.service(base or "https://foo.bar/v1")
    service:configure(pattern, { expiration_time = 5 })
    local resource = path:match("^https?:") and service:resource_at(path) or service(path)
    return service:configuration_for(resource).expiration_time == 5
  end

  local function rows(list)
    for _, row in ipairs(list) do
      local pattern, path, expected = row[1], row[3], row[2] == "y"
      equal(matches(pattern, path), expected, tostring(pattern) .. " on " .. path)
    end
  end

  it("PAT-01 PAT-05 is relative to the base, a leading slash optional", function()
    rows {
      { "fez", "y", "/fez" }, { "/fez", "y", "/fez" }, { "/fez", "n", "/sombrero/fez" },
      { "hither/thither", "y", "/hither/thither" }, { "/hither/thither", "y", "hither/thither" },
    }
  end)

  it("PAT-02 PAT-04 may be a whole URL", function()
    rows {
      { "https://foo.com/*/fez", "y", "https://foo.com/v1/fez" },
      { "https://foo.com:*/**", "y", "https://foo.com:8080/v1/fez" },
      { "https://bar.com:*/**", "n", "https://foo.com:8080/v1/fez" },
      { "https://*:8080/**", "y", "https://foo.com:8080/v1/fez" },
    }
  end)

  it("PAT-06 PAT-07 PAT-08 has * for a part of a segment", function()
    rows {
      { "/*", "y", "/hither" }, { "/*", "n", "/hither/thither" }, { "/*b", "y", "/zub" },
      { "/*b", "n", "/zu/b" }, { "/*/b", "n", "/a/" }, { "/*/b", "y", "/a/b" },
      { "/a/*/c", "y", "/a/blarg/c" }, { "/*x*/c", "y", "/foxy/c" }, { "/*x*/c", "n", "/fozzy/c" },
      { "/foo/*", "y", "/foo/123" }, { "/foo/*", "y", "/foo/" }, { "/foo*/bar", "y", "/food/bar" },
      { "/*/d", "y", "/!/d" }, { "/*/d", "y", "/@/d" },
    }
  end)

  it("PAT-09 PAT-10 PAT-11 PAT-18 has ** for several segments", function()
    rows {
      { "/**", "y", "/" }, { "/**", "y", "/hither" }, { "/**", "y", "/hither/thither/yon" },
      { "/a/**/b", "y", "/a/b" }, { "/a/**/b", "y", "/a/1/2/3/b" }, { "/**x**", "y", "/a/b/x/c" },
      { "/**x**", "n", "/a/b/c" }, { "/**/*", "y", "/a/b" }, { "/**/d", "y", "/a/b/!/c/d" },
      { "/foo**/bar", "y", "/foo/bar" }, { "/foo**/bar", "y", "/foo/x/bar" },
      { "/foo/**", "y", "/foo/" }, { "**", "y", "/a" }, { "**", "n", "https://other.host/v1/a" },
      { "**", "n", "https://foo.bar/v2/a" },
    }
  end)

  it("PAT-12 has ? for one character", function()
    rows {
      { "/?", "y", "/o" }, { "/??", "n", "/o" }, { "/??", "y", "/oy" }, { "/??", "n", "/oye" },
      { "/x/?*", "y", "/x/o" }, { "/x/?*", "y", "/x/oye" }, { "/x?y", "y", "/x!y" },
    }
  end)

  it("PAT-13 PAT-14 PAT-15 ignores the query, is case-sensitive, and normalises escapes", function()
    rows {
      { "/*/b", "y", "https://foo.bar/v1/a/b?foo=bar" }, { "/fez", "n", "/FEZ" },
      { "/a.c", "n", "/abc" }, { "/é", "y", "/é" }, { "/%C3%A9", "y", "/é" },
      { "/a b", "y", "/a b" },
    }
  end)

  it("PAT-16 without a base is matched against the whole URL", function()
    local service = lull.service {}
    service:configure("http://bar.baz/*", { expiration_time = 5 })
    equal(service:configuration_for(service:resource_at("http://bar.baz/foo")).expiration_time, 5.0)
    equal(service:configuration_for("http://bar.baz/foo/x").expiration_time, 30.0)
  end)

  it("PAT-17 ignores the base's query", function()
    equal(matches("/a", "/a", "https://foo.bar/v1?x=1"), true)
  end)

  it("PAT-19 PAT-20 PAT-21 may be a regular expression", function()
    rows {
      { lull.regex "/.ump", "y", "/wump" }, { lull.regex "/.ump", "n", "/wzmp" },
      { lull.regex [[^https://foo\.bar/v1/wump$]], "y", "/wump" },
      { lull.regex "/wu+", "n", "/WUUUUUMP" }, { lull.regex("/wu+", "i"), "y", "/WUUUUUMP" },
    }
    raises("'regex'", function() lull.regex("(") end)
    raises("missing closing parenthesis, at byte 1", function() lull.regex("(") end)
    raises("'&&' inside a class is not supported", function() lull.regex("[a-z&&[^x]]") end)
    raises("'regex'", function() lull.regex({}) end)
    raises("\"i\"", function() lull.regex("a", "x") end)
  end)
end)
