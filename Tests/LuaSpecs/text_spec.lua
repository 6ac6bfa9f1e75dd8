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

  it("TXT-02 is ISO-8859-1 without a charset, TXT-03 UTF-8 with that", function()
    equal(resource("text/plain", "\xC3\xBD").text, "Ã½")
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
    service:transform(function() return "text" end, { stage = "decoding" })
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
