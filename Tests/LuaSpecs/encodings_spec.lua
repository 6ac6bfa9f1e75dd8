-- lull.url, lull.base64, lull.sha256, lull.hmac, lull.uuid, lull.time.
local lull = require "lull"
local spec = ...
local describe, it, equal, same, check = spec.describe, spec.it, spec.equal, spec.same, spec.check
local contains, raises = spec.contains, spec.raises

-- That a call has given nil, and in its words why.
local function fails(problem, ...)
  equal(select("#", ...), 2)
  equal((...), nil)
  equal(select(2, ...), problem)
end

describe("lull.url", function()
  it("ENC-01 ENC-02 takes a URL apart", function()
    same(lull.url.parse("https://ann:se%20cret@EXAMPLE.com/a%20b/c?x=1&y=2&x=3&z&%C3%A4=%26#top"), {
      scheme = "https", user = "ann", password = "se cret", host = "example.com", port = 443,
      path = "/a%20b/c", query = "x=1&y=2&x=3&z&%C3%A4=%26", fragment = "top",
      params = { x = { "1", "3" }, y = "2", z = "", ["ä"] = "&" },
    })
    same(lull.url.parse("HTTP://[::0:1]:8080"),
      { scheme = "http", host = "[::1]", port = 8080, path = "/", params = {} })
    equal(lull.url.parse("http://bücher.de/").host, "xn--bcher-kva.de")
    equal(lull.url.parse("http://2130706433").host, "127.0.0.1")
    equal(lull.url.parse("ws://x").port, 80)
    equal(lull.url.parse("http://@x/").user, "")
    equal(lull.url.parse("http://x/?a=1+1").params.a, "1+1")
    equal(lull.url.parse("http://x/?a=%zz").params.a, "%zz")
    equal(lull.url.parse("http://x/?\255=1").params["\255"], "1")
  end)

  it("ENC-01 takes references and other schemes apart", function()
    same(lull.url.parse("/a?b#"), { path = "/a", query = "b", fragment = "", params = { b = "" } })
    same(lull.url.parse("mailto:x@y.de"), { scheme = "mailto", path = "x@y.de", params = {} })
    same(lull.url.parse("//x:81/y"), { host = "x", port = 81, path = "/y", params = {} })
    same(lull.url.parse("?"), { path = "", query = "", params = {} })
  end)

  it("ENC-01 says why a text is no URL", function()
    fails("'' is not a URL: it is empty", lull.url.parse(""))
    fails("'a b' is not a URL: there is a space at byte 2, which must be escaped", lull.url.parse("a b"))
    fails("'http://' is not a URL: it has no host", lull.url.parse("http://"))
    fails("'http://x:99999/' is not a URL: its port is not a number up to 65535",
      lull.url.parse("http://x:99999/"))
    fails("'1a:b' is not a URL: the text before its first colon is not a scheme", lull.url.parse("1a:b"))
    contains(select(2, lull.url.parse("http://a^b/")), "has an invalid character")
    contains(select(2, lull.url.parse("http://ü..de/")), "the host name 'ü..de' is not valid")
    contains(select(2, lull.url.parse("http://a\1")), "a control character at byte 9")
  end)

  it("masks a password in what it says", function()
    spec.excludes(select(2, lull.url.parse("http://ann:hunter2@x:99999/")), "hunter2")
  end)

  it("ENC-03 joins as a resource's relative does", function()
    local base = "https://example.com/a/b/c?d=e"
    local resource = lull.service("https://example.com"):resource_at(base)
    for _, href in ipairs {
      "", "x", "../x", "./../../../x", "/x", "//other.de/x", "?q", "#f", "x y", "ä", "http:x", "y/./../z?a/../b",
    } do
      equal(lull.url.join(base, href), resource:relative(href).url, href)
    end
    equal(lull.url.join("/a/b", "c"), "/a/c")
    fails("'a b' is not a URL: there is a space at byte 2, which must be escaped",
      lull.url.join("a b", "c"))
    fails("'http://:' is not a reference: it has no host", lull.url.join(base, "http://:"))
  end)

  it("ENC-04 encodes every byte but the unreserved ones, and back", function()
    local all = {}
    for byte = 0, 255 do all[#all + 1] = string.char(byte) end
    all = table.concat(all)
    local expected = all:gsub("[^A-Za-z0-9%-._~]", function(c) return ("%%%02X"):format(c:byte()) end)
    equal(lull.url.encode(all), expected)
    equal(lull.url.decode(expected), all)
    equal(lull.url.decode(expected:lower()), (all:gsub("%u", string.lower)))
    equal(lull.url.encode(7), "7")
    equal(lull.url.decode("a+b%2B"), "a+b+")
  end)

  it("ENC-05 names an escape that is none", function()
    fails("'%' is not an escape (at byte 3)", lull.url.decode("50%"))
    fails("'%2' is not an escape (at byte 1)", lull.url.decode("%2"))
    fails("'%zz' is not an escape (at byte 5)", lull.url.decode("a%20%zzz"))
    fails("'%%4' is not an escape (at byte 1)", lull.url.decode("%%41"))
  end)

  it("raises for what is no text", function()
    raises("bad argument #1 to 'url.parse' (string expected, got nil)", function() lull.url.parse(nil) end)
    raises("bad argument #2 to 'url.join' (string expected, got table)",
      function() lull.url.join("", {}) end)
    raises("too many arguments to 'url.encode'", function() lull.url.encode("", "") end)
    raises("string expected, got Secret", function() lull.url.encode(lull.secret { env = "X" }) end)
  end)
end)

describe("lull.base64", function()
  it("ENC-06 writes and reads RFC 4648's examples", function()
    for text, encoded in pairs {
      [""] = "", f = "Zg==", fo = "Zm8=", foo = "Zm9v", foob = "Zm9vYg==", fooba = "Zm9vYmE=",
      foobar = "Zm9vYmFy",
    } do
      equal(lull.base64.encode(text), encoded)
      equal(lull.base64.decode(encoded), text)
      equal(lull.base64.decode((encoded:gsub("=", ""))), text)
    end
  end)

  it("ENC-06 has the alphabet for URLs", function()
    local bytes = "\251\239\255\254"
    equal(lull.base64.encode(bytes), "++///g==")
    equal(lull.base64.encode(bytes, { url = true }), "--___g")
    equal(lull.base64.encode(bytes, { url = true, padding = true }), "--___g==")
    equal(lull.base64.encode(bytes, { padding = false }), "++///g")
    for _, text in ipairs { "++///g==", "++///g", "--___g==", "--___g", " ++/\r\n//g\t=\n= \n" } do
      equal(lull.base64.decode(text), bytes, text)
    end
  end)

  it("ENC-07 refuses what would lose something, and says where", function()
    for text, problem in pairs {
      ["A"] = "the text ends inside a byte (at byte 1)", ["QUJDR"] = "the text ends inside a byte (at byte 5)",
      ["QQ="] = "the padding is incomplete (at byte 3)", ["A==="] = "misplaced padding (at byte 2)",
      ["QQ==="] = "misplaced padding (at byte 5)", ["QUJD="] = "misplaced padding (at byte 5)",
      ["="] = "misplaced padding (at byte 1)", ["QQ==QQ=="] = "there is text after the padding (at byte 5)",
      ["QR=="] = "the last character has extra bits (at byte 4)",
      ["QUJ"] = "the last character has extra bits (at byte 3)",
      ["Q*"] = "'*' is not a base64 character (at byte 2)",
      ["Q\0"] = "the byte 0x00 is not a base64 character (at byte 2)",
      ["Qé"] = "the byte 0xc3 is not a base64 character (at byte 2)",
      ["+_"] = "the text has characters of both alphabets (at byte 2)",
    } do
      fails(problem, lull.base64.decode(text))
    end
  end)

  it("raises for other options", function()
    raises("unknown setting 'urls' (did you mean 'url'?)", function() lull.base64.encode("", { urls = true }) end)
    raises("'url' must be true or false, got 1", function() lull.base64.encode("", { url = 1 }) end)
    raises("string expected, got nil", function() lull.base64.decode(nil) end)
  end)
end)

describe("Digests", function()
  it("ENC-08 are those of FIPS 180 and RFC 2202, 4231", function()
    equal(lull.sha256(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
    equal(lull.sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    equal(lull.sha256(("a"):rep(1000000)), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0")
    local key, text = ("\11"):rep(20), "Hi There"
    equal(lull.hmac("sha256", key, text), "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7")
    equal(lull.hmac("sha1", key, text), "b617318655057264e28bc0b6fb378c8ef146be00")
    equal(lull.hmac("md5", ("\11"):rep(16), text), "9294727a3638bb1c13f48ef8158bfc9d")
    equal(lull.hmac("sha224", key, text), "896fb1128abbdf196832107cd49df33f47b4b1169912ba4f53684b22")
    equal(#lull.hmac("sha384", "", ""), 96)
    equal(#lull.hmac("sha512", "", ""), 128)
  end)

  it("ENC-08 are bytes where they are to be", function()
    equal(lull.sha256("abc", { raw = true }):byte(1, 1), 0xba)
    equal(lull.base64.encode(lull.hmac("sha1", "key", "text", { raw = true })), "Np4pWetJRQM4shJ0j3fY3tdIR7s=")
  end)

  it("ENC-121 are those of files, read part by part", function()
    local dir, _ <close> = spec.temporary_folder()
    local path = dir .. "/a"
    for _, text in ipairs { "", "abc", ("x"):rep(131072), ("a"):rep(1000000) } do
      assert(lull.write_file(path, text))
      equal(lull.sha256(lull.file(path)), lull.sha256(text))
      equal(lull.sha256(lull.file(path), { raw = true }), lull.sha256(text, { raw = true }))
    end
    os.remove(path)
    local digest, problem = lull.sha256(lull.file(path))
    equal(digest, nil)
    contains(problem, "cannot read '" .. path .. "'")
    contains(select(2, lull.sha256(lull.file(dir))), "is a directory")
    -- Where nothing can wait, too.
    assert(lull.write_file(path, "abc"))
    local list = { 2, 1 }
    table.sort(list, function(a, b) return lull.sha256(lull.file(path)):sub(1, 2) == "ba" and a < b end)
    same(list, { 1, 2 })
  end)

  it("ENC-08 name those there are", function()
    raises("bad argument #1 to 'hmac' (there is no digest 'sha3'; there are md5, sha1, sha224, "
      .. "sha256, sha384, sha512, sha512-256)",
      function() lull.hmac("sha3", "", "") end)
    raises("bad argument #1 to 'hmac' (there is no digest 'SHA256'", function() lull.hmac("SHA256", "", "") end)
    raises("bad argument #3 to 'hmac' (string or Secret expected, got nil)", function() lull.hmac("md5", "", nil) end)
    raises("unknown setting 'hex'", function() lull.sha256("", { hex = true }) end)
  end)
end)

describe("lull.uuid", function()
  it("ENC-09 gives identifiers of version 4 that differ", function()
    local seen = {}
    for _ = 1, 1000 do
      local id = lull.uuid()
      check(id:match("^%x%x%x%x%x%x%x%x%-%x%x%x%x%-4%x%x%x%-[89ab]%x%x%x%-%x%x%x%x%x%x%x%x%x%x%x%x$"), id)
      equal(id, id:lower())
      check(not seen[id])
      seen[id] = true
    end
    equal(#lull.uuid("v4"), 36)
  end)

  it("ENC-09 gives identifiers of version 7 that begin with the time", function()
    local before = math.floor(lull.now() * 1000)
    local id = lull.uuid("v7")
    local after = math.floor(lull.now() * 1000)
    check(id:match("^%x+%-%x%x%x%x%-7%x%x%x%-[89ab]%x%x%x%-%x+$"), id)
    local milliseconds = tonumber((id:sub(1, 13):gsub("-", "")), 16)
    check(before <= milliseconds and milliseconds <= after, id)
    raises([["v4" or "v7" expected, got 'v1']], function() lull.uuid("v1") end)
  end)
end)

describe("lull.time.parse", function()
  local parse = lull.time.parse

  it("ENC-10 reads ISO 8601 and RFC 3339", function()
    for text, seconds in pairs {
      ["1970-01-01T00:00:00Z"] = 0, ["2024-05-01"] = 1714521600, ["20240501"] = 1714521600,
      ["2024-05-01T10:11:12Z"] = 1714558272, ["2024-05-01t10:11:12z"] = 1714558272,
      ["2024-05-01 10:11:12"] = 1714558272, ["20240501T101112Z"] = 1714558272,
      ["2024-05-01T10:11Z"] = 1714558260, ["20240501T1011"] = 1714558260,
      ["2024-05-01T12:11:12+02:00"] = 1714558272, ["2024-05-01T12:11:12+0200"] = 1714558272,
      ["2024-05-01T12:11:12+02"] = 1714558272, ["2024-05-01 12:11:12 +0200"] = 1714558272,
      ["2024-05-01T00:41:12-09:30"] = 1714558272, ["2024-05-01T10:11:12-00:00"] = 1714558272,
      ["2024-05-01T24:00:00Z"] = 1714608000, ["2000-02-29"] = 951782400, ["1969-12-31T23:59:59Z"] = -1,
      ["0000-01-01"] = -62167219200, ["9999-12-31T23:59:59Z"] = 253402300799,
    } do
      equal(parse(text), seconds, text)
    end
  end)

  it("ENC-10 keeps fractions, and then gives a float", function()
    equal(parse("2024-05-01T10:11:12.5Z"), 1714558272.5)
    equal(parse("2024-05-01T10:11:12,250+00:00"), 1714558272.25)
    equal(parse("2024-05-01T10:11:12.0Z"), 1714558272.0)
    equal(parse("1969-12-31T23:59:59.75Z"), -0.25)
    equal(parse("2024-05-01T10:11:12." .. ("3"):rep(100) .. "Z"), 1714558272 + 1 / 3)
  end)

  it("ENC-11 reads the three forms of HTTP", function()
    equal(parse("Sun, 06 Nov 1994 08:49:37 GMT"), 784111777)
    equal(parse("Sunday, 06-Nov-94 08:49:37 GMT"), 784111777)
    equal(parse("Sun Nov  6 08:49:37 1994"), 784111777)
    equal(parse("Mon, 06 Nov 1994 08:49:37 GMT"), 784111777)
    local year = math.tointeger(tonumber(lull.time.iso(lull.now()):sub(1, 4)))
    local ahead = ("Sunday, 06-Nov-%02d 08:49:37 GMT")
    equal(lull.time.iso(parse(ahead:format((year + 50) % 100))):sub(1, 4), tostring(year + 50))
    equal(lull.time.iso(parse(ahead:format((year + 51) % 100))):sub(1, 4), tostring(year - 49))
  end)

  it("ENC-12 takes a leap second at the end of a day of UTC", function()
    equal(parse("2016-12-31T23:59:60Z"), 1483228800)
    equal(parse("2017-01-01T00:59:60+01:00"), 1483228800)
    equal(parse("Saturday, 31-Dec-16 23:59:60 GMT"), 1483228800)
    fails("'2016-12-31T23:58:60Z' is not a date: a leap second must be at the end of a UTC day",
      parse("2016-12-31T23:58:60Z"))
    fails("'2016-12-31T23:59:60+01:00' is not a date: a leap second must be at the end of a UTC day",
      parse("2016-12-31T23:59:60+01:00"))
  end)

  it("ENC-12 says why a text is no date", function()
    for text, problem in pairs {
      ["2024-13-01"] = "there is no month 13", ["2024-00-01"] = "there is no month 0",
      ["2024-02-30"] = "that month has no day 30", ["2023-02-29"] = "that month has no day 29",
      ["1900-02-29"] = "that month has no day 29", ["2024-05-00"] = "that month has no day 0",
      ["2024-05-01T24:00:01Z"] = "there is no such time of day",
      ["2024-05-01T10:60:00Z"] = "there is no such time of day",
      ["2024-05-01T10:00:61Z"] = "there is no such time of day", ["2024-05-01T25:00Z"] = "there is no such time of day",
      ["2024-05-01T10:00:00+24:00"] = "there is no such offset",
      ["2024-05-01T10:00:00+01:60"] = "there is no such offset",
      ["2024-05-01T10:00:00."] = "there are no digits after the decimal point",
      ["2024-05-01T10"] = "a time must be hh:mm:ss", ["2024-05-01T10:0"] = "a time must be hh:mm:ss",
      ["2024-05-01T10:00:00 CEST"] = "an offset must be Z or +hh:mm",
      ["2024-05-01T10:00:00Zx"] = "there is text after the time",
      ["2024-05-01X"] = "after the date there must be T and a time", ["2024-5-1"] = "a date must be YYYY-MM-DD",
      ["2024-W18-3"] = "a date must be YYYY-MM-DD", ["2024-122"] = "a date must be YYYY-MM-DD",
      ["99"] = "it does not begin with a year of four digits", [""] = "it does not begin with a year of four digits",
      ["+02024-05-01"] = "it does not begin with a year of four digits",
    } do
      fails(("'%s' is not a date: %s"):format(text, problem), parse(text))
    end
    for _, text in ipairs {
      "tomorrow", "Sun, 31 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 CET", "Son, 06 Nov 1994 08:49:37 GMT",
    } do
      fails(("'%s' is not an HTTP date (such as Sun, 06 Nov 1994 08:49:37 GMT)"):format(text), parse(text))
    end
    contains(select(2, parse("2024-\255")), "'2024-\\xFF' is not a date")
    raises("string expected, got nil", function() parse(nil) end)
  end)
end)

describe("lull.time.iso and http", function()
  local iso, http = lull.time.iso, lull.time.http

  it("ENC-13 write what parse reads", function()
    equal(iso(0), "1970-01-01T00:00:00Z")
    equal(iso(1714558272), "2024-05-01T10:11:12Z")
    equal(iso(1714558272.0), "2024-05-01T10:11:12Z")
    equal(iso(1714558272.25), "2024-05-01T10:11:12.250Z")
    equal(iso(-0.25), "1969-12-31T23:59:59.750Z")
    equal(iso(1714558272.9996), "2024-05-01T10:11:13.000Z")
    equal(iso(1714558272.9996, { digits = 0 }), "2024-05-01T10:11:13Z")
    equal(iso(1714558272, { digits = 6 }), "2024-05-01T10:11:12.000000Z")
    equal(iso(1714558272, { offset = "-09:30" }), "2024-05-01T00:41:12-09:30")
    equal(iso(1714558272, { offset = "+0000" }), "2024-05-01T10:11:12Z")
    equal(http(784111777), "Sun, 06 Nov 1994 08:49:37 GMT")
    equal(http(784111777.9), "Sun, 06 Nov 1994 08:49:37 GMT")
    equal(http(-1), "Wed, 31 Dec 1969 23:59:59 GMT")
    equal(iso(253402300799.9999), "9999-12-31T23:59:59.999Z")
    equal(iso(-62167219200), "0000-01-01T00:00:00Z")
    equal(http(-62167219200), "Sat, 01 Jan 0000 00:00:00 GMT")
  end)

  it("ENC-13 raise for what cannot be written so", function()
    for _, seconds in ipairs {
      0 / 0, 1 / 0, -1 / 0, 1e300, math.maxinteger, math.mininteger, 253402300800, -62167219201,
    } do
      raises("seconds since 1970 in the years 0 to 9999 expected", function() iso(seconds) end)
      raises("seconds since 1970 in the years 0 to 9999 expected", function() http(seconds) end)
    end
    raises("in the years 0 to 9999", function() iso(253402300799, { offset = "+00:01" }) end)
    raises("'digits' must be a whole number from 0 to 9, got 10", function() iso(0, { digits = 10 }) end)
    raises("'digits' must be a whole number from 0 to 9, got 0.5", function() iso(0, { digits = 0.5 }) end)
    raises([['offset' must be "Z" or such as "+02:00", got 'CET']], function() iso(0, { offset = "CET" }) end)
    raises("number expected, got string", function() iso("0") end)
  end)
end)

describe("The sandbox", function()
  it("has all of them", function()
    if spec.is_stock then return end
    local folder, _ <close> = spec.temporary_folder()
    assert(lull.write_file(folder .. "/x.lua", [[
      local lull = require "lull"
      print(lull.url.parse("http://x/").host, lull.url.join("http://x/a", "b"), lull.url.decode(lull.url.encode("ä")))
      print(lull.base64.decode(lull.base64.encode("ä")), lull.sha256("abc"):sub(1, 4), #lull.hmac("md5", "", ""))
      print(#lull.uuid(), #lull.uuid("v7"), lull.time.http(lull.time.parse("1970-01-01")), lull.time.iso(0))
      print(lull.csv.decode(lull.csv.encode({ { a = 1 } }))[1].a)
    ]]))
    equal(spec.shell(spec.interpreter() .. " run --sandbox " .. folder .. "/x.lua"),
      "x\thttp://x/b\tä\nä\tba78\t32\n36\t36\tThu, 01 Jan 1970 00:00:00 GMT\t1970-01-01T00:00:00Z\n1")
  end)
end)
