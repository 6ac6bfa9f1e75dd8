-- From one resource to another (PATH, DYN-06).
local lull = require "lull"
local spec = ...
local describe, it, equal, raises = spec.describe, spec.it, spec.equal, spec.raises

local function origin(query)
  return lull.service("https://zingle.frotz/v1"):resource_at(
    "https://zingle.frotz/v1/a/b" .. (query or ""))
end

local function rows(method, query, table_)
  for argument, url in pairs(table_) do
    local resource = origin(query)
    local found = resource[method](resource, argument)
    equal(found.url, url, method .. " " .. argument)
    equal(found.service, resource.service)
  end
end

describe("an invalid resource", function()
  it("PATH-31 leads to invalid resources with its cause", function()
    local service = lull.service("https://zingle.frotz/v1")
    local invalid = service:resource_at("http://[")
    for _, found in ipairs {
      invalid:child("c"), invalid:relative("c"), invalid:relative("http://other.host/c"),
      invalid:optional_relative("c"), invalid:with_param("a", 1), invalid:with_params { a = 1 },
    } do
      local _, err = found:load():await()
      equal(err.cause.kind, "invalid_url")
      equal(err.cause.source, "http://[")
    end
    equal(invalid:optional_relative(nil), nil)
  end)
end)

describe("child", function()
  it("PATH-02 PATH-03 PATH-04 appends to the path", function()
    rows("child", nil, {
      c = "https://zingle.frotz/v1/a/b/c", ["/c"] = "https://zingle.frotz/v1/a/b/c",
      [""] = "https://zingle.frotz/v1/a/b/", ["c/d"] = "https://zingle.frotz/v1/a/b/c/d",
    })
  end)

  it("PATH-05 PATH-06 PATH-07 keeps dots, URL-like texts, and escapes", function()
    rows("child", nil, {
      ["./c"] = "https://zingle.frotz/v1/a/b/./c", ["../c"] = "https://zingle.frotz/v1/a/b/../c",
      ["//other.host/c"] = "https://zingle.frotz/v1/a/b//other.host/c",
      ["?foo"] = "https://zingle.frotz/v1/a/b/%3Ffoo",
    })
  end)

  it("PATH-08 keeps the query", function()
    rows("child", "?x=1", { c = "https://zingle.frotz/v1/a/b/c?x=1" })
  end)

  it("takes a string, not a number or nil", function()
    raises("string expected", function() origin():child(nil) end)
    raises("'child'", function() origin():child({}) end)
  end)
end)

describe("relative", function()
  it("PATH-09 to PATH-13 resolves like an href", function()
    rows("relative", nil, {
      c = "https://zingle.frotz/v1/a/c", ["./c"] = "https://zingle.frotz/v1/a/c",
      ["./c/./d"] = "https://zingle.frotz/v1/a/c/d", ["../c"] = "https://zingle.frotz/v1/c",
      ["/c"] = "https://zingle.frotz/c", ["//other.host/c"] = "https://other.host/c",
      ["ftp://other.host/c"] = "ftp://other.host/c",
    })
  end)

  it("PATH-14 PATH-15 PATH-17 takes over the query, order and duplicates kept", function()
    rows("relative", nil, {
      ["?foo=1"] = "https://zingle.frotz/v1/a/b?foo=1",
      ["?foo=1&bar=2"] = "https://zingle.frotz/v1/a/b?foo=1&bar=2",
      ["?baz=fez&baz=fuzz"] = "https://zingle.frotz/v1/a/b?baz=fez&baz=fuzz",
    })
  end)

  it("PATH-16 drops the old query, but for an empty href and a fragment", function()
    rows("relative", "?foo=bar", {
      ["?baz=fez"] = "https://zingle.frotz/v1/a/b?baz=fez", c = "https://zingle.frotz/v1/a/c",
      [""] = "https://zingle.frotz/v1/a/b?foo=bar", ["#s"] = "https://zingle.frotz/v1/a/b?foo=bar#s",
      ["."] = "https://zingle.frotz/v1/a/", ["?"] = "https://zingle.frotz/v1/a/b?",
    })
    local here = origin("?foo=bar")
    equal(here:relative(""), here)
  end)

  it("PATH-16 keeps a query with a secret, in its order", function()
    local here = origin("?z=1&a=2"):with_param("key", lull.secret { command = { "echo", "x" } })
    equal(here:relative(""), here)
    equal(here:relative("#s").url, here.url .. "#s")
  end)

  it("PATH-09 PATH-16 resolves all of RFC 3986, 5.4", function()
    local service = lull.service {}
    local base = service:resource_at("http://a/b/c/d;p?q")
    local normal = {
      ["g:h"] = "g:h", ["g"] = "http://a/b/c/g", ["./g"] = "http://a/b/c/g",
      ["g/"] = "http://a/b/c/g/", ["/g"] = "http://a/g", ["//g"] = "http://g/",
      ["?y"] = "http://a/b/c/d;p?y", ["g?y"] = "http://a/b/c/g?y", ["#s"] = "http://a/b/c/d;p?q#s",
      ["g#s"] = "http://a/b/c/g#s", ["g?y#s"] = "http://a/b/c/g?y#s", [";x"] = "http://a/b/c/;x",
      ["g;x"] = "http://a/b/c/g;x", ["g;x?y#s"] = "http://a/b/c/g;x?y#s",
      [""] = "http://a/b/c/d;p?q", ["."] = "http://a/b/c/", ["./"] = "http://a/b/c/",
      [".."] = "http://a/b/", ["../"] = "http://a/b/", ["../g"] = "http://a/b/g",
      ["../.."] = "http://a/", ["../../"] = "http://a/", ["../../g"] = "http://a/g",
    }
    local abnormal = {
      ["../../../g"] = "http://a/g", ["../../../../g"] = "http://a/g", ["/./g"] = "http://a/g",
      ["/../g"] = "http://a/g", ["g."] = "http://a/b/c/g.", [".g"] = "http://a/b/c/.g",
      ["g.."] = "http://a/b/c/g..", ["..g"] = "http://a/b/c/..g", ["./../g"] = "http://a/b/g",
      ["./g/."] = "http://a/b/c/g/", ["g/./h"] = "http://a/b/c/g/h", ["g/../h"] = "http://a/b/c/h",
      ["g;x=1/./y"] = "http://a/b/c/g;x=1/y", ["g;x=1/../y"] = "http://a/b/c/y",
      ["g?y/./x"] = "http://a/b/c/g?y/./x", ["g?y/../x"] = "http://a/b/c/g?y/../x",
      ["g#s/./x"] = "http://a/b/c/g#s/./x", ["g#s/../x"] = "http://a/b/c/g#s/../x",
      ["http:g"] = "http:g",
    }
    for _, table_ in ipairs { normal, abnormal } do
      for href, url in pairs(table_) do equal(base:relative(href).url, url, href) end
    end
  end)

  it("PATH-18 escapes spaces and drops tabs and line breaks, as a browser does", function()
    rows("relative", nil, {
      ["a b?c d#e f"] = "https://zingle.frotz/v1/a/a%20b?c%20d#e%20f",
      [" \n c\t1\r\n "] = "https://zingle.frotz/v1/a/c1", ["/\t/other.host/ "] = "https://other.host/",
    })
    equal(origin():relative("//other host/").url, ":")
  end)

  it("SVC-41 escapes bytes that are no UTF-8, each for itself", function()
    rows("relative", nil, {
      ["\xFE"] = "https://zingle.frotz/v1/a/%FE", ["?\xC3é"] = "https://zingle.frotz/v1/a/b?%C3%C3%A9",
    })
    rows("child", nil, {
      ["\xFE"] = "https://zingle.frotz/v1/a/b/%FE", ["\xFF%"] = "https://zingle.frotz/v1/a/b/%FF%25",
    })
    equal(origin():relative("//\xFE/").url, ":")
  end)

  it("PATH-18 gives an invalid resource for what is no href", function()
    local _, err = origin():relative("http://["):load():await()
    equal(err.cause.kind, "invalid_url")
  end)

  it("PATH-19 is optional", function()
    equal(origin():optional_relative("c").url, "https://zingle.frotz/v1/a/c")
    equal(origin():optional_relative(nil), nil)
  end)
end)

describe("with_param", function()
  local function with(query, name, value) return origin(query):with_param(name, value).url end

  it("PATH-20 PATH-21 adds one, escaped", function()
    equal(with("", "foo", "bar"), "https://zingle.frotz/v1/a/b?foo=bar")
    equal(with("", "a b", "c=d+e"), "https://zingle.frotz/v1/a/b?a%20b=c%3Dd%2Be")
  end)

  it("PATH-22 PATH-23 sorts by name and replaces", function()
    local query = "?foo=bar&zoogle=oogle"
    equal(with(query, "plop", "blop"), "https://zingle.frotz/v1/a/b?foo=bar&plop=blop&zoogle=oogle")
    equal(with(query, "zoogle", "zonk"), "https://zingle.frotz/v1/a/b?foo=bar&zoogle=zonk")
  end)

  it("PATH-24 PATH-25 writes a bare name for an empty value, and removes with nil", function()
    local query = "?foo=bar&zoogle=oogle"
    equal(with(query, "foo", ""), "https://zingle.frotz/v1/a/b?foo&zoogle=oogle")
    equal(with(query, "foo", nil), "https://zingle.frotz/v1/a/b?zoogle=oogle")
    equal(with("?foo=bar", "foo", nil), "https://zingle.frotz/v1/a/b")
  end)

  it("PATH-28 PATH-29 keeps the last duplicate and rewrites foo= and +", function()
    equal(with("?a=1&a=2", "b", "3"), "https://zingle.frotz/v1/a/b?a=2&b=3")
    equal(with("?foo=", "b", "3"), "https://zingle.frotz/v1/a/b?b=3&foo")
    equal(with("?a=1+2", "b", "3"), "https://zingle.frotz/v1/a/b?a=1%2B2&b=3")
  end)

  it("PATH-30 gives one object whatever the order", function()
    local resource = origin()
    equal(resource:with_param("a", "1"):with_param("b", "2"),
      resource:with_param("b", "2"):with_param("a", "1"))
  end)

  it("SVC-41 escapes names and values that are no UTF-8 byte by byte", function()
    equal(with("", "a\xFE", "\xFF"), "https://zingle.frotz/v1/a/b?a%FE=%FF")
    equal(with("?a%FE=1", "a\xFE", nil), "https://zingle.frotz/v1/a/b")
    equal(origin():with_params { ["\xFE"] = 1, b = "\xC3" }.url, "https://zingle.frotz/v1/a/b?b=%C3&%FE=1")
    local secret = origin():with_param("key", lull.secret { command = { "echo", "x" } })
    equal(secret:with_param("b", "\xFE"):with_param("key", nil).url,
      "https://zingle.frotz/v1/a/b?b=%FE")
  end)

  it("DYN-06 takes strings, numbers and true; false removes; anything else raises", function()
    equal(with("", "a", 7), "https://zingle.frotz/v1/a/b?a=7")
    equal(with("", "a", 1.5), "https://zingle.frotz/v1/a/b?a=1.5")
    equal(with("", "a", true), "https://zingle.frotz/v1/a/b?a=true")
    equal(with("?a=1", "a", false), "https://zingle.frotz/v1/a/b")
    raises("'a'", function() origin():with_param("a", {}) end)
    raises("'a'", function() origin():with_param("a", print) end)
  end)
end)

describe("with_params", function()
  it("PATH-26 adds several, sorted", function()
    equal(
      origin("?foo=bar&zoogle=oogle"):with_params { dogcow = "moof", frogbear = "grribbit" }.url,
      "https://zingle.frotz/v1/a/b?dogcow=moof&foo=bar&frogbear=grribbit&zoogle=oogle")
  end)

  it("PATH-27 removes with false", function()
    equal(origin("?foo=bar&x=1"):with_params { foo = false }.url, "https://zingle.frotz/v1/a/b?x=1")
  end)
end)
