-- Where parameters of declared calls go, and how they are written there. (OpenAPI 3.1.1, "Style Examples")
local lull = require "lull"
local spec = ...
local describe, it, equal = spec.describe, spec.it, spec.equal
local contains, raises = spec.contains, spec.raises
local folder = spec.temporary_folder

-- A file with calls, gone afterwards; its service answers with what it has been asked.
local function file(calls)
  local dir, guard = folder()
  local path = dir .. "/x.lua"
  assert(lull.write_file(path, [[
local lull = require "lull"
local api = lull.service{ base_url = "https://a.example/v1", headers = { Cookie = "site=1" },
  networking = function(http)
    return { json = { url = http.url, method = http.method, body = http.body or lull.null,
      type = http.headers["content-type"] or lull.null, header = http.headers["x-p"] or lull.null,
      cookie = http.headers.cookie or lull.null } }
  end }
return { service = api, calls = {
]] .. calls .. "\n} }"))
  return path, guard
end

local function declared(calls)
  local path, guard = file(calls)
  return lull.api(path).calls, guard
end

local function sent(call, params) return assert(call(params):await()).content end

-- A call with one parameter `color`.
local function one(path, parameter, more)
  return ("one = { path = '%s', params = { color = %s }%s }"):format(path, parameter, more or "")
end

local hush = lull.secret{ command = "printf 'hush+/='" }
local list, object = { "blue", "black", "brown" }, { R = 100, G = 200, B = 150 }

describe("parameters of calls", function()
  it("PAR-01 in a path are written by their style", function()
    for _, case in ipairs {
      { "{}", "blue", "blue" },
      { "{ type = 'string[]' }", list, "blue,black,brown" },
      { "{ type = 'string[]', explode = true }", list, "blue,black,brown" },
      { "{ type = 'object' }", object, "B,150,G,200,R,100" },
      { "{ type = 'object', explode = true }", object, "B=150,G=200,R=100" },
      { "{ style = 'label' }", "blue", ".blue" },
      { "{ type = 'string[]', style = 'label' }", list, ".blue,black,brown" },
      { "{ type = 'string[]', style = 'label', explode = true }", list, ".blue.black.brown" },
      { "{ type = 'object', style = 'label' }", object, ".B,150,G,200,R,100" },
      { "{ type = 'object', style = 'label', explode = true }", object, ".B=150.G=200.R=100" },
      { "{ style = 'matrix' }", "blue", ";color=blue" },
      { "{ style = 'matrix' }", "", ";color" },
      { "{ type = 'string[]', style = 'matrix' }", list, ";color=blue,black,brown" },
      { "{ type = 'string[]', style = 'matrix', explode = true }", list, ";color=blue;color=black;color=brown" },
      { "{ type = 'object', style = 'matrix' }", object, ";color=B,150,G,200,R,100" },
      { "{ type = 'object', style = 'matrix', explode = true }", object, ";B=150;G=200;R=100" },
      { "{ list = true, explode = true, style = 'label' }", { "a.b", "c/d" }, ".a%2Eb.c%2Fd" },
      { "{}", "a/b,c", "a%2Fb%2Cc" },
      { "{ reserved = true }", "a/b,c?#", "a/b,c%3F%23" },
      { "{ list = true, reserved = true }", { "a/b", "c,d" }, "a/b,c%2Cd" },
    } do
      local calls, _ <close> = declared(one("/x/{color}", case[1]))
      equal(calls.one:resource{ color = case[2] }.url, "https://a.example/v1/x/" .. case[3])
    end
  end)

  it("PAR-02 in a query are written by their style", function()
    for _, case in ipairs {
      { "{}", "blue", "?color=blue" },
      { "{}", "", "?color=" },
      { "{ list = true }", list, "?color=blue&color=black&color=brown" },
      { "{ list = true, explode = false }", list, "?color=blue,black,brown" },
      { "{ type = 'object' }", object, "?B=150&G=200&R=100" },
      { "{ type = 'object', explode = false }", object, "?color=B,150,G,200,R,100" },
      { "{ list = true, style = 'spaceDelimited' }", list, "?color=blue%20black%20brown" },
      { "{ type = 'object', style = 'spaceDelimited' }", object, "?color=B%20150%20G%20200%20R%20100" },
      { "{ list = true, style = 'pipeDelimited' }", list, "?color=blue%7Cblack%7Cbrown" },
      { "{ type = 'object', style = 'pipeDelimited' }", object, "?color=B%7C150%7CG%7C200%7CR%7C100" },
      { "{ list = true, style = 'pipeDelimited', explode = true }", list, "?color=blue&color=black&color=brown" },
      { "{ type = 'object', style = 'deepObject' }", object,
        "?color%5BB%5D=150&color%5BG%5D=200&color%5BR%5D=100" },
      { "{ list = true, style = 'deepObject' }", list, "?color%5B%5D=blue&color%5B%5D=black&color%5B%5D=brown" },
      { "{ list = true }", {}, "" },
      { "{ type = 'object' }", {}, "" },
      { "{ type = 'object', style = 'deepObject' }", {}, "" },
      { "{ list = true, explode = false }", { "" }, "?color=" },
      { "{ list = true, explode = false }", { "a,b", "c&d" }, "?color=a%2Cb,c%26d" },
      { "{ type = 'integer[]' }", { 1, 2 }, "?color=1&color=2" },
      { "{ type = 'boolean[]' }", { true, false }, "?color=true&color=false" },
      { "{ type = { 'a', 'b' }, list = true }", { "b" }, "?color=b" },
      { "{ type = 'json' }", { b = 1 }, "?color=%7B%22b%22:1%7D" },
      { "{ name = 'filter[x]' }", "y", "?filter%5Bx%5D=y" },
      { "{ reserved = true }", "a/b?c=d&e+f#", "?color=a/b?c=d%26e%2Bf%23" },
      { "{ list = true, explode = false, reserved = true }", { "a:b", "c,d" }, "?color=a:b,c%2Cd" },
    } do
      local calls, _ <close> = declared(one("/x", case[1]))
      equal(calls.one:resource{ color = case[2] }.url, "https://a.example/v1/x" .. case[3])
    end
  end)

  it("PAR-02 in a query stand beside what the path has", function()
    local calls, _ <close> = declared([[ one = { path = "/x?kind=all&color=red", params = {
      color = "string[]", size = "integer" } } ]])
    equal(calls.one:resource{ color = list, size = 3 }.url,
      "https://a.example/v1/x?kind=all&color=red&color=blue&color=black&color=brown&size=3")
  end)

  it("PAR-03 in headers and cookies are written by their style", function()
    for _, case in ipairs {
      { "{ place = 'header', name = 'X-P' }", "blue", "header", "blue" },
      { "{ place = 'header', name = 'X-P', list = true }", list, "header", "blue,black,brown" },
      { "{ place = 'header', name = 'X-P', type = 'object' }", object, "header", "B,150,G,200,R,100" },
      { "{ place = 'header', name = 'X-P', type = 'object', explode = true }", object, "header", "B=150,G=200,R=100" },
      { "{ place = 'header', name = 'X-P', type = 'json' }", { "é", 1 }, "header", [=[["\u00e9",1]]=] },
      { "{ place = 'header', name = 'X-P', list = true }", {}, "header", lull.null },
      { "{ place = 'cookie' }", "a b;c", "cookie", "site=1; color=a%20b%3Bc" },
      { "{ place = 'cookie', reserved = true }", "a+b/c==;", "cookie", "site=1; color=a+b/c==%3B" },
      { "{ place = 'cookie', list = true }", list, "cookie", "site=1; color=blue&color=black&color=brown" },
      { "{ place = 'cookie', list = true, explode = false }", list, "cookie", "site=1; color=blue,black,brown" },
      { "{ place = 'cookie', type = 'object', explode = false }", object, "cookie",
        "site=1; color=B,150,G,200,R,100" },
      { "{ place = 'cookie', type = 'object' }", object, "cookie", "site=1; B=150&G=200&R=100" },
    } do
      local calls, _ <close> = declared(one("/x", case[1]))
      equal(sent(calls.one, { color = case[2] })[case[3]], case[4])
    end
  end)

  it("PAR-04 in bodies are written by the body's form", function()
    for _, case in ipairs {
      { "{ list = true }", "", list, '{"color":["blue","black","brown"]}', "application/json" },
      { "{ list = true }", "", {}, '{"color":[]}', "application/json" },
      { "{ type = 'object' }", "", object, '{"color":{"B":150,"G":200,"R":100}}', "application/json" },
      { "{ type = 'object' }", "", { a = { b = 1 } }, '{"color":{"a":{"b":1}}}', "application/json" },
      { "{ type = 'json[]' }", "", { { a = 1 }, "x" }, '{"color":[{"a":1},"x"]}', "application/json" },
      { "{ list = true }", "body = 'form'", list, "color=blue&color=black&color=brown",
        "application/x-www-form-urlencoded" },
      { "{ list = true, explode = false }", "body = 'form'", list, "color=blue,black,brown",
        "application/x-www-form-urlencoded" },
      { "{ type = 'object', style = 'deepObject' }", "body = 'form'", object,
        "color%5BB%5D=150&color%5BG%5D=200&color%5BR%5D=100", "application/x-www-form-urlencoded" },
      { "{ type = 'json' }", "body = 'form'", { a = 1 }, "color=%7B%22a%22%3A1%7D",
        "application/x-www-form-urlencoded" },
      { "{ type = 'json', whole = true }", "", { a = 1 }, '{"a":1}', "application/json" },
      { "{ type = 'string', whole = true }", "", "a", '"a"', "application/json" },
      { "{ list = true, whole = true }", "", list, '["blue","black","brown"]', "application/json" },
      { "{ type = 'json', whole = true }", "content_type = 'application/merge-patch+json'", { a = 1 }, '{"a":1}',
        "application/merge-patch+json" },
      { "{ whole = true }", "body = 'raw', content_type = 'text/csv'", "a,b\n1,2\n", "a,b\n1,2\n", "text/csv" },
      { "{ whole = true }", "body = 'raw'", "text", "text", "text/plain; charset=utf-8" },
    } do
      local calls, _ <close> = declared(one("/x", case[1], ", method = 'POST', " .. case[2]))
      local got = sent(calls.one, { color = case[3] })
      equal(got.body, case[4])
      equal(got.type, case[5])
    end
  end)

  it("PAR-04 any method has a body for those that stand there", function()
    local calls, _ <close> = declared([[ one = { path = "/x", method = "DELETE", params = {
      ids = { type = "integer[]", place = "body" }, why = "string" } } ]])
    local got = sent(calls.one, { ids = { 1, 2 }, why = "old" })
    equal(got.url, "https://a.example/v1/x?why=old")
    equal(got.body, '{"ids":[1,2]}')
    equal(got.method, "DELETE")
  end)

  it("PAR-05 have names of their own on the wire", function()
    local calls, _ <close> = declared([[ one = { path = "/x/{id}", method = "POST", params = {
      id = "integer", id_query = { name = "id", place = "query" }, id_body = { name = "id" },
      id_header = { name = "X-P", place = "header" } } } ]])
    local got = sent(calls.one, { id = 1, id_query = "2", id_body = "3", id_header = "4" })
    equal(got.url, "https://a.example/v1/x/1?id=2")
    equal(got.body, '{"id":"3"}')
    equal(got.header, "4")
    local other, _ <close> = declared([[ one = { path = "/x/{id}", params = {
      key = { name = "id", place = "path" }, id = { place = "query" } } } ]])
    equal(other.one:resource{ key = "a", id = "b" }.url, "https://a.example/v1/x/a?id=b")
  end)

  it("PAR-06 files are parts of multipart forms, or bodies", function()
    local dir, _ <close> = folder()
    assert(lull.write_file(dir .. "/a.txt", "content"))
    local calls, _ <close> = declared([[
      form = { path = "/x", method = "POST", body = "multipart", params = {
        note = "string", files = "file[]", tags = "string[]", data = "json" } },
      whole = { path = "/x", method = "PUT", body = "raw", params = { data = { type = "file", whole = true } } },
    ]])
    local resource = calls.form:resource{}
    equal(resource.url, "https://a.example/v1/x")
    raises("parameter 'files' must be a list of files, got 'a'", function() calls.form{ files = "a" } end)
    raises("parameter 'files' must be the path of a file, got 1", function() calls.form{ files = { 1 } } end)
    local form = sent(calls.form, { note = "hello", files = { dir .. "/a.txt", lull.file(dir .. "/a.txt") },
      tags = { "x", "y" }, data = { 1 } })
    contains(form.type, "multipart/form-data; boundary=")
    local whole = sent(calls.whole, { data = dir .. "/a.txt" })
    equal(whole.type, "text/plain")
    equal(whole.method, "PUT")
  end)

  it("PAR-07 that cannot be written are refused", function()
    local calls, _ <close> = declared([[
      path = { path = "/x/{ids}", params = { ids = "string[]" } },
      open = { path = "/x/{p}/y", params = { p = { reserved = true } } },
      label = { path = "/x/{p}", params = { p = { style = "label" } } },
      space = { path = "/x", params = { ids = { list = true, style = "spaceDelimited" } } },
      pipe = { path = "/x", params = { ids = { type = "object", style = "pipeDelimited" } } },
      need = { path = "/x", params = { ids = { list = true, required = true } } },
      deep = { path = "/x", params = { f = "object", page = "integer" } },
      header = { path = "/x", params = { h = { place = "header" }, l = { place = "header", list = true },
        o = { place = "header", type = "object", explode = true } } },
    ]])
    for _, case in ipairs {
      { "path", { ids = {} }, "is in the path and cannot be an empty list" },
      { "path", { ids = { "" } }, "is in the path and cannot be ''" },
      { "open", { p = "a/../b" }, "cannot be 'a/../b'" },
      { "label", { p = "" }, "is in the path and cannot be ''" },
      { "label", { p = "." }, "cannot be '.'" },
      { "path", { ids = "a" }, "parameter 'ids' must be a list of strings, got 'a'" },
      { "path", { ids = { a = 1 } }, "parameter 'ids' must be a list of strings, got a table with the field 'a'" },
      { "path", { ids = { "a", {} } }, "parameter 'ids' must be a string, got table" },
      { "path", { ids = { "a", [3] = "b" } }, "parameter 'ids' must be a list of strings, but element 2" },
      { "path", { ids = { hush } }, "parameter 'ids': a secret cannot be in a list" },
      { "space", { ids = { "a b" } }, "cannot have a space in 'a b'" },
      { "pipe", { ids = { ["a|b"] = 1 } }, "cannot have '|' in 'a|b'" },
      { "need", { ids = {} }, "is required: an empty list sends nothing in a query" },
      { "need", {}, "call 'need' needs the parameter 'ids'" },
      { "deep", { f = { page = 1 } }, "cannot have the field 'page': it would be sent as the parameter" },
      { "deep", { f = { a = {} } }, "cannot have lists or tables as fields in a query" },
      { "deep", { f = "x" }, "parameter 'f' must be a table of names and strings, numbers or booleans, got 'x'" },
      { "deep", { f = { "x" } },
        "parameter 'f' must be a table of names and strings, numbers or booleans, got the field 1" },
      { "deep", { f = { a = hush } }, "parameter 'f': a secret cannot be in a table" },
      { "header", { h = "a\r\nX: 1" }, "is in a header and must not contain line breaks" },
      { "header", { h = "é" }, "is in a header and must be ASCII, got 'é'" },
      { "header", { h = " a" }, "is in a header and must not begin or end with a space" },
      { "header", { l = { "a,b" } }, "cannot have ',' in 'a,b'" },
      { "header", { l = { "a ", "b" } }, "cannot have 'a' as a part" },
      { "header", { o = { ["a=b"] = 1 } }, "cannot have the field 'a=b'" },
    } do
      raises(case[3], function() calls[case[1]]:resource(case[2]) end)
    end
  end)

  it("PAR-08 that have no meaning are refused at their line", function()
    local function problem(calls)
      local path, _ <close> = file(calls)
      local fine, message = pcall(function() return pairs(lull.api(path).calls) end)
      equal(fine, false)
      return (tostring(message):gsub(path:gsub("%p", "%%%0"), "FILE"))
    end
    for _, case in ipairs {
      { "{\n style = 'deepObject', place = 'header' }", "",
        "FILE:10: call 'one': parameter 'color' is in a header, where the style cannot be \"deepObject\"" },
      { "{ type = 'object',\n style = 'label' }", "",
        "FILE:10: call 'one': parameter 'color' is in a query, where the style cannot be"
        .. " \"label\", only form, spaceDelimited, pipeDelimited or deepObject" },
      { "{ style = 'spaceDelimited' }", "",
        "FILE:9: call 'one': parameter 'color' has a single value: \"spaceDelimited\" is a style for lists" },
      { "{ type = 'object', style = 'pipeDelimited', explode = true }", "", "which cannot explode" },
      { "{ type = 'object', style = 'deepObject', explode = false }", "", "which needs explode = true" },
      { "{ place = 'header', reserved = true }", "", "where nothing is escaped: 'reserved' has no effect" },
      { "{ place = 'header', name = 'a b' }", "", "is in a header, but 'a b' is not a valid header name" },
      { "{ place = 'cookie', name = 'a;b' }", "", "is in a cookie, but 'a;b' is not a valid cookie name" },
      { "{ place = 'path' }", "", "has place = \"path\", but the path has no {color}" },
      { "{ place = 'pth' }", "",
        "'place' must be path, query, header, cookie or body, got 'pth' (did you mean 'path'?)" },
      { "{ style = 'deepobject' }", "", "(did you mean 'deepObject'?)" },
      { "{ explode = 1 }", "", "'explode' must be true or false, got 1" },
      { "{ name = '' }", "", "'name' must not be empty" },
      { "{ type = 'file' }", "", "is a file, which needs body = \"multipart\"" },
      { "{ type = 'file', default = 'x' }", "", "is a file and cannot have a default" },
      { "{ type = 'file', place = 'query' }", "body = 'multipart'", "is a file, which needs body = \"multipart\"" },
      { "{ type = 'json[]' }", "", "cannot be a list of JSON in a query: use \"json\", which allows lists" },
      { "{ type = 'json', style = 'form' }", "", "is JSON, where 'style' has no effect" },
      { "{ type = 'object[]' }", "", "cannot be a list of objects: use \"json\"" },
      { "{ explode = true }", "method = 'POST'",
        "is part of a body that is not a form, where 'explode' has no effect" },
      { "{ style = 'simple' }", "method = 'POST', body = 'form'", "where the style cannot be \"simple\"" },
      { "{ whole = true }", "method = 'POST', body = 'form'",
        "cannot be the whole body: body = \"form\" has named fields" },
      { "{ whole = true, place = 'query' }", "", "is the whole body and cannot be in a query" },
      { "{ whole = true, name = 'x' }", "", "is the whole body, where 'name' has no effect" },
      { "{ whole = true }, other = { place = 'body' }", "", "is the whole body, but 'other' is in the body too" },
      { "{}", "method = 'POST', body = 'raw'", "is in the body, but body = \"raw\" takes only one parameter" },
      { "{ type = 'object', whole = true }", "body = 'raw'",
        "is a raw body, which must be text, JSON or a file" },
      { "{}, other = { name = 'color' }", "", "parameters 'color' and 'other' are both 'color' in a query" },
      { "{ place = 'header' }, other = { name = 'Color', place = 'header' }", "", "are both 'Color' in a header" },
      { "{}", "method = 'POST', body = 'form', content_type = 'text/x'",
        "'content_type' is for JSON and raw bodies" },
      { "{}", "content_type = 'a\\nb'", "'content_type' must not contain line breaks" },
      { "{ type = 'object', default = { a = {} } }", "", "cannot have lists or tables as fields" },
      { "{ list = true, default = { 1, {} } }", "", "parameter 'color' must be a string, got table" },
      { "'integr[]'", "", "has the unknown type 'integr[]' (did you mean 'integer'?)" },
    } do
      contains(problem(one("/x", case[1], ", " .. case[2])), case[3])
    end
    contains(problem("one = { path = '/x/{color}', params = { color = { place = 'query' } } }"),
      "FILE:9: call 'one': its path has the parameter 'color', but 'params' puts it in a query")
  end)

  it("PAR-09 tell where they go, and of which type they are", function()
    local calls, _ <close> = declared([[ one = { path = "/x/{id}", method = "POST", params = {
      id = "integer", ids = { type = "integer[]", place = "query", required = true },
      kind = { type = { "cat", "dog" }, list = true }, trace = { place = "header" },
      session = { place = "cookie" }, f = "object" } } ]])
    local lines = {}
    for _, param in ipairs(calls.one.params) do
      lines[#lines + 1] = ("%s %s %s %s"):format(param.name, param.type, param.place, param.required)
    end
    equal(table.concat(lines, "\n"), [[
id integer path true
ids integer[] query true
kind list of cat or dog body false
trace string header false
session string cookie false
f object body false]])
  end)

  it("PAR-10 may be secrets wherever there is one value", function()
    local path, _ <close> = file([[
      query = { path = "/x", params = { token = "string", ids = "string[]" } },
      header = { path = "/x", params = { token = { place = "header", name = "X-P" } } },
      cookie = { path = "/x", params = { token = { place = "cookie" } } },
      form = { path = "/x", method = "POST", body = "form", params = { token = "string", ids = "string[]" } },
      whole = { path = "/x", method = "POST", params = { token = { whole = true } } },
      raw = { path = "/x", method = "POST", body = "raw", params = { token = { whole = true } } },
    ]])
    local api = lull.api(path)
    local url = api.calls.query:resource{ token = hush, ids = { "a", "b" } }.url
    contains(url, "ids=a&ids=b")
    equal(url:find("hush", 1, true), nil)
    for _, name in ipairs { "header", "cookie", "form", "whole", "raw" } do
      local given = { token = hush }
      if name == "form" then given.ids = { "a", "b" } end
      local request = api.calls[name](given)
      equal(tostring(request):find("hush", 1, true), nil)
      assert(request:await())
    end
  end)

  it("PAR-15 a header that is false is not sent", function()
    local calls, _ <close> = declared([[
      plain = { path = "/x", method = "POST", params = { n = "integer" } },
      untyped = { path = "/x", method = "POST", params = { n = "integer" }, headers = { ["Content-Type"] = false } },
      raw = { path = "/x", method = "PUT", body = "raw", headers = { ["Content-Type"] = false },
        params = { text = { type = "string", whole = true } } },
      open = { path = "/x", headers = { cookie = false } },
    ]])
    equal(sent(calls.plain, { n = 7 }).type, "application/json")
    equal(sent(calls.plain, { n = 7 }).cookie, "site=1")
    local untyped = sent(calls.untyped, { n = 7 })
    equal(untyped.type, lull.null)
    equal(untyped.body, '{"n":7}')
    equal(sent(calls.raw, { text = "a" }).type, lull.null)
    equal(sent(calls.open).cookie, lull.null)
  end)

  it("PAR-21 parameters are sent in the order of the file", function()
    local params = "params = { z = 'integer', b = { type = 'string', name = 'b/[]' }, "
      .. "['a-1'] = 'integer[]', m = 'json' }"
    local calls, _ <close> = declared(([[
      get = { path = "/x?q=1", %s },
      form = { path = "/x", method = "POST", body = "form", params = { z = 'integer', b = 'string', a = 'string' } },
      json = { path = "/x", method = "POST", %s },
      default = { path = "/x", method = "POST", params = {
        z = { type = "json", default = {
          y = { { q = 1, p = { d = 1, c = 2 } }, { b = 1, a = 2 } }, ["x y"] = 1, w = {} } },
        a = { type = "json", default = (function() return { 3, { f = 1, e = 2 } } end)() },
      } },
      made = (function() return { path = "/x", params = { z = "integer", b = "string", a = "string" } } end)(),
    ]]):format(params, params))
    local given = { z = 1, b = "/2 ?", ["a-1"] = { 3, 4 }, m = { d = 5, c = 6 } }
    equal(sent(calls.get, given).url,
      "https://a.example/v1/x?q=1&z=1&b/%5B%5D=/2%20?&a-1=3&a-1=4&m=%7B%22c%22:6,%22d%22:5%7D")
    equal(sent(calls.form, { a = "/x?y", b = "", z = 1 }).body, "z=1&b=&a=/x?y")
    equal(sent(calls.json, given).body, '{"z":1,"b/[]":"/2 ?","a-1":[3,4],"m":{"c":6,"d":5}}')
    equal(sent(calls.default).body,
      '{"z":{"y":[{"q":1,"p":{"d":1,"c":2}},{"b":1,"a":2}],"x y":1,"w":{}},"a":[3,{"e":2,"f":1}]}')
    equal(sent(calls.made, { z = 1, b = "2", a = "3" }).url, "https://a.example/v1/x?a=3&b=2&z=1")
  end)

  it("PAR-11 calls have whatever names can be printed", function()
    local calls, _ <close> = declared([[ ["repos/get"] = { path = "/x" }, ["Get All Users"] = { path = "/y" },
      ["größe: é"] = { path = "/z" } ]])
    equal(calls["repos/get"].path, "/x")
    equal(calls["Get All Users"].path, "/y")
    equal(calls["größe: é"].path, "/z")
    for _, name in ipairs { "-x", "", "a\nb", "a\27b", "a\255b", "a\tb" } do
      local path, _ <close> = file(("[%q] = { path = '/x' }"):format(name))
      contains(select(2, pcall(lull.api, path)), "call names must be printable and must not begin with '-', got")
    end
  end)

  it("PAR-120 a required body is sent without fields too", function()
    local calls, _ <close> = declared([[
      json = { path = "/x", method = "POST", body_required = true, params = { a = "integer" } },
      form = { path = "/x", method = "POST", body = "form", body_required = true, params = { a = "integer" } },
      none = { path = "/x", method = "POST", body_required = false, params = { a = "integer" } },
      patch = { path = "/x", method = "PATCH", content_type = "application/merge-patch+json",
        body_required = true, params = { a = "integer" } },
    ]])
    local got = sent(calls.json)
    equal(got.body, "{}")
    equal(got.type, "application/json")
    equal(sent(calls.json, { a = 1 }).body, '{"a":1}')
    equal(sent(calls.form).type, "application/x-www-form-urlencoded")
    equal(sent(calls.form, { a = 1 }).body, "a=1")
    got = sent(calls.none)
    equal(got.body, lull.null)
    equal(got.type, lull.null)
    got = sent(calls.patch)
    equal(got.body, "{}")
    equal(got.type, "application/merge-patch+json")
  end)

  it("PAR-120 a required body that cannot be empty is refused at its line", function()
    for more, problem in pairs {
      ["body_required = 1"] = "'body_required' must be true or false, got 1",
      ["body_required = true, params = { a = { type = 'json', whole = true } }"] =
        "'body_required' is for a body of fields: set 'required = true' for the parameter 'a' instead",
      ["body_required = true, body = 'raw'"] =
        "'body_required' is for JSON and forms: a raw body is a parameter with 'whole = true'",
    } do
      local path, _ <close> = file("one = { path = '/x', method = 'POST', " .. more .. " }")
      contains(select(2, pcall(function() return lull.api(path).calls.one end)), problem)
    end
  end)

  it("PAR-121 a list of integers is all that a parameter may be", function()
    local calls, _ <close> = declared([[ one = { path = "/x", params = {
      size = { 1, 2, 4 }, sizes = { type = { -1, 0 }, list = true, default = { 0 } } } } ]])
    equal(calls.one:resource{ size = 2 }.url, "https://a.example/v1/x?size=2&sizes=0")
    equal(calls.one:resource{ size = 4.0, sizes = { -1, 0 } }.url, "https://a.example/v1/x?size=4&sizes=-1&sizes=0")
    for _, case in ipairs {
      { { size = 3 }, "parameter 'size' must be 1, 2 or 4, got" },
      { { size = "2" }, "parameter 'size' must be 1, 2 or 4, got" },
      { { size = lull.json.decode("12345678901234567890") }, "parameter 'size' must be 1, 2 or 4, got" },
      { { sizes = { 0, 1 } }, "parameter 'sizes' must be -1 or 0, got" },
      { { sizes = 0 }, "parameter 'sizes' must be a list of whole numbers, each -1 or 0, got" },
    } do
      contains(select(2, pcall(calls.one.resource, calls.one, case[1])), case[2])
    end
    equal(calls.one.params[1].type, "1, 2 or 4")
    equal(calls.one.params[2].type, "list of -1 or 0")
    for params, problem in pairs {
      ["{ size = { 1, 'a' } }"] = "parameter 'size' must be a list of strings or a list of integers",
      ["{ size = { type = { 1, 2 }, default = 3 } }"] = "parameter 'size' must be 1 or 2, got 3",
    } do
      local path, _ <close> = file("one = { path = '/x', params = " .. params .. " }")
      contains(select(2, pcall(function() return lull.api(path).calls.one end)), problem)
    end
  end)
end)
