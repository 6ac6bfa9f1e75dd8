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

  it("go by a Link whose target has spaces", function()
    local api, sent = site {
      ["/a"] = json("1", { Link = '</v1/a?q=a b&page=2>; rel="next"' }),
      ["/a?q=a%20b&page=2"] = json("2", { Link = "< /v1/a?q=a%20b&page=3 >; rel=prev next" }),
      ["/a?q=a%20b&page=3"] = "3",
    }
    same(walk(api("/a")), { "1", "2", "3" })
    equal(#sent, 3)
  end)

  it("go by a Link that names the page as where it is from, and by none from elsewhere", function()
    local api = site {
      ["/a"] = json("1", { Link = '</v1/x>; rel=next; anchor="/v1/other", </v1/b>; rel=next; anchor="/v1/a"' }),
      ["/b"] = json("2", { Link = '</v1/x>; rel=next; anchor="#part", </v1/c>; rel=next; anchor=""' }),
      ["/c"] = "3",
    }
    same(walk(api("/a")), { "1", "2", "3" })
  end)

  it("go by a Link header beside one that cannot be read", function()
    local api = site { ["/a"] = json("1", { Link = { "<unclosed; rel=next", "</v1/b>; rel=next" } }), ["/b"] = "2" }
    same(walk(api("/a")), { "1", "2" })
  end)

  it("prefer a field that leads somewhere to one that does not", function()
    local api = site {
      ["/a"] = '{"next":"c2Vjb25k","links":{"next":"/v1/b"}}', ["/b"] = '{"next":{"id":5},"nextLink":"/v1/c"}',
      ["/c"] = '{"links":{"next":{"href":null}}}',
    }
    equal(#walk(api("/a")), 3)
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
      ["/a?x=1"] = '{"meta":{"cursor":"q&r"}}', ["/a?x=1&cursor=q%26r"] = '{"meta":{"cursor":17}}',
      ["/a?x=1&cursor=17"] = '{"meta":{"cursor":null}}',
    }
    equal(#walk(api("/a"):with_param("x", 1), { cursor = { param = "cursor", field = "meta.cursor" } }), 3)
  end)

  it("PAG-01 go by a field of the last element, as long as another one says so", function()
    local api, sent = site {
      ["/a?limit=2"] = '{"data":[{"id":"x"},{"id":"y&z"}],"has_more":true}',
      ["/a?limit=2&after=y%26z"] = '{"data":[{"id":7,"by":{"id":8}}],"has_more":true}',
      ["/a?limit=2&after=7"] = '{"data":[{"id":"q"}],"has_more":false}',
      ["/b"] = '{"data":[],"has_more":false}', ["/c"] = '{"last":"l","page":{"more":true}}',
      ["/c?after=l"] = '{"last":"m","page":{"more":null}}',
    }
    local options = { cursor = { param = "after", field = "id", items = "data", more = "has_more" } }
    equal(#walk(api("/a"):with_param("limit", 2), options), 3)
    equal(#sent, 3)
    equal(#walk(api("/b"), options), 1)
    equal(#walk(api("/c"), { cursor = { param = "after", field = "last", more = "page.more" } }), 2)
  end)

  it("PAG-01 go by a field of the last element, until a page is empty", function()
    local api = site {
      ["/a"] = '[{"at":{"id":1}},{"at":{"id":2}}]', ["/a?after=2"] = '[{"at":{"id":3}}]', ["/a?after=3"] = "[]",
      ["/b"] = '{"rows":[{"id":1}]}', ["/b?after=1"] = '{"rows":null}',
    }
    same(walk(api("/a"), { cursor = { param = "after", field = "at.id", items = "" } }),
      { '[{"at":{"id":1}},{"at":{"id":2}}]', '[{"at":{"id":3}}]' })
    same(walk(api("/b"), { cursor = { param = "after", field = "id", items = "rows" } }), { '{"rows":[{"id":1}]}' })
  end)

  it("PAG-01 do so in tables that transformers make", function()
    local api = site { ["/a"] = '{"n":1}', ["/a?after=1"] = '{"n":2}' }
    api:transform("/**", function(content)
      return { of = { rows = { { id = 0 }, { key = { id = content.n } } } }, more = content.n == 1 }
    end)
    equal(#walk(api("/a"), { cursor = { param = "after", field = "/key/id", items = "of.rows", more = "more" } }), 2)
  end)

  it("PAG-02 when transformers leave out what says how it goes on", function()
    local answer = { ["/a"] = '{"data":[{"id":1}],"has_more":true}' }
    local without = { param = "after", field = "id", items = "data" }
    local with = { param = "after", field = "id", items = "data", more = "has_more" }
    local function problem(cursor, make)
      local api = site(answer)
      api:transform("/**", make)
      return failing(api "/a", { cursor = cursor }).user_message
    end
    contains(problem(with, function(content) return content.data end), "has no 'has_more'")
    contains(problem(without, function(content) return content.data end), "is not a list")
    contains(problem(with, function(content) return { data = content.data } end), "has no 'has_more'")
    contains(problem(without, function() return { items = {} } end), "is not a list")
    contains(problem(without, function() return "text" end), "has no field")
  end)

  it("PAG-75 follow a cursor that is a URL, and send none as a value", function()
    local api, sent = site {
      ["/a"] = '{"c":"https://api.test/v1/a?c=2"}', ["/a?c=2"] = '{"c":"/v1/a?c=3"}', ["/a?c=3"] = '{"c":0}',
      ["/b"] = '{"c":"https://elsewhere.test/b"}', ["/d"] = '{"rows":[{"c":"https://api.test/v1/a"}]}',
    }
    local cursor = { cursor = { param = "c", field = "c" } }
    equal(#walk(api("/a"), cursor), 3)
    contains(failing(api("/b"), cursor).user_message, "on another origin")
    local last = { cursor = { param = "c", field = "c", items = "rows" } }
    contains(failing(api("/d"), last).user_message, "of the last element is a URL, not a value for a parameter")
    for _, request in ipairs(sent) do spec.excludes(request.url, "=http") end
  end)

  it("PAG-75 end where a flag says so, whatever else there is", function()
    local cursor = { cursor = { param = "c", field = "c" } }
    for _, body in ipairs {
      '{"c":"x","has_more":false}', '{"c":"x","meta":{"hasNextPage":false}}', '{"c":"x","isLast":true}',
      '{"c":false}', '{"c":0}', '{"c":""}', '{"c":null}', "{}",
    } do
      equal(#walk(site { ["/a"] = body } "/a", cursor), 1, body)
    end
    equal(#walk(site { ["/a"] = json('{"has_more":false}', { Link = "</v1/b>; rel=next" }) } "/a"), 1)
    contains(failing(site { ["/a"] = '{"c":0,"has_more":true}' } "/a", cursor).user_message, "no cursor 'c'")
  end)

  it("PAG-73 end without an error where nothing says that there is more", function()
    local link = { Link = "</v1/a?page=1>; rel=prev" }
    for _, answer in ipairs {
      '{"count":2,"data":[1,2]}', '{"data":[1],"total":1}', '{"page":3,"total_pages":3,"data":[1]}',
      '{"offset":3,"limit":2,"count":5,"data":[4,5]}', '{"offset":0,"count":1,"next":null,"data":[1]}',
      '{"count":9,"next":null,"data":[1],"offset":0}', '{"page":1,"total_pages":1,"data":[]}',
      json('{"total_count":40,"items":[1]}', link), json("[1]", { ["X-Next-Page"] = "", ["X-Total-Pages"] = "4" }),
      json("[1]", { ["X-Total-Count"] = "1" }), '{"cursor":"x","name":"not a list"}',
      '{"data":[],"total_count":3}',
    } do
      equal(#walk(site { ["/a"] = answer } "/a"), 1, type(answer) == "table" and answer.body or answer)
    end
  end)

  it("PAG-73 go by an offset that counts rows", function()
    local api, sent = site {
      ["/a?skip=0"] = '{"rows":[1,2,3],"also":[]}', ["/a?skip=3"] = '{"rows":[4],"also":[]}',
      ["/a?skip=4"] = '{"rows":null}',
      ["/b?offset=10"] = "[1,2]", ["/b?offset=12"] = "[]", ["/c?offset=0"] = '{"a":[1],"b":[2]}',
    }
    equal(#walk(api("/a"), { offset = { param = "skip", items = "rows" } }), 2)
    equal(#walk(api("/b"), { offset = { param = "offset", first = 10 } }), 1)
    equal(#sent, 5)
    contains(failing(api("/c"), { offset = { param = "offset" } }).user_message,
      "The content is not a list: name the field of the list with 'items' of 'offset'")
    raises("'offset' needs 'param'", function() api("/a"):pages { offset = {} } end)
    raises("unknown setting 'step'", function() api("/a"):pages { offset = { param = "x", step = 1 } } end)
  end)

  it("PAG-74 of another kind than the first are an error", function()
    local api = site {
      ["/a?p=1"] = "[1]", ["/a?p=2"] = '{"error":"quota exceeded"}', ["/b?p=1"] = "[1]", ["/b?p=2"] = "null",
      ["/c"] = '{"data":[1],"next":"/v1/d"}', ["/d"] = '{"errors":[{"code":1}]}',
      ["/e"] = '{"kind":"list","items":[1],"next":"/v1/f"}', ["/f"] = '{"kind":"list"}',
    }
    local err, seen = failing(api("/a"), { page = { param = "p" } })
    equal(err.user_message, "Page 2 is an object with 'error' 'quota exceeded', but page 1 is a list")
    equal(#seen, 1)
    contains(failing(api("/c")).user_message, "Page 2 has 'errors' and no list 'data'")
    -- Google's way to say that there are none.
    equal(#walk(api("/e")), 2)
  end)

  it("PAG-80 say how they go on in the objects around the rows", function()
    local function message(body) return failing(site { ["/a"] = body } "/a").user_message end
    for body, field in pairs {
      ['{"data":{"items":[1],"nextPageToken":"abc"}}'] = "data.nextPageToken",
      ['{"data":{"items":[1],"next_cursor":"abc","has_more":true}}'] = "data.next_cursor",
      ['{"users":{"nodes":[1],"pageInfo":{"hasNextPage":true,"endCursor":"x"}}}'] = "users.pageInfo.endCursor",
      ['{"data":{"users":{"edges":[1],"pageInfo":{"hasNextPage":true,"endCursor":"x"}}}}'] =
        "data.users.pageInfo.endCursor",
      ['{"data":{"me":{"id":1,"posts":{"nodes":[1],"pageInfo":{"hasNextPage":true,"endCursor":"x"}}}},"errors":[]}'] =
        "data.me.posts.pageInfo.endCursor",
      ['{"result":{"rows":[1],"paging":{"next_cursor":"x"}}}'] = "result.paging.next_cursor",
      ['{"items":[1],"response":{"next_token":"x"}}'] = "response.next_token",
      ['{"items":[1],"response":{"meta":{"next_token":"x"}}}'] = "response.meta.next_token",
      ['{"users":{"list":[1],"next_cursor":"x"}}'] = "users.next_cursor",
      ['{"data":{"list":[1],"cursor":"x"}}'] = "data.cursor",
    } do
      contains(message(body), "field = \"" .. field .. "\"")
    end
    contains(message '{"data":{"list":[1,2],"total":9,"page":1,"pageSize":2}}', "'data.total' is 9")
    contains(message '{"users":{"nodes":[1],"totalCount":3}}', "'users.totalCount' is 3")
    for _, body in ipairs {
      '{"data":{"items":[1],"next_url":"/v1/b"}}', '{"data":{"items":[1],"links":{"next":"/v1/b"}}}',
      '{"users":{"items":[1],"pagination":{"next":"/v1/b"}}}', '{"items":[1],"response":{"next_url":"/v1/b"}}',
    } do
      equal(#walk(site { ["/a"] = body, ["/b"] = "{}" } "/a"), 2, body)
    end
    local cursor = { cursor = { param = "c", field = "data.nextPageToken" } }
    local api = site { ["/a"] = '{"data":{"items":[1],"nextPageToken":"x"}}', ["/a?c=x"] = '{"data":{"items":[2]}}' }
    equal(#walk(api "/a", cursor), 2)
  end)

  it("PAG-80 take nothing for a sign that has another meaning there", function()
    for _, body in ipairs {
      '{"data":{"id":1,"tags":["a"],"count":5,"size":10,"next":"b"}}', '{"data":{"type":"article","next":"b"}}',
      '{"data":{"id":1,"links":{"next":"/v1/b"}}}', '{"user":{"name":"x","tags":["a"],"count":5}}',
      '{"data":{"items":[1],"nextPageToken":null}}', '{"items":[1],"data":{"next":"Smith","last":"Jones"}}',
      '{"users":{"nodes":[1],"pageInfo":{"hasNextPage":false,"endCursor":"x"}}}',
      '{"name":"x","tags":["a"],"total":60}', '{"id":7,"items":[1],"total":60}',
      '[{"data":{"nextPageToken":"x"}}]', '{"items":[{"pageInfo":{"hasNextPage":true},"nodes":[]}]}',
    } do
      equal(#walk(site { ["/a"] = body } "/a"), 1, body)
    end
  end)

  it("PAG-81 go on past a flag that says nothing", function()
    for _, flag in ipairs { "null", '""' } do
      local api = site { ["/a"] = '{"data":[1],"has_more":' .. flag .. ',"next":"/v1/b"}', ["/b"] = '{"data":[2]}' }
      equal(#walk(api("/a")), 2)
      equal(#walk(site { ["/a"] = '{"data":[1],"has_more":' .. flag .. "}" } "/a"), 1)
    end
    for _, flag in ipairs { "false", "0", '"false"', '"0"' } do
      equal(#walk(site { ["/a"] = '{"data":[1],"has_more":' .. flag .. ',"next":"/v1/b"}' } "/a"), 1)
    end
    for _, flag in ipairs { "true", "1", '"true"', '"True"' } do
      local err = failing(site { ["/a"] = '{"data":[1],"meta":{"has_more":' .. flag .. "}}" } "/a")
      contains(err.user_message, "'meta.has_more' shows that there is another page")
    end
    local err = failing(site { ["/a"] = '{"data":[1],"isLast":false}' } "/a")
    contains(err.user_message, "'isLast' shows that there is another page")
  end)

  it("PAG-81 read the flags of tables that transformers make", function()
    local api = site { ["/a"] = '{"flag":null,"next":"/v1/b"}', ["/b"] = '{"flag":false,"next":"/v1/c"}' }
    api:transform("/**", function(content) return { has_more = content.flag, next = content.next } end)
    equal(#walk(api("/a")), 2)
  end)

  it("PAG-82 end with an error where the rows are fewer than their count", function()
    for answer, field in pairs {
      ['{"data":[1,2],"count":5}'] = "'count' is 5, but the list ends at element 2",
      ['{"data":[1,2],"total":5}'] = "'total' is 5, but the list ends at element 2",
      ['{"data":[1,2],"total_count":5}'] = "'total_count' is 5",
      ['{"users":[1,2],"total":5,"status":"ok"}'] = "'total' is 5",
      ['{"data":[1,2],"meta":{"total":5}}'] = "'meta.total' is 5",
    } do
      local err, seen = failing(site { ["/a"] = answer } "/a")
      contains(err.user_message, field)
      equal(#seen, 1)
    end
    local err = failing(site { ["/a?limit=2"] = '{"users":[1,2],"name":"x","count":5}' } "/a":with_param("limit", 2))
    contains(err.user_message, "pass offset = { param = \"offset\" }")
    err = failing(site { ["/a?page=2&per_page=2"] = '{"data":[1,2],"total":5}' }
      ("/a"):with_param("per_page", 2):with_param("page", 2))
    contains(err.user_message, "'total' is 5, but the list ends at element 4: pass page = { param = \"page\" }")
    equal(#walk(site { ["/a?page=3&per_page=2"] = '{"data":[1],"total":5}' }
      ("/a"):with_param("page", 3):with_param("per_page", 2)), 1)
    equal(#walk(site { ["/a?after=x"] = '{"data":[1],"total":5}' } "/a":with_param("after", "x")), 1)
  end)

  it("PAG-82 end with an error where a header says that there is more", function()
    local function of(headers) return site { ["/a"] = json("[1,2]", headers) } "/a" end
    contains(failing(of { ["X-Next-Cursor"] = "abc" }).user_message,
      "'X-Next-Cursor' is 'abc': there is another page, but its URL is not given: pass next = function(_, page)")
    contains(failing(of { ["Content-Range"] = "items 0-1/5" }).user_message,
      "'Content-Range' is 'items 0-1/5', but the list ends at element 2: pass cursor = {")
    for _, headers in ipairs {
      { ["X-Next-Cursor"] = "" }, { ["Content-Range"] = "items 0-1/2" }, { ["Content-Range"] = "items 0-1/*" },
      { ["Content-Range"] = "bytes 0-1/5" }, { ["Content-Range"] = "items */5" },
    } do
      equal(#walk(of(headers)), 1)
    end
    local api = site {
      ["/a"] = json("[1]", { ["X-Next-Cursor"] = "abc" }), ["/a?cursor=abc"] = json("[2]"),
    }
    equal(#walk(api("/a"), { next = function(_, page)
      local value = page.latest_data.headers["X-Next-Cursor"]
      return value and page:with_param("cursor", value)
    end }), 2)
  end)

  it("PAG-83 without the first page's list are an error", function()
    local function message(second, first)
      first = first or '{"data":[1],"status":"ok","ok":true,"error":0,"next":"/v1/b"}'
      return failing(site { ["/a"] = first, ["/b"] = second } "/a").user_message
    end
    equal(message '{"status":"fail","reason":"x"}', "Page 2 has 'reason' and no list 'data', which page 1 has")
    equal(message '{"data":"quota"}', "Page 2 has no list in 'data', but page 1 has one")
    equal(message '{"data":[],"error":"quota"}', "Page 2 has 'error' 'quota', which page 1 lacks")
    equal(message '{"data":[],"errors":[{"code":1}]}', "Page 2 has 'errors', which page 1 lacks")
    equal(message '{"ok":false}', "Page 2 has 'ok' false, and no rows")
    contains(message('{"data":{"reason":"x"}}', '{"data":{"items":[1]},"next":"/v1/b"}'),
      "Page 2 has 'reason' and no list 'data.items'")
    contains(message('{"data":"x"}', '{"data":{"items":[1]},"next":"/v1/b"}'), "'data' is not an object")
    contains(message('{"error":"quota"}', '{"a":[1],"b":[2],"next":"/v1/b"}'), "Page 2 has 'error' 'quota'")
  end)

  it("PAG-83 without rows end the list", function()
    for _, second in ipairs {
      '{"status":"ok"}', "{}", '{"data":null}', '{"data":[],"errors":[]}', '{"data":[],"error":null}',
      '{"data":[2],"errors":[{"code":1}]}',
    } do
      equal(#walk(site { ["/a"] = '{"data":[1],"status":"ok","next":"/v1/b"}', ["/b"] = second } "/a"), 2, second)
    end
    for _, second in ipairs { "null", { status = 204, headers = {}, body = "" } } do
      equal(#walk(site { ["/a"] = '{"data":[1],"next":"/v1/b"}', ["/b"] = second } "/a"), 1)
    end
  end)

  it("PAG-84 follow a cursor in every form of a URL", function()
    local cursor = { cursor = { param = "c", field = "c" } }
    for _, value in ipairs { "/v1/a/2", "a?c=2", " https://api.test/v1/b ", "//api.test/v1/b", "?c=2", "/v1/x?y" } do
      local api, sent = spec.fake(function(http)
        return json(http.url == base .. "/a" and '{"c":"' .. value .. '"}' or "{}")
      end)
      equal(#walk(api("/a"), cursor), 2, value)
      spec.excludes(sent[2].url, "c=%")
      spec.excludes(sent[2].url, "c=h")
    end
    for _, value in ipairs { "//evil.test/x", " http://evil.test/x", "//evil/x", "http://evil.test" } do
      contains(failing(site { ["/a"] = '{"c":"' .. value .. '"}' } "/a", cursor).user_message, "on another origin")
    end
    for _, value in ipairs { "mailto:a@b.test", "javascript:x", "gopher://x/y" } do
      contains(failing(site { ["/a"] = '{"c":"' .. value .. '"}' } "/a", cursor).user_message, "neither http nor https")
    end
    for _, value in ipairs {
      "/8aG+d==", "//8aG+d=", "//8+", "id:17", "2024-01-01T00:00:00Z", "a/b", "/v1/ab", "abc?", "x=1&y=2",
    } do
      local api, sent = spec.fake(function(http)
        return json(http.url == base .. "/a" and '{"c":"' .. value .. '"}' or "{}")
      end)
      equal(#walk(api("/a"), cursor), 2, value)
      contains(sent[2].url, "/v1/a?c=")
    end
  end)

  it("PAG-85 with the rows of the page before are an error", function()
    local function repeating(from, options)
      local n = 0
      local api = spec.fake(function()
        n = n + 1
        local page = math.min(n, from)
        return json('{"now":' .. n .. ',"data":[{"id":' .. page .. "}]}")
      end)
      local err, seen = failing(api("/a"), options)
      return err.user_message, #seen
    end
    local message, count = repeating(1, { page = { param = "p" } })
    equal(message, "Page 2 has the same rows as page 1: the server seems to ignore the parameter 'p', "
      .. "or to repeat its last page")
    equal(count, 1)
    message, count = repeating(3, { page = { param = "p", items = "data" } })
    contains(message, "Page 4 has the same rows as page 3")
    equal(count, 3)
    message, count = repeating(3, { offset = { param = "o" } })
    contains(message, "ignore the parameter 'o'")
    equal(count, 3)
  end)

  it("PAG-86 of one line are lines after a page of lines", function()
    local api = site {
      ["/a"] = json('{"n":1}\n{"n":2}\n', { Link = "</v1/b>; rel=next" }),
      ["/b"] = json('{"n":3}\n{"n":4}\n', { Link = "</v1/c>; rel=next" }),
      ["/c"] = json('{"n":5}\n', { Link = "</v1/d>; rel=next" }), ["/d"] = json(""),
    }
    same(walk(api("/a")), { '[{"n":1},{"n":2}]', '[{"n":3},{"n":4}]', '[{"n":5}]' })
  end)

  it("PAG-87 of JSON that was read as text are an error", function()
    local function of(type, body, link)
      local headers = { ["Content-Type"] = type, Link = link }
      return { status = 200, headers = headers, body = body }
    end
    for type, body in pairs {
      ["text/plain"] = '{"next":"/v1/b"}', ["application/octet-stream"] = ' [{"id":1}]', ["text/html"] = "[1]",
    } do
      local err, seen = failing(site { ["/a"] = of(type, body) } "/a")
      equal(err.user_message, "The content is " .. type
        .. ", but it is JSON, whose fields may name the next page: configure response_type = \"json\"")
      equal(#seen, 1)
    end
    equal(#walk(site { ["/a"] = of("text/plain", "{no JSON}") } "/a"), 1)
    equal(#walk(site { ["/a"] = of("text/plain", "[1]", "</v1/b>; rel=next"), ["/b"] = of("text/plain", "x") } "/a"), 2)
    local text = site({ ["/a"] = of("text/plain", "[1]") }, { response_type = "text" })
    equal(#walk(text("/a")), 1)
    local api = site({ ["/a"] = of("text/plain", '{"next":"/v1/b"}'), ["/b"] = "{}" }, { response_type = "json" })
    equal(#walk(api("/a")), 2)
  end)

  it("change only their own parameter, in its place", function()
    local api, sent = site {
      ["/a?tag=a&tag=b&q=c+d&x=&%7e"] = '{"cursor":"q&r"}',
      ["/a?tag=a&tag=b&q=c+d&x=&%7e&cursor=q%26r"] = '{"cursor":17}',
      ["/a?tag=a&tag=b&q=c+d&x=&%7e&cursor=17"] = '{"cursor":""}',
      ["/b?b=2&c%75rsor=0&a=1&cursor=9&a=1"] = '{"cursor":"x"}',
      ["/b?b=2&cursor=x&a=1&a=1"] = "{}",
      ["/c?z=1&page=1&a=+"] = "[1]", ["/c?z=1&page=2&a=+"] = "[2]", ["/c?z=1&page=3&a=+"] = "[]",
    }
    local function urls(from, options)
      local seen = {}
      for _, page in api:resource_at(base .. from):pages(options) do
        seen[#seen + 1] = page.url:sub(#base + 1)
      end
      return seen
    end
    local cursor = { cursor = { param = "cursor", field = "cursor" } }
    same(urls("/a?tag=a&tag=b&q=c+d&x=&%7e", cursor), {
      "/a?tag=a&tag=b&q=c+d&x=&%7e", "/a?tag=a&tag=b&q=c+d&x=&%7e&cursor=q%26r",
      "/a?tag=a&tag=b&q=c+d&x=&%7e&cursor=17",
    })
    same(urls("/b?b=2&c%75rsor=0&a=1&cursor=9&a=1", cursor),
      { "/b?b=2&c%75rsor=0&a=1&cursor=9&a=1", "/b?b=2&cursor=x&a=1&a=1" })
    same(urls("/c?z=1&page=7&a=+", { page = { param = "page" } }), { "/c?z=1&page=1&a=+", "/c?z=1&page=2&a=+" })
    equal(#sent, 8)
  end)

  it("keep a secret in the query, and the rest of it as it is", function()
    local sent = {}
    local api = spec.fake(function(http)
      sent[#sent + 1] = http.url:sub(#base + 1)
      local links = { "?tag=a&tag=b&key=masked&page=2&q=c+d", "?tag=a&key=masked&tag=b&page=3&q=c+d" }
      return json("[]", links[#sent] and { Link = "<" .. links[#sent] .. ">; rel=next" })
    end)
    walk(api("/a"):with_param("key", lull.secret { env = "HOME" }))
    equal(#sent, 3)
    contains(sent[2], "/a?tag=a&tag=b&key=")
    equal(sent[2]:sub(-#"&page=2&q=c+d"), "&page=2&q=c+d")
    contains(sent[3], "/a?tag=a&key=")
    equal(sent[3]:sub(-#"&tag=b&page=3&q=c+d"), "&tag=b&page=3&q=c+d")
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
    contains(err.user_message, "on another origin, https://elsewhere.test, which 'cross_origin' allows")
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

  it("CFG-02 at another origin, without the headers of the service", function()
    local api, sent = spec.fake(function(http)
      return json(http.url:find("elsewhere", 1, true) and "{}" or '{"next":"https://elsewhere.test/x"}')
    end, { headers = { Authorization = "Bearer t", Accept = "a/b" } })
    equal(#walk(api("/a"), { cross_origin = true }), 2)
    local first, second = sent[1].headers, sent[2].headers
    equal(first.authorization, "Bearer t")
    equal(second.authorization, nil)
    equal(second.accept, "a/b")
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
    contains(err.user_message, "The pages repeat: after page 2 comes /a again")
  end)

  it("beyond 100, unless `max` is given", function()
    local api = spec.fake(function(http)
      return json('{"next":"?n=' .. (tonumber(http.url:match("%d+$")) or 1) + 1 .. '"}')
    end)
    local err, seen = failing(api("/a?n=1"))
    equal(#seen, 100)
    contains(err.user_message, "There are more than 100 pages: set how many to load with 'max'")
    equal(#walk(api("/a?n=1"), { max = 3 }), 3)
    equal(#walk(api("/a?n=1"), { max = 120 }), 120)
  end)

  it("when the next one is no URL but a cursor", function()
    local api = site { ["/a"] = '{"next":"c2Vjb25k"}' }
    contains(failing(api("/a")).user_message,
      "'next' is 'c2Vjb25k': there is another page, but its URL is not given: "
        .. 'pass cursor = { param = "cursor", field = "next" }')
    contains(failing(api("/a"), { next = "next" }).user_message,
      [['next' is 'c2Vjb25k', which is not a URL; if it is a cursor, pass cursor = { param = "cursor"]])
  end)

  it("when a Link header speaks of a next page and cannot be read", function()
    for _, link in ipairs {
      "</v1/b; rel=next", "/v1/b; rel=next", "</v1/x, </v1/b>; rel=next", "</v1/b>; rel='next'",
      '</v1/b>; rel="next', '</v1/b>; title="a; rel=next',
    } do
      local api, sent = site { ["/a"] = json("{}", { Link = link }), ["/b"] = "{}" }
      for _, options in ipairs { {}, { next = "link" } } do
        contains(failing(api("/a"), options).user_message,
          "The Link header has a next page that cannot be parsed: '")
      end
      equal(#sent, 1)
    end
  end)

  it("when the next one is no URL, has no host, or is the page itself", function()
    for link, message in pairs {
      ["http://[/"] = "The next page's URL 'http://[/' is not a URL",
      ["http:///b"] = "is not a URL",
      ["mailto:a@b.test"] = "is neither http nor https",
      [""] = "The pages repeat: after page 1 comes /a again",
      ["#more"] = "The pages repeat: after page 1 comes /a again",
    } do
      local api = site { ["/a"] = json("{}", { Link = "<" .. link .. ">; rel=next" }) }
      contains(failing(api("/a")).user_message, message)
    end
  end)

  it("when a field that should hold a URL is an object without one", function()
    for _, body in ipairs {
      '{"next":{"page":2}}', '{"links":{"next":{"href":{}}}}', '{"next":{"href":true}}',
    } do
      local api = site { ["/a"] = body }
      local message = failing(api("/a")).user_message
      spec.check(message:find("is an object without a URL in 'href'", 1, true) or message:find("is not a URL", 1, true),
        message)
    end
  end)

  it("when the cursor is a number whose digits are lost", function()
    local api = site { ["/a"] = '{"c":1.2345678901234567e19}', ["/b"] = '{"c":9007199254740993}',
      ["/b?c=9007199254740993"] = "{}", ["/c"] = '{"c":12345678901234567890}',
      ["/c?c=12345678901234567890"] = "{}" }
    equal(#walk(api("/c"), { cursor = { param = "c", field = "c" } }), 2)
    contains(failing(api("/a"), { cursor = { param = "c", field = "c" } }).user_message,
      "The cursor 'c' is a number too large to be sent exactly")
    equal(#walk(api("/b"), { cursor = { param = "c", field = "c" } }), 2)
  end)

  it("PAG-02 when it is said that there is more, and not how to come to it", function()
    local cursor = { param = "after", field = "id", items = "data", more = "has_more" }
    for answer, message in pairs {
      ['{"data":[{"id":1}]}'] = "The content has no 'has_more'",
      ['{"data":[{"id":1}],"has_more":"yes"}'] = "'has_more' is neither true nor false",
      ['{"data":[{"id":1}],"has_more":1}'] = "'has_more' is neither true nor false",
      ['{"data":[],"has_more":true}'] = "'has_more' is true, but 'data' is empty",
      ['{"data":[{"id":1},{"ID":2}],"has_more":true}'] = "no cursor 'id' of the last element of 'data'",
      ['{"data":{"id":1},"has_more":true}'] = "is not a list",
      ['{"has_more":true}'] = "is not a list",
      ['{"data":[{"id":{}}],"has_more":true}'] = "neither a string nor a number",
      ['{"data":[{"id":1e300}],"has_more":true}'] = "too large",
    } do
      local err = failing(site { ["/a"] = answer } "/a", { cursor = cursor })
      contains(err.user_message, message)
    end
    local options = { cursor = { param = "c", field = "x", more = "more" } }
    local err = failing(site { ["/a"] = '{"more":true}' } "/a", options)
    contains(err.user_message, "There is no cursor 'x'")
    err = failing(site { ["/a"] = '[{"id":1},{}]' } "/a", { cursor = { param = "c", field = "id", items = "" } })
    contains(err.user_message, "no cursor 'id' of the last element of the content")
    err = failing(site { ["/a"] = '{"a":1}' } "/a", { cursor = { param = "c", field = "id", items = "" } })
    contains(err.user_message, "is not a list")
  end)

  it("when what should have a field has none, being no JSON", function()
    local function html() return spec.answer("text/html", "<p>Sorry</p>") end
    local api = site {
      ["/a"] = '{"next":"/v1/b","c":1,"data":[1]}', ["/b"] = html(), ["/a?c=1"] = html(), ["/a?p=2"] = html(),
      ["/a?p=1"] = '{"data":[1]}',
    }
    for _, options in ipairs {
      { next = "next" }, { cursor = { param = "c", field = "c" } }, { page = { param = "p", items = "data" } },
    } do
      local err, seen = failing(api("/a"), options)
      equal(err.user_message, "Page 2 is text, but page 1 is an object")
      equal(#seen, 1)
      err = failing(api("/b"), options)
      if options.page then
        equal(err.http_status, 404)
      else
        contains(err.user_message, "The content is text/html, which has no field '")
      end
    end
  end)

  it("when what they go by is something else", function()
    local api = site { ["/a"] = '{"next":true,"cursor":[1],"http":"http://[/"}', ["/a?page=1"] = '{"data":"x"}' }
    contains(failing(api("/a")).user_message, "'next' is not a URL")
    contains(failing(api("/a"), { next = "http" }).user_message, "is not a URL")
    contains(failing(api("/a"), { cursor = { param = "c", field = "cursor" } }).user_message,
      "The cursor 'cursor' is neither a string nor a number")
    contains(failing(api("/a"), { page = { param = "page" } }).user_message, "The content is not a list")
    contains(failing(api("/a"), { page = { param = "page", items = "data" } }).user_message, "is not a list")
    contains(failing(api("/a"), { next = function() return 7 end }).user_message,
      "'next' of pages must return a URL, a Resource or nil, got 7")
  end)

  it("that the function raises", function()
    local api = site { ["/a"] = "{}" }
    local marker = {}
    equal(failing(api("/a"), { next = function() error(marker) end }), marker)
    contains(failing(api("/a"), { next = function() lull.sleep(0) end }),
      "cannot wait inside a next function of pages: it must return at once")
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
    raises("another coroutine is already waiting for these pages", function() pages() end)
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
    raises("'cursor' and 'next' cannot be combined", function()
      a:pages { next = "x", cursor = { param = "a", field = "b" } }
    end)
    raises("'cursor' must be a table, got 'x'", function() a:pages { cursor = "x" } end)
    raises("'cursor' needs 'param'", function() a:pages { cursor = { param = "x" } } end)
    raises("'more' must name a field", function() a:pages { cursor = { param = "x", field = "y", more = "" } } end)
    raises("'field' must name a field", function() a:pages { cursor = { param = "x", field = "" } } end)
    raises("unknown setting 'item' (did you mean 'items'?)", function()
      a:pages { cursor = { param = "x", field = "y", item = "z" } }
    end)
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
