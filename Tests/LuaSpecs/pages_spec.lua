-- resource:pages{}: lists that come in pages, by whatever tells the next one.
local lull = require "lull"
local spec = ...
local describe, it, equal, same = spec.describe, spec.it, spec.equal, spec.same
local contains, raises, json = spec.contains, spec.raises, spec.json

local base = "https://api.test/v1"

-- A service whose answers go by what follows the base URL; whatever else is asked for is a 404.
local function site(answers, settings)
  return spec.fake(function(http)
    local answer = answers[http.url:sub(#base + 1)] or json('{"message":"no such page"}', nil, 404)
    return type(answer) == "string" and json(answer) or answer
  end, settings)
end

local function walk(resource, options)
  local seen = {}
  for content in resource:pages(options) do seen[#seen + 1] = lull.json.encode(content) end
  return seen
end

-- The error of the walk and what came before it.
local function failing(resource, options)
  local seen = {}
  local ok, err = pcall(function()
    for content in resource:pages(options) do seen[#seen + 1] = lull.json.encode(content) end
  end)
  equal(ok, false)
  return err, seen
end

describe("pages", function()
  it("go by the Link header", function()
    local api, sent = site {
      ["/a"] = json("[1]", { Link = '<https://api.test/v1/a?page=2>; rel="next", <x>; rel=last' }),
      ["/a?page=2"] = json("[2]", { Link = '<?page=3>;rel="prefetch NEXT"; title="a, <b>; c"' }),
      ["/a?page=3"] = json("[3]", { Link = '</v1/a>; rel="first", </v1/a?page=2>; rel=prev' }),
    }
    local urls = {}
    for content, page in api("/a"):pages() do
      equal(page.content, content)
      urls[#urls + 1] = page.url:sub(#base + 1) .. "=" .. content[1]
    end
    same(urls, { "/a=1", "/a?page=2=2", "/a?page=3=3" })
    equal(#sent, 3)
  end)

  it("go by several Link headers", function()
    local api = site {
      ["/a"] = json("1", { Link = { '</v1/a>; rel=self', '</v1/b>; rel=next; rel=self' } }),
      ["/b"] = "2",
    }
    same(walk(api("/a")), { "1", "2" })
  end)

  it("take no link that is from somewhere else, or of another relation", function()
    local api = site {
      ["/a"] = json("1", { Link = '</v1/x>; rel=next; anchor="/other", </v1/y>; rel=prev; rel=next, nonsense' }),
    }
    same(walk(api("/a")), { "1" })
  end)

  for field, body in pairs {
    next = '{"next":"/v1/b"}', ["links.next"] = '{"links":{"next":"./b"}}',
    ["HAL"] = '{"_links":{"next":{"href":"https://api.test/v1/b"}}}',
    ["OData"] = '{"@odata.nextLink":"./b"}', nextLink = '{"nextLink":"x/../b?"}',
    ["JSON:API"] = '{"links":{"next":{"href":"/v1/b"}}}', ["paging.next"] = '{"paging":{"next":"/v1/b"}}',
  } do
    it("find the next one where APIs put it: " .. field, function()
      local api = site { ["/a"] = body, ["/b"] = '{"next":null,"links":{"next":""}}', ["/b?"] = "{}" }
      equal(#walk(api("/a")), 2)
    end)
  end

  it("prefer the header to a field", function()
    local api = site { ["/a"] = json('{"next":"/v1/c"}', { Link = "</v1/b>; rel=next" }), ["/b"] = "{}" }
    equal(#walk(api("/a")), 2)
  end)

  it("go by a field that is named", function()
    local api = site {
      ["/a"] = '{"meta":{"more":"/v1/b"},"next":"/v1/x"}', ["/b"] = '{"meta":{"more":null}}',
      ["/c"] = '{"x.y":"/v1/b"}', ["/d"] = '{"a/b":{"~":"/v1/b"}}',
    }
    equal(#walk(api("/a"), { next = "meta.more" }), 2)
    equal(#walk(api("/a"), { next = "/meta/more" }), 2)
    equal(#walk(api("/c"), { next = "x.y" }), 2)
    equal(#walk(api("/d"), { next = "/a~1b/~0" }), 2)
    equal(#walk(api("/a"), { next = "link" }), 1)
  end)

  it("go by a function", function()
    local api = site { ["/a"] = '{"n":1}', ["/b"] = '{"n":2}', ["/c"] = '{"n":3}' }
    local seen = walk(api("/a"), { next = function(content, page)
      if content.n == 1 then return "b" end
      if content.n == 2 then return page:relative("c") end
    end })
    same(seen, { '{"n":1}', '{"n":2}', '{"n":3}' })
  end)

  it("go by a cursor", function()
    local api = site {
      ["/a?x=1"] = '{"meta":{"cursor":"q&r"}}', ["/a?cursor=q%26r&x=1"] = '{"meta":{"cursor":17}}',
      ["/a?cursor=17&x=1"] = '{"meta":{"cursor":null}}',
    }
    equal(#walk(api("/a"):with_param("x", 1), { cursor = { param = "cursor", field = "meta.cursor" } }), 3)
  end)

  it("go by a number, until a page is empty", function()
    local api, sent = site { ["/a?page=1"] = "[1]", ["/a?page=2"] = "[2]", ["/a?page=3"] = "[]" }
    same(walk(api("/a"), { page = { param = "page" } }), { "[1]", "[2]" })
    equal(#sent, 3)
  end)

  it("go by an offset, with the list in a field", function()
    local api = site {
      ["/a?offset=0"] = '{"data":[1,2]}', ["/a?offset=2"] = '{"data":[3,4]}', ["/a?offset=4"] = '{"data":[]}',
    }
    same(walk(api("/a"), { page = { param = "offset", first = 0, step = 2, items = "data" } }),
      { '{"data":[1,2]}', '{"data":[3,4]}' })
  end)

  it("end where the server says that there is no such page", function()
    local api = site { ["/a?page=1"] = "[1]" }
    same(walk(api("/a"), { page = { param = "page" } }), { "[1]" })
    local err = failing(api("/b"), { page = { param = "page" } })
    equal(err.http_status, 404)
  end)

  it("read tables that transformers make", function()
    local api = site { ["/a"] = '{"next":"/v1/b"}', ["/b"] = "{}", ["/a?p=1"] = "{}" }
    api:transform("/**", function(content) return { links = { next = content.next }, list = {} } end)
    equal(#walk(api("/a")), 2)
    equal(#walk(api("/a"), { next = "links.next" }), 2)
    equal(#walk(api("/a"), { next = "/links/next" }), 2)
    same(walk(api("/a"), { page = { param = "p", items = "list" } }), {})
  end)

  it("are text or bytes, too", function()
    local api = site {
      ["/a"] = { status = 200, headers = { ["Content-Type"] = "text/plain", Link = "<b>; rel=next" }, body = "x" },
      ["/b"] = spec.answer("application/octet-stream", "\255"),
    }
    local seen = {}
    for content in api("/a"):pages() do seen[#seen + 1] = content end
    same(seen, { "x", "\255" })
  end)

  it("that are fresh are not loaded again", function()
    local api, sent = site { ["/a"] = '{"next":"/v1/b"}', ["/b"] = "{}" }
    equal(#walk(api("/a")), 2)
    equal(#walk(api("/a")), 2)
    equal(#sent, 2)
    api:invalidate_resources()
    equal(#walk(api("/a")), 2)
    equal(#sent, 4)
  end)

  it("share loads that are in progress", function()
    local api, held = spec.held()
    local request = api("/a"):load()
    local task = lull.spawn(function() return walk(api("/a")) end)
    spec.turn()
    equal(#held, 1)
    held[1](json "[1]")
    request:await()
    same(task:await(), { "[1]" })
  end)

  it("are loaded one at a time, when asked for", function()
    local api, sent = site { ["/a"] = '{"next":"/v1/b"}', ["/b"] = "{}" }
    for content in api("/a"):pages() do
      lull.sleep(0.01)
      equal(#sent, 1)
      if content.next then break end
    end
    lull.sleep(0.01)
    equal(#sent, 1)
  end)

  it("resolve what they say against where a redirect has led", function()
    local api = spec.demo()
    local n = 0
    for content in api("/redirect-to"):with_param("url", "/articles?per_page=100"):pages() do n = n + #content end
    equal(n, 200)
  end)
end)

describe("pages end with an error", function()
  it("that is the request's own", function()
    local api = site { ["/a"] = '{"next":"/v1/b"}' }
    local err, seen = failing(api("/a"))
    same(seen, { '{"next":"/v1/b"}' })
    equal(err.http_status, 404)
    contains(tostring(err), base .. "/b")
    -- The resource's recent error counts, as for load_if_needed.
    equal(failing(api("/b")).http_status, 404)
  end)

  it("at another origin, unless that is allowed", function()
    local api = site { ["/a"] = '{"next":"https://elsewhere.test/x"}' }
    local err, seen = failing(api("/a"))
    equal(#seen, 1)
    contains(err.user_message, "on another origin, https://elsewhere.test, which 'cross_origin' would allow")
    contains(tostring(err), "GET https://api.test/v1/a")
    for _, other in ipairs { "http://api.test/v1/x", "https://api.test:8443/v1/x", "//API.test.evil/x" } do
      local again = site { ["/a"] = '{"next":"' .. other .. '"}' }
      contains(failing(again("/a")).user_message, "another origin")
    end
    local allowed = spec.fake(function(http)
      return json(http.url:find("elsewhere", 1, true) and "{}" or '{"next":"https://elsewhere.test/x"}')
    end)
    equal(#walk(allowed("/a"), { cross_origin = true }), 2)
  end)

  it("at a next page that is not http, whatever is allowed", function()
    local list = site { ["/a"] = '{"next":"ftp://elsewhere.test/b"}' }
    for _, options in ipairs { {}, { cross_origin = true } } do
      contains(
        failing(list("/a"), options).user_message,
        "'ftp://elsewhere.test/b' is neither http nor https")
    end
  end)

  it("at another origin that a function names", function()
    local api = site { ["/a"] = "{}" }
    contains(failing(api("/a"), { next = function() return "http://elsewhere.test/" end }).user_message,
      "another origin")
  end)

  it("when they go round", function()
    local api = site { ["/a"] = '{"next":"/v1/b"}', ["/b"] = '{"next":"/v1/a#top"}' }
    local err, seen = failing(api("/a"))
    equal(#seen, 2)
    contains(err.user_message, "The pages go round: after page 2 comes /a once more")
  end)

  it("beyond 100, unless `max` is given", function()
    local api = spec.fake(function(http)
      return json('{"next":"?n=' .. (tonumber(http.url:match("%d+$")) or 1) + 1 .. '"}')
    end)
    local err, seen = failing(api("/a?n=1"))
    equal(#seen, 100)
    contains(err.user_message, "There are more than 100 pages: say with 'max' how many to load")
    equal(#walk(api("/a?n=1"), { max = 3 }), 3)
    equal(#walk(api("/a?n=1"), { max = 120 }), 120)
  end)

  it("when the next one is no URL but a cursor", function()
    local api = site { ["/a"] = '{"next":"c2Vjb25k"}' }
    contains(failing(api("/a")).user_message, "'next' is 'c2Vjb25k', which is no URL; if it is a cursor, say cursor =")
  end)

  it("when what they go by is something else", function()
    local api = site { ["/a"] = '{"next":true,"cursor":[1],"http":"http://[/"}', ["/a?page=1"] = '{"data":"x"}' }
    contains(failing(api("/a")).user_message, "'next' is no URL")
    contains(failing(api("/a"), { next = "http" }).user_message, "is no URL")
    contains(failing(api("/a"), { cursor = { param = "c", field = "cursor" } }).user_message,
      "The cursor 'cursor' is neither a string nor a number")
    contains(failing(api("/a"), { page = { param = "page" } }).user_message, "The content is no list")
    contains(failing(api("/a"), { page = { param = "page", items = "data" } }).user_message, "'data' is no list")
    contains(failing(api("/a"), { next = function() return 7 end }).user_message,
      "'next' of pages must return a URL, a Resource or nil, got 7")
  end)

  it("that the function raises", function()
    local api = site { ["/a"] = "{}" }
    local marker = {}
    equal(failing(api("/a"), { next = function() error(marker) end }), marker)
    contains(failing(api("/a"), { next = function() lull.sleep(0) end }),
      "cannot wait inside a next function of pages: it must answer at once")
  end)

  it("after which there is nothing more", function()
    local api = site {}
    local pages = api("/a"):pages()
    equal(pcall(pages), false)
    equal(pages(), nil)
  end)
end)

describe("pages", function()
  it("are over with their loop", function()
    local api = site { ["/a"] = '{"next":"/v1/b"}', ["/b"] = "{}" }
    local pages, state, control, closing = api("/a"):pages()
    for content in pages, state, control, closing do
      if content.next then break end
    end
    equal(pages(), nil)
    equal(pages.count, 1)
    equal(tostring(pages), "Pages(/a, over after 1)")
  end)

  it("end with the task that waits for them, and their request with it", function()
    local cancelled = 0
    local api = spec.fake(function()
      local _ <close> = setmetatable({}, { __close = function() cancelled = cancelled + 1 end })
      lull.sleep(60)
    end)
    local task = lull.spawn(function()
      for _ in api("/a"):pages() do end
      spec.fail("not reached")
    end)
    lull.sleep(0.01)
    task:cancel()
    spec.turn()
    equal(#api("/a").load_requests, 0)
    equal(cancelled, 1)
  end)

  it("work inside coroutines of the script's own", function()
    local api = site { ["/a"] = '{"n":1,"next":"/v1/b"}', ["/b"] = '{"n":2}' }
    local items = coroutine.wrap(function()
      for content in api("/a"):pages() do coroutine.yield(content.n) end
    end)
    same({ items(), items(), items() }, { 1, 2 })
  end)

  it("leave a load alone that was there before", function()
    local api, held = spec.held()
    local request = api("/a"):load()
    local task = lull.spawn(function() walk(api("/a")) end)
    spec.turn()
    task:cancel()
    spec.turn()
    equal(request.state, "in_progress")
    held[1](json "1")
    equal(request:await().content, 1)
  end)

  it("are waited for by one coroutine at a time", function()
    local api, held = spec.held()
    local pages = api("/a"):pages()
    local task = lull.spawn(function() return pages() end)
    spec.turn()
    raises("these pages are being waited for by another coroutine", function() pages() end)
    held[1](json "5")
    equal(task:await(), 5)
  end)

  it("stopped while they are waited for give nothing more", function()
    local api, held = spec.held()
    local pages = api("/a"):pages()
    local task = lull.spawn(function() return "got", pages() end)
    spec.turn()
    pages:stop()
    held[1](json "5")
    local word, value = task:await()
    equal(word, "got")
    equal(value, nil)
  end)

  it("say that they would wait for themselves", function()
    local api = site { ["/a"] = "1" }
    local message
    api:transform("/**", function(content)
      message = select(2, pcall(api("/a"):pages()))
      return content
    end)
    api("/a"):load():await()
    contains(message, "this would wait for itself")
  end)

  it("do not work where nothing can wait", function()
    local api = site { ["/a"] = "1" }
    local message
    string.gsub("x", "x", function() message = select(2, pcall(api("/a"):pages())) end)
    contains(message, "cannot wait")
    equal(#api("/a").load_requests, 0)
  end)

  it("that are abandoned are collected, with what only they hold", function()
    local api = site { ["/a"] = "{}" }
    local weak = setmetatable({}, { __mode = "v" })
    do
      local held = {}
      weak.held = held
      weak.pages = api("/a"):pages { next = function() return held.next end }
      weak.pages()
    end
    spec.collect()
    equal(weak.pages, nil)
    equal(weak.held, nil)
  end)

  it("refuse what makes no sense", function()
    local a = site {}("/a")
    raises("unknown setting 'nxt' (did you mean 'next'?)", function() a:pages { nxt = "x" } end)
    raises("'next' must be \"link\", the name of a field, or a function, got 7", function() a:pages { next = 7 } end)
    raises("'next' must name a field", function() a:pages { next = "" } end)
    raises("pages go on by 'cursor' or 'next', not both", function()
      a:pages { next = "x", cursor = { param = "a", field = "b" } }
    end)
    raises("'cursor' must be a table, got 'x'", function() a:pages { cursor = "x" } end)
    raises("'cursor' needs 'param'", function() a:pages { cursor = { param = "x" } } end)
    raises("unknown setting 'parm' (did you mean 'param'?)", function() a:pages { page = { parm = "x" } } end)
    raises("'page' needs 'param'", function() a:pages { page = {} } end)
    raises("'step' must be a whole number, got 0", function() a:pages { page = { param = "p", step = 0 } } end)
    raises("'first' must be a whole number, got 1.5", function() a:pages { page = { param = "p", first = 1.5 } } end)
    raises("'max' must be a number of pages, 1 or more, or math.huge, got 0", function() a:pages { max = 0 } end)
    raises("'cross_origin' must be true or false, got 1", function() a:pages { cross_origin = 1 } end)
    raises("bad argument #1 to 'pages' (table expected, got string)", function() a:pages "next" end)
    equal(a:pages { max = math.huge }.count, 0)
  end)

  it("work in the main chunk, and in stock Lua too", function()
    local result = spec.script [[
      local lull = require "lull"
      local api = lull.service { base_url = "http://x.test", networking = function(http)
        local n = tonumber(http.url:match("%d+$"))
        local link = n < 3 and "</" .. n + 1 .. ">; rel=next" or nil
        return { headers = { ["Content-Type"] = "application/json", Link = link }, body = tostring(n) }
      end }
      for content in api("/1"):pages() do print(content) end
      print "end"
    ]]
    equal(result.err, "")
    equal(result.out, "1\n2\n3\nend\n")
  end)
end)
