-- resource:query{}: resources that are read with a body (RFC 10008).
local lull = require "lull"
local spec = ...
local describe, it, equal, same = spec.describe, spec.it, spec.equal, spec.same
local contains, excludes, raises, json = spec.contains, spec.excludes, spec.raises, spec.json
local folder = spec.temporary_folder

-- A service that answers each query with its own content.
local function echoing(settings)
  return spec.fake(function(http)
    return json(('{"method":"%s","asked":%s}'):format(http.method, http.body or "null"))
  end, settings)
end

describe("a query", function()
  it("QUERY-01 is a resource with its own data", function()
    local api, sent = echoing()
    local search = api("/search"):query { json = { term = "tea", page = 1 } }
    equal(search.method, "QUERY")
    equal(search.body, '{"page":1,"term":"tea"}')
    equal(search.content_type, "application/json")
    equal(search.url, "https://api.test/v1/search")
    local events = spec.record(search)
    local entity = assert(search:load_if_needed():await())
    equal(entity.content.asked.term, "tea")
    equal(search.content.method, "QUERY")
    equal(search:load_if_needed(), nil)
    same(events, { "observer_added []", "requested [L]", "new_data(network) [D]" })
    equal(#sent, 1)
    equal(api("/search").latest_data, nil)
    equal(api("/search").method, "GET")
    equal(api("/search").body, nil)
    equal(api("/search").content_type, nil)
    contains(tostring(search), 'Resource(/search QUERY {"page":1,"term":"tea"} [D])')
    contains(tostring(search:load()), "Request(/search QUERY 23 B #")
  end)

  it("QUERY-02 QUERY-04 QUERY-05 is the same object for equal content", function()
    local api = echoing()
    local resource = api "/search"
    local search = resource:query { json = { a = 1, b = { 2, "é" } } }
    equal(search, resource:query { json = { b = { 2.0, "é" }, a = 1 } })
    equal(search, resource:query { data = '{"b":[2e0,"\\u00e9"], "a":1.0}', content_type = "application/json" })
    equal(search, search:query { json = { a = 1, b = { 2, "é" } } })
    for _, other in ipairs {
      { json = { a = 1, b = { "é", 2 } } },
      { json = { a = "1", b = { 2, "é" } } },
      { json = { a = 1, b = { 2, "é" } }, content_type = "application/vnd.api+json" },
      { json = { a = 1, b = { 2, "é" } }, method = "POST" },
      { data = search.body },
      { text = search.body },
    } do
      equal(resource:query(other) == search, false)
    end
    equal(resource:query { form = { a = 1, b = 2 } }, resource:query { form = { b = "2", a = "1" } })
    equal(resource:query { text = "a" } == resource:query { text = "A" }, false)
  end)

  it("QUERY-06 sends its headers, and is not shared with other headers", function()
    local api, sent = echoing()
    local question = { json = {}, headers = { ["X-Scope"] = "all", Accept = "application/json" } }
    local search = api("/search"):query(question)
    assert(search:load():await())
    equal(sent[1].headers["x-scope"], "all")
    equal(api("/search"):query { json = {}, headers = { accept = "application/json", ["x-scope"] = "all" } }, search)
    raises("in use with other headers", function() return api("/search"):query { json = {} } end)
    raises("in use with other headers", function()
      return api("/search"):query { json = {}, headers = { ["X-Scope"] = "mine" } }
    end)
  end)

  it("QUERY-07 is sent by POST where that is set", function()
    local api, sent = echoing()
    api:configure("/search", { query_method = "POST" })
    local search = api("/search"):query { json = { term = "tea" } }
    equal(search.method, "POST")
    assert(search:load():await())
    equal(sent[1].method, "POST")
    equal(api("/other"):query { json = {} }.method, "QUERY")
    equal(api("/other"):query { json = {}, method = "post" }.method, "POST")
    raises("'query_method' must be \"QUERY\" or \"POST\"", function()
      api:configure { query_method = "PUT" }
    end)
    raises("'method' must be \"QUERY\" or \"POST\", got", function()
      return api("/search"):query { json = {}, method = "GET" }
    end)
  end)

  it("QUERY-07 says what to set if the server does not know QUERY", function()
    local api = spec.fake { status = 405 }
    local _, err = api("/search"):query({ json = {} }):load():await()
    contains(err.user_message, 'set query_method to "POST"')
  end)

  it("QUERY-01 has exactly one content, and it is not a file", function()
    local resource = echoing()("/search")
    raises("a query needs one of 'json', 'form', 'text', 'data'", function() return resource:query {} end)
    raises("either", function() return resource:query { json = 1, text = "a" } end)
    raises("unknown setting 'jsno'", function() return resource:query { jsno = 1 } end)
    raises("table expected", function() return resource:query(lull.file "/dev/null") end)
    raises("not finite", function() return resource:query { json = 0 / 0 } end)
    raises("table expected", function() return resource:query() end)
  end)

  it("QUERY-18 turns the pages of its content", function()
    local api, sent = spec.fake(function(http)
      local number = lull.json.decode(http.body).page or 1
      return json(('{"items":%s}'):format(number < 3 and "[" .. number .. "]" or "[]"))
    end)
    local search = api("/search"):query { json = { term = "tea" } }
    local all = {}
    for content in search:pages { page = { param = "page", items = "items" } } do
      for _, item in ipairs(content.items) do all[#all + 1] = item end
    end
    same(all, { 1, 2 })
    same({ sent[1].body, sent[2].body }, { '{"term":"tea","page":1}', '{"term":"tea","page":2}' })
  end)

  it("QUERY-20 is stale after a write to its URL, and only then", function()
    local api = echoing()
    local search = api("/search"):query { json = {}, method = "POST" }
    local list = api "/search"
    assert(list:load():await())
    assert(search:load():await())
    equal(list.is_up_to_date, true)
    equal(search.is_up_to_date, true)
    assert(api("/search"):post({ json = {} }):await())
    equal(list.is_up_to_date, false)
    equal(search.is_up_to_date, false)
  end)

  it("QUERY-14 names the resource in Content-Location", function()
    local api, sent = spec.fake(json("[]", { ["Content-Location"] = "/v1/results/9" }))
    local entity = assert(api("/search"):query({ json = {} }):load():await())
    equal(entity.equivalent, api "/results/9")
    equal(#sent, 1)
    equal(lull.entity { headers = { ["Content-Location"] = "/a" } }.equivalent, nil)
    equal(assert(api("/search"):load():await()).equivalent.url, "https://api.test/v1/results/9")
  end)

  it("QUERY-21 is explained with its content and what the server accepts", function()
    local api = spec.fake(json("[]", { ["Accept-Query"] = '"application/json"' }))
    local search = api("/search"):query { json = { term = "tea" } }
    assert(search:load():await())
    local text = search:explain()
    contains(text, "QUERY https://api.test/v1/search\napplication/json, 14 bytes: {\"term\":\"tea\"}")
    contains(text, 'queries accepted  application/json')
    contains(text, "load nothing")
  end)
end)

describe("the caches of queries", function()
  it("QUERY-16 keep different queries apart, and find an equal one in another service", function()
    local dir, _ <close> = folder()
    local function cached()
      local api, sent = echoing()
      api:configure { pipeline = { parsing = { cache = lull.cache.file { path = dir .. "/cache.db" } } } }
      return api, sent
    end
    local api, sent = cached()
    assert(api("/search"):query({ json = { term = "tea", page = 1 } }):load():await())
    assert(api("/search"):query({ json = { term = "ale", page = 1 } }):load():await())
    assert(api("/search"):load():await())
    equal(#sent, 3)
    local later, sent_later = cached()
    local search = later("/search"):query { data = '{"page":1.0,"term":"tea"}', content_type = "application/json" }
    equal(assert(search:load_if_needed():await()).content.asked.term, "tea")
    equal(assert(later("/search"):load_if_needed():await()).content.method, "GET")
    equal(#sent_later, 0)
    assert(later("/search"):query({ json = { term = "gin" } }):load_if_needed():await())
    equal(#sent_later, 1)
    -- A write makes the queries in the file stale, those in memory or not.
    assert(later("/search"):put({ json = {} }):await())
    local last, sent_last = cached()
    local ale = last("/search"):query { json = { term = "ale", page = 1 } }
    assert(ale:load_if_needed():await())
    equal(#sent_last, 1, "the entry was stale")
  end)

  it("QUERY-16 of a script get a key with a digest", function()
    local entries = {}
    local function cached(key)
      local api, sent = echoing()
      api:configure { pipeline = { parsing = { cache = {
        key = key, read = function(_, k) return entries[k] end,
        write = function(_, k, entity) entries[k] = entity end,
        remove = function(_, k) entries[k] = nil end,
      } } } }
      return api, sent
    end
    local function by_url(_, resource) return resource.url end
    local api = cached(by_url)
    assert(api("/search"):query({ json = { term = "tea" } }):load():await())
    assert(api("/search"):query({ json = { term = "ale" } }):load():await())
    assert(api("/search"):load():await())
    local count = 0
    for key in pairs(entries) do
      count = count + 1
      contains(key, "https://api.test/v1/search")
      excludes(key, "term")
    end
    equal(count, 3)
    local later, sent = cached(by_url)
    local search = later("/search"):query { json = { term = "ale" } }
    equal(assert(search:load_if_needed():await()).content.asked.term, "ale")
    equal(#sent, 0)
  end)

  it("QUERY-22 keep secrets in the content out of keys and logs", function()
    local dir, _ <close> = folder()
    local path = os.tmpname()
    local file = assert(io.open(path, "w"))
    file:write "s3cr3t-value"
    file:close()
    local secret = lull.secret { file = path, name = "KEY" }
    local api, sent = spec.fake(json "[1]")
    api:configure { pipeline = { parsing = { cache = lull.cache.file { path = dir .. "/cache.db" } } } }
    local lines = {}
    lull.log.handler = function(_, text) lines[#lines + 1] = text end
    lull.log.enabled = "all"
    local search = api("/search"):query { json = { key = secret, term = "tea" } }
    assert(search:load():await())
    lull.log.enabled = {}
    os.remove(path)
    contains(search.body, "‹secret KEY›")
    contains(sent[1].body, "‹secret KEY›")
    excludes(table.concat(lines, "\n"), "s3cr3t")
    excludes(search:explain(), "s3cr3t")
    equal(spec.shell("grep -rl s3cr3t " .. dir .. " || true"), "")
    equal(api("/search"):query { json = { key = secret, term = "tea" } }, search)
    equal(api("/search"):query { json = { key = lull.secret { env = "OTHER", name = "KEY" }, term = "tea" } }
      == search, false, "another secret of the same name")
  end)
end)
