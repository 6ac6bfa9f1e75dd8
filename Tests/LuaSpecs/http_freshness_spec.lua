-- expiration_time = "http": freshness by the answer's own headers, and what depends on the request's (AGE).
local lull = require "lull"
local spec = ...
local describe, it, equal, contains = spec.describe, spec.it, spec.equal, spec.contains
local raises, json, folder, same = spec.raises, spec.json, spec.temporary_folder, spec.same

-- A service that believes what answers say, and what it has sent.
local function believing(answers, settings)
  local service, sent = spec.fake(answers, settings)
  service:configure { expiration_time = "http" }
  return service, sent
end

-- Answers in the language that is asked for.
local function speaking(http)
  local language = http.headers["accept-language"] or "none"
  return json(('"%s"'):format(language), { Vary = "Accept-Language", ["Cache-Control"] = "max-age=60" })
end

describe([[expiration_time = "http"]], function()
  it("AGE-01 AGE-02 loads again what does not say that it is fresh, and nothing else", function()
    local function loads(headers)
      local service, sent = believing(json("1", headers))
      local resource = service "/a"
      for _ = 1, 2 do
        local request = resource:load_if_needed()
        if request then assert(request:await()) end
      end
      return #sent
    end
    equal(loads { ["Cache-Control"] = "max-age=60" }, 1)
    equal(loads { ["Cache-Control"] = "max-age=60", Age = "59.9" }, 1, "an age that is no number")
    equal(loads { ["Cache-Control"] = "max-age=60", Age = "60" }, 2)
    equal(loads { ["Cache-Control"] = "no-cache, max-age=60" }, 2)
    equal(loads { Expires = "Thu, 01 Jan 2099 00:00:00 GMT" }, 1)
    equal(loads { Expires = "0" }, 2)
    equal(loads {}, 2)
    equal(loads { ["Last-Modified"] = "Thu, 01 Jan 1970 00:00:00 GMT" }, 2)
  end)

  it("AGE-02 holds what was asked for with no-store never fresh", function()
    local service, sent = believing(json("1", { ["Cache-Control"] = "max-age=60", ETag = '"v"' }))
    local resource = service "/a"
    local no_store = { headers = { ["Cache-Control"] = "no-store" } }
    assert(resource:load_using(resource:request("GET", nil, no_store)):await())
    equal(resource.is_up_to_date, false)
    assert(resource:load_if_needed():await())
    equal(resource.is_up_to_date, true, "by a request without it")
    equal(#sent, 2)
  end)

  it("AGE-09 takes a HEAD with another validator for the end of what is known", function()
    local function is_fresh(known, head, status)
      local service = spec.fake(function(http)
        if http.method == "HEAD" then return { status = status or 200, headers = head } end
        return json("1", known)
      end)
      local resource = service "/a"
      assert(resource:load():await())
      resource:request("HEAD"):await()
      return resource.is_up_to_date
    end
    local monday, tuesday = "Mon, 02 Jan 2023 00:00:00 GMT", "Tue, 03 Jan 2023 00:00:00 GMT"
    equal(is_fresh({ ETag = '"a"' }, { ETag = '"b"' }), false)
    equal(is_fresh({ ETag = '"a"' }, { ETag = '"a"' }), true)
    equal(is_fresh({ ["Last-Modified"] = monday }, { ["Last-Modified"] = tuesday }), false)
    equal(is_fresh({ ETag = '"a"', ["Last-Modified"] = monday },
      { ETag = '"a"', ["Last-Modified"] = tuesday }), true, "ETag counts first")
    equal(is_fresh({ ETag = '"a"' }, {}), true)
    equal(is_fresh({}, { ETag = '"b"' }), true)
    equal(is_fresh({ ETag = '"a"' }, { ETag = '"b"' }, 404), true)
  end)

  it("AGE-01 goes by the configuration where that is a number", function()
    local service, sent = spec.fake(json("1", { ["Cache-Control"] = "no-cache" }))
    service:configure { expiration_time = 60 }
    assert(service("/a"):load_if_needed():await())
    equal(service("/a"):load_if_needed(), nil)
    equal(#sent, 1)
  end)

  it("AGE-04 gives who asked the headers of a 304, too", function()
    local service = believing(function(http)
      if http.headers["if-none-match"] then return { status = 304, headers = { ["X-Page"] = "2" } } end
      return json("1", { ETag = '"v"', ["X-Page"] = "1" })
    end)
    local resource <const> = service "/a"
    equal(assert(resource:load():await()).headers["x-page"], "1")
    local request = resource:load()
    equal(assert(request:await()).headers["x-page"], "2")
    equal(request.response.is_new, false)
    equal(resource.latest_data.headers["x-page"], "2")
  end)

  it("AGE-07 asks again after a success of what may have changed something", function()
    local dir, _ <close> = folder()
    local function service(http_status)
      local made, sent = believing(function(http)
        if http.method ~= "GET" then return { status = http_status, body = "" } end
        return json("1", { ["Cache-Control"] = "max-age=60", ETag = '"v"' })
      end)
      made:configure { pipeline = { parsing = { cache = lull.cache.file { path = dir .. "/cache.db" } } } }
      return made, sent
    end
    local function loadsAgain(method, status, change)
      local made, sent = service(status)
      local resource = made "/a"
      assert(resource:load():await())
      change(resource, method)
      local request = resource:load_if_needed()
      if request then assert(request:await()) end
      return request ~= nil, sent
    end
    local function ask(resource, method) resource:request(method):await() end
    for _, method in ipairs { "POST", "PUT", "PATCH", "DELETE", "M-SEARCH" } do
      local again, sent = loadsAgain(method, 201, ask)
      equal(again, true, method)
      equal(sent[#sent].headers["if-none-match"], '"v"', method)
    end
    for _, method in ipairs { "HEAD", "OPTIONS", "PROPFIND", "QUERY" } do
      equal(loadsAgain(method, 200, ask), false, method)
    end
    equal(loadsAgain("POST", 500, ask), false, "a failure changes nothing")
    local again = loadsAgain("PUT", 200, function(resource, method)
      assert(resource:load_using(resource:request(method)):await())
    end)
    equal(again, true, "an answer without a freshness of its own")

    local first = service(204)
    assert(first("/b"):load():await())
    assert(first("/b"):delete():await())
    local later, sent = service(204)
    assert(later("/b"):load_if_needed():await())
    equal(#sent, 1, "nor is it fresh in the file")
    equal(sent[1].headers["if-none-match"], '"v"')
  end)

  it("AGE-07 asks again after a write whatever expiration_time is, unless writes_invalidate is false", function()
    for _, case in ipairs {
      { {}, true }, { { expiration_time = math.huge }, true }, { { writes_invalidate = false }, false },
    } do
      local settings, asks = table.unpack(case)
      local dir, _ <close> = folder()
      local function service()
        local made, sent = spec.fake(function(http)
          return http.method == "GET" and json "1" or { status = 204 }
        end)
        made:configure(settings)
        made:configure { pipeline = { parsing = { cache = lull.cache.file { path = dir .. "/cache.db" } } } }
        return made, sent
      end
      local plain = service()
      local resource = plain "/a"
      assert(resource:load():await())
      local timestamp = resource.timestamp
      local events = spec.record(resource)
      local up_to_date
      assert(resource:post { json = { x = 1 } }:on_success(function()
        up_to_date = resource.is_up_to_date
      end):await())
      equal(up_to_date, not asks, "before the hooks of the request")
      equal(resource.content, 1, "the data stays")
      equal(resource.timestamp, timestamp)
      same(events, { "observer_added [D]" })
      local later, sent = service()
      local request = later "/a":load_if_needed()
      if request then assert(request:await()) end
      equal(#sent, asks and 1 or 0, "in another process")
      equal(later "/a":load_if_needed(), nil, "it has been asked for since")
      local third, third_sent = service()
      request = third "/a":load_if_needed()
      if request then assert(request:await()) end
      equal(#third_sent, 0)
    end
  end)

  it("AGE-07 reaches what Location and Content-Location of the same origin name", function()
    local api = spec.fake(function(http)
      if http.method == "GET" then return json "1" end
      return {
        status = 201, headers = {
          Location = "/v1/users/7", ["Content-Location"] = "https://api.test/v1/users/list?x=1",
          Link = "</v1/other>",
        },
      }
    end)
    local elsewhere = spec.fake(function(http)
      if http.method == "GET" then return json "1" end
      return { status = 201, headers = { Location = "https://other.test/a" } }
    end)
    local resources = { api "/users", api "/users/7", api "/users/list":with_param("x", "1"), api "/other" }
    for _, resource in ipairs(resources) do assert(resource:load():await()) end
    assert(api "/users":post { json = 1 }:await())
    local fresh = {}
    for index, resource in ipairs(resources) do fresh[index] = resource.is_up_to_date end
    same(fresh, { false, false, false, true })
    local far = elsewhere:resource_under("https://other.test", "/a")
    assert(far:load():await())
    assert(elsewhere "/users":post { json = 1 }:await())
    equal(far.is_up_to_date, true, "of another origin")
  end)

  it("AGE-07 leaves an override and a load in a hook fresh, and a promoted answer is data", function()
    local api = spec.fake(function(http)
      return json(http.method == "GET" and "1" or "2")
    end)
    local resource = api "/a"
    assert(resource:load():await())
    assert(resource:put { json = 2 }:on_success(function()
      resource:override_local_content(2)
    end):await())
    equal(resource.is_up_to_date, true)
    local load
    assert(resource:put { json = 2 }:on_success(function() load = resource:load() end):await())
    assert(load:await())
    equal(resource.is_up_to_date, true)
    assert(resource:load_using(resource:put { json = 2 }):await())
    equal(resource.content, 2)
    equal(resource.is_up_to_date, true)
  end)

  it("AGE-08 takes a part for that part only, and no cache keeps it", function()
    local dir, _ <close> = folder()
    local function service()
      local made, sent = believing(function(http)
        local range = http.headers.range
        return {
          status = range and 206 or 200,
          headers = { ["Content-Type"] = "text/plain", ETag = '"v"', ["Cache-Control"] = "max-age=60" },
          body = range or "whole",
        }
      end)
      made:configure { pipeline = { parsing = { cache = lull.cache.file { path = dir .. "/cache.db" } } } }
      return made, sent
    end
    local made, sent = service()
    local function ask(range)
      made:configure { headers = { Range = range or false } }
      local request = made("/a"):load_if_needed()
      if request then assert(request:await()) end
      return made("/a").text, sent[#sent].headers["if-none-match"]
    end
    equal(ask "bytes=0-1", "bytes=0-1")
    equal(ask "bytes=0-1", "bytes=0-1")
    equal(#sent, 1, "the same part is fresh")
    local text, condition = ask "bytes=2-3"
    equal(text, "bytes=2-3")
    equal(condition, nil, "its validator is that of the whole")
    equal(#sent, 2)
    local whole, none = ask(nil)
    equal(whole, "whole")
    equal(none, nil)
    local later, later_sent = service()
    later:configure { headers = { Range = "bytes=0-1" } }
    assert(later("/b"):load():await())
    local last, last_sent = service()
    last:configure { headers = { Range = "bytes=0-1" } }
    assert(last("/b"):load_if_needed():await())
    equal(#later_sent + #last_sent, 2)
  end)

  it("is shown by configurations, explain and log", function()
    local service = believing(json("1", { ["Cache-Control"] = "max-age=60" }))
    local resource <const> = service "/a"
    equal(service:configuration_for(resource).expiration_time, "http")
    assert(resource:load():await())
    contains(resource:explain(), "fresh for 60 s by its own headers")
    local lines = {}
    lull.log.enabled = { "staleness" }
    lull.log.handler = function(_, line) lines[#lines + 1] = line end
    resource:load_if_needed()
    lull.log.enabled = {}
    contains(lines[1], "s by its own headers")
    service:configure("/b", function(config)
      equal(config.expiration_time, "http")
      config.expiration_time = 5
      equal(config.expiration_time, 5.0)
      config.expiration_time = "http"
    end)
    equal(service:configuration_for(service "/b").expiration_time, "http")
  end)

  it("refuses what is neither a number nor that word", function()
    local service = spec.fake(json "1")
    for _, wrong in ipairs { "HTTP", "", "30", true, {}, -1 } do
      raises("expiration_time", function() service:configure { expiration_time = wrong } end)
    end
    raises([[a number of seconds or "http"]], function() service:configure { expiration_time = "60" } end)
  end)

  it("AGE-04 takes over what a 304 says, so that the data is fresh again", function()
    local service, sent = believing {
      json("1", { ETag = '"1"', ["X-Kept"] = "old", Age = "1" }),
      { status = 304, headers = { ["Cache-Control"] = "max-age=60", ETag = '"2"', ["Content-Type"] = "text/html" } },
    }
    local resource = service "/a"
    assert(resource:load_if_needed():await())
    assert(resource:load_if_needed():await())
    equal(#sent, 2)
    equal(sent[2].headers["if-none-match"], '"1"')
    equal(resource:load_if_needed(), nil)
    local entity = resource.latest_data
    equal(entity.etag, '"2"')
    equal(entity.headers["x-kept"], "old")
    equal(entity.headers.age, nil)
    equal(entity.content_type, "application/json")
    equal(entity.content, 1)
  end)

  it("NM-09 does not where the configuration says how long data is fresh", function()
    local service = spec.fake { json("1", { ETag = '"1"' }), { status = 304, headers = { ETag = '"2"' } } }
    local resource = service "/a"
    for _ = 1, 2 do assert(resource:load():await()) end
    equal(resource.latest_data.etag, '"1"')
  end)

  it("AGE-04 writes what a 304 says to the file, too", function()
    local dir, _ <close> = folder()
    local path = dir .. "/cache.db"
    local function service(answers)
      local made, sent = believing(answers)
      made:configure { pipeline = { parsing = { cache = lull.cache.file { path = path } } } }
      return made, sent
    end
    local first = service {
      json("1", { ETag = '"1"' }), { status = 304, headers = { ["Cache-Control"] = "max-age=60" } },
    }
    for _ = 1, 2 do assert(first("/a"):load():await()) end
    local later, sent = service(json "2")
    equal(assert(later("/a"):load_if_needed():await()).content, 1)
    equal(#sent, 0)
  end)

  it("AGE-06 does not take data for up to date that answers other headers", function()
    local service, sent = believing(speaking)
    local language = "de"
    service:configure(function(config) config.headers["Accept-Language"] = language end)
    local resource = service "/a"
    equal(assert(resource:load_if_needed():await()).content, "de")
    equal(resource:load_if_needed(), nil)
    language = "en"
    service:invalidate_configuration()
    contains(resource:explain(), "other values of the request headers")
    equal(assert(resource:load_if_needed():await()).content, "en")
    equal(#sent, 2)
  end)
end)

describe("Vary", function()
  for name, cache in pairs {
    ["in memory"] = function() return lull.cache.memory() end,
    ["in a file"] = function(dir) return lull.cache.file { path = dir .. "/cache.db" } end,
  } do
    it("AGE-05 keeps answers apart in a cache " .. name, function()
      local dir, _ <close> = folder()
      local shared = cache(dir)
      local function service(language)
        local made, sent = spec.fake(speaking)
        made:configure {
          headers = { ["Accept-Language"] = language }, pipeline = { parsing = { cache = shared } },
        }
        return made, sent
      end
      local function load(language)
        local made, sent = service(language)
        local content = assert(made("/a"):load_if_needed():await()).content
        equal(content, language)
        return #sent
      end
      equal(load "de", 1)
      equal(load "de", 0)
      equal(load "en", 1)
      equal(load "en", 0)
    end)
  end

  it("AGE-05 has an entry for each in a file, and removes all of them", function()
    local dir, _ <close> = folder()
    local function service(language)
      local made, sent = spec.fake(speaking)
      made:configure {
        headers = { ["Accept-Language"] = language },
        pipeline = { parsing = { cache = lull.cache.file { path = dir .. "/cache.db" } } },
      }
      return made, sent
    end
    for _, language in ipairs { "de", "en" } do assert(service(language)("/a"):load():await()) end
    for _, language in ipairs { "de", "en" } do
      local made, sent = service(language)
      equal(assert(made("/a"):load_if_needed():await()).content, language)
      equal(#sent, 0)
    end
    local made = service "de"
    assert(made("/a"):load_if_needed():await())
    made("/a"):override_local_content("other")
    for _, language in ipairs { "de", "en" } do
      local later, sent = service(language)
      equal(assert(later("/a"):load_if_needed():await()).content, language)
      equal(#sent, 1, "removed for " .. language)
    end
  end)

  it("AGE-05 does not keep what a transformer has made without what the answer depends on", function()
    local cache = lull.cache.memory()
    local function load(language)
      local made, sent = spec.fake(speaking)
      made:configure(function(config)
        config.headers["Accept-Language"] = language
        config.pipeline.model:add_transformer(function(response)
          return lull.success { content = response.entity.content .. "!" }
        end)
        config.pipeline.model.cache = cache
      end)
      equal(assert(made("/a"):load_if_needed():await()).content, language .. "!")
      return #sent
    end
    equal(load "de", 1)
    equal(load "en", 1)
  end)

  it("AGE-05 goes by what was sent, not by what is configured", function()
    local dir, _ <close> = folder()
    local function service()
      local made, sent = spec.fake(speaking)
      made:configure { pipeline = { parsing = { cache = lull.cache.file { path = dir .. "/cache.db" } } } }
      made:configure(function(config)
        config:mutate_requests(function(http) http.headers["Accept-Language"] = "fr" end)
      end)
      return made, sent
    end
    assert(service()("/a"):load():await())
    local later, sent = service()
    equal(assert(later("/a"):load_if_needed():await()).content, "fr")
    equal(#sent, 1, "what mutations add is not known before")
  end)
end)
