-- Text and its charsets (TXT).
local spec = ...
local describe, it, equal = spec.describe, spec.it, spec.equal

local function resource(content_type, body, status)
  local found = spec.fake(spec.answer(content_type, body, status))("/a")
  found:load():await()
  return found
end

local function failure(content_type, body)
  local found = resource(content_type, body)
  local err = spec.check(found.latest_error)
  equal(err.user_message, "Cannot parse server response")
  return err
end

describe("text", function()
  it("TXT-01 is what has a type of text", function()
    equal(resource("text/plain", "hello").text, "hello")
    equal(resource("text/foo", "hello").text, "hello")
    equal(resource("TEXT/HTML; charset=UTF-8", "hello").content, "hello")
  end)

  it("TXT-02 is UTF-8 without a charset if it is that, else ISO-8859-1, TXT-03 UTF-8 with that", function()
    equal(resource("text/plain", "\xC3\xBD").text, "ý")
    equal(resource("text/plain", "\xEF\xBB\xBF\xC3\xBD").text, "ý", "without its mark")
    equal(resource("text/plain", "\xFD").text, "ý")
    equal(resource("text/plain", "\xFD\xC3\xBD").text, "ýÃ½", "one way for the whole")
    equal(resource("text/plain; charset=iso-8859-1", "\xC3\xBD").text, "Ã½")
    equal(resource("text/plain; charset=utf-8", "\xC3\xBD").text, "ý")
  end)

  it("TXT-04 honours other charsets in any letter case", function()
    equal(resource("text/plain; charset=EUC-JP", "\xC6\xFC\xCB\xDC").text, "日本")
    equal(resource("text/plain; charset=euc-jp", "\xC6\xFC\xCB\xDC").text, "日本")
    equal(resource("text/plain; Charset=\"Windows-1252\"", "\x80").text, "€")
    equal(resource("text/plain; charset=us-ascii", "a").text, "a")
    equal(resource("text/plain; charset=KOI8-R", "\xC1").text, "а")
  end)

  it("TXT-05 TXT-10 fails with a charset nobody knows", function()
    local err = failure("text/plain; charset=oodleyboodley", "x")
    equal(err.cause.kind, "invalid_text_encoding")
    equal(err.cause.name, "oodleyboodley")
  end)

  it("TXT-06 TXT-10 fails with bytes the charset has not", function()
    local err = failure("text/plain; charset=utf-8", "\xD8")
    equal(err.cause.kind, "undecodable_text")
    equal(err.cause.encoding:lower(), "utf-8")
    equal(err.http_status, 200)
    equal(err.content, "\xD8")
  end)

  it("TXT-07 fails when an earlier stage made text of it", function()
    local service = spec.fake(spec.answer("text/plain", "x"))
    service:transform(function() return "text" end, { stage = "decoding", output = "text" })
    local _, err = service("/a"):load():await()
    equal(err.cause.kind, "wrong_input_type_in_transformer_pipeline")
    equal(err.cause.expected, "data")
    equal(err.cause.actual, "text")
  end)

  it("TXT-08 in UTF-16 without a BOM is big-endian, in an error too", function()
    local found = resource("text/plain; charset=UTF-16", "\0h\0i", 500)
    equal(found.latest_error.text, "hi")
    equal(resource("text/plain; charset=UTF-16", "\xFF\xFEh\0i\0").text, "hi")
    equal(resource("text/plain; charset=utf-16le", "h\0i\0").text, "hi")
  end)

  it("TXT-09 is not what has another type", function()
    local found = resource("application/monkey", "hello")
    equal(found.text, "")
    equal(found.content, "hello")
  end)

  it("may be empty, long, or hold NUL", function()
    equal(resource("text/plain; charset=utf-8", "").text, "")
    equal(resource("text/plain; charset=utf-8", "a\0b").text, "a\0b")
    local long = ("é"):rep(200000)
    equal(#resource("text/plain; charset=utf-8", long).text, #long)
    equal(#resource("text/plain", ("\xE9"):rep(200000)).text, #long)
  end)

  it("of the sample API is read", function()
    local service = spec.demo()
    spec.check(#service("/text"):load():await().text > 0)
    local latin = service("/latin1"):load():await()
    spec.check(utf8.len(latin.text), "it is UTF-8 in Lua")
    spec.contains(latin.charset:lower(), "8859-1")
    spec.contains(service("/html"):load():await().text, "<")
  end)

  it("TRF-33 goes without its parser when that is not chosen", function()
    local function kinds(transformers)
      local seen = {}
      for _, kind in ipairs { "application/json", "text/plain; charset=utf-8" } do
        local service = spec.fake(spec.answer(kind, "\xD8"), { standard_transformers = transformers })
        seen[#seen + 1] = service("/a"):load():await() and "data" or "error"
      end
      return table.concat(seen, " ")
    end
    equal(kinds(nil), "error error")
    equal(kinds { "json" }, "error data")
    equal(kinds { "text" }, "data error")
    equal(kinds {}, "data data")
  end)
end)

describe("what is text by its type", function()
  it("TXT-11 is text in the charset its type names, else in UTF-8", function()
    for _, content_type in ipairs {
      "application/xml", "image/svg+xml", "application/rss+xml", "Application/Atom+XML; x=y", "application/yaml",
      "application/x-yaml", "application/javascript", "application/x-javascript", "application/ecmascript",
      "application/x-www-form-urlencoded", "application/openapi+yaml",
    } do
      local found = resource(content_type, "<é>")
      equal(found.text, "<é>", content_type)
      equal(found.content, "<é>", content_type)
      equal(resource(content_type .. "; charset=ISO-8859-1", "<\xE9>").text, "<é>", content_type)
    end
    equal(resource("application/xml", "").text, "")
    equal(resource("application/xml", "é", 500).latest_error.text, "é")
  end)

  it("TXT-11 is told by a byte-order mark", function()
    equal(resource("application/yaml", "\xEF\xBB\xBFé").text, "é")
    equal(resource("application/yaml", "\xFF\xFEa\0\xE9\0").text, "aé")
    equal(resource("application/xml", "\xFE\xFF\0<\0\xE9").text, "<é")
    equal(resource("application/xml", "\0\0\xFE\xFF\0\0\0<").text, "<")
  end)

  it("TXT-11 is told by what XML declares", function()
    local function xml(declaration, rest) return resource("application/xml", declaration .. (rest or "<\xE9/>")) end
    equal(xml('<?xml version="1.0" encoding="ISO-8859-1"?>').text, '<?xml version="1.0" encoding="ISO-8859-1"?><é/>')
    equal(xml("<?xml version='1.0'\n encoding = 'windows-1252' ?>", "\x80").text:sub(-3), "€")
    equal(xml('<?xml version="1.0"?>', "é").text:sub(-2), "é")
    equal(xml('<?xml version="1.0" encoding="utf-16"?>', "é").text:sub(-2), "é")
    equal(resource("image/svg+xml", "<\0?\0x\0").text, "<?x")
    equal(resource("application/xml", "\0<\0?\0x").text, "<?x")
    equal(resource("application/yaml", '<?xml version="1.0" encoding="ISO-8859-1"?>\xE9').text, "")
    equal(resource("application/xml; charset=utf-8", '<?xml encoding="ISO-8859-1"?>é').text:sub(-2), "é")
  end)

  it("TXT-12 stays bytes if it cannot be decoded, and no failure", function()
    for content_type, body in pairs {
      ["application/xml"] = "<\xE9>", ["application/xml; charset=us-ascii"] = "é",
      ["application/yaml; charset=oodle"] = "x",
      ["application/x-www-form-urlencoded"] = "a=\xFF", ["image/svg+xml"] = '<?xml version="1" encoding="oodle"?>',
      ["application/javascript; charset=utf-16"] = "abc",
    } do
      local found = resource(content_type, body)
      equal(found.latest_error, nil, content_type)
      equal(found.text, "", content_type)
      equal(found.content, body, content_type)
    end
  end)

  it("TXT-12 passes by what has been made of it before", function()
    local service = spec.fake(spec.answer("application/xml", "<a/>"))
    service:transform(function() return { name = "a" } end, { stage = "decoding" })
    equal(assert(service("/a"):load():await()).content.name, "a")
  end)

  it("TRF-33 stays bytes without the text parser", function()
    local service = spec.fake(spec.answer("application/xml", "<a/>"), { standard_transformers = { "json" } })
    equal(assert(service("/a"):load():await()).text, "")
  end)

  it("TXT-02 is UTF-8 or ISO-8859-1 for text/xml, as for all text", function()
    equal(resource("text/xml", '<?xml encoding="iso-8859-2"?>é').text:sub(-2), "é")
    equal(resource("text/xml", '<?xml encoding="iso-8859-2"?>\xE9').text:sub(-2), "é")
  end)
end)

describe("lines of JSON", function()
  it("JSN-20 are a list", function()
    for _, content_type in ipairs { "application/x-ndjson", "application/jsonl",
      "Application/NDJSON; charset=utf-8" } do
      local found = resource(content_type, '\xEF\xBB\xBF{"a": 1}\n\n[2]\r\n  \n"x"\nnull')
      spec.same(found.content, { { a = 1 }, { 2 }, "x", require "lull".null }, content_type)
      equal(#found.document, 4)
      equal(found.text, '{"a":1}\n[2]\n"x"\nnull\n')
      equal(#found.json_array, 4)
    end
    spec.same(resource("application/x-ndjson", "").content, {})
    equal(resource("application/x-ndjson", "").text, "")
    equal(resource("application/x-ndjson", '{"a":1}\n', 500).latest_error.content[1].a, 1)
    equal(resource("application/json", "[1]").text, "")
  end)

  it("JSN-20 are bytes without the JSON parser", function()
    local service = spec.fake(spec.answer("application/x-ndjson", "1"), { standard_transformers = { "text" } })
    equal(assert(service("/a"):load():await()).content, "1")
  end)

  it("JSN-21 are malformed where one is not one value", function()
    for body, byte in pairs {
      ["1\n2,3"] = 4, ["[1\n2],3"] = 3, ["{}\n{]\n"] = 5, ['"a\nb"'] = 1, ["1 2"] = 3, ["1\nx"] = 3, ["1]\n[2"] = 2,
    } do
      local err = spec.check(resource("application/x-ndjson", body).latest_error, body)
      equal(err.cause.kind, "malformed_json")
      equal(err.cause.byte, byte, body)
    end
  end)
end)
