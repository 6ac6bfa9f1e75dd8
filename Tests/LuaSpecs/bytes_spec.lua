-- Strings that are no UTF-8: they go through as they are, or the call fails and names them (BYT).
local spec = ...
local describe, it, equal, same = spec.describe, spec.it, spec.equal, spec.same
local contains, excludes, raises = spec.contains, spec.excludes, spec.raises
local lull = require "lull"

local word = "caf\xE9"

local function holds_no_replacement(value, what)
  excludes(value, "\u{FFFD}", what)
end

describe("bytes that are not UTF-8", function()
  it("BYT-01 stay what they are in header values that are sent and received", function()
    local service, sent = spec.fake {
      status = 200, body = "x",
      headers = { ["X-Word"] = word, ["Set-Cookie"] = { "a=" .. word, "b=\xFF" }, ETag = word },
    }
    service:configure { headers = { ["X-Table"] = word } }
    service:configure(function(config) config.headers["X-Assigned"] = { word, "\xFE" } end)
    service:configure(function(config)
      config:mutate_requests(function(http)
        equal(http.headers["x-assigned"], word .. ", \xFE")
        http.headers["X-Mutated"] = http.headers["x-table"] .. "!"
      end)
    end)
    equal(service:configuration_for(service("/a")).headers["X-Table"], word)
    local entity = assert(service("/a"):load():await())
    equal(sent[1].headers["x-table"], word)
    equal(sent[1].headers["x-assigned"], word .. ", \xFE")
    equal(sent[1].headers["x-mutated"], word .. "!")
    equal(entity.headers["X-Word"], word)
    equal(entity:header("x-word"), word)
    equal(entity.etag, word)
    same(entity.headers["Set-Cookie"], { "a=" .. word, "b=\xFF" })
    local seen = {}
    for name, value in pairs(entity.headers) do seen[name] = value end
    equal(seen["x-word"], word)
    same(seen["set-cookie"], { "a=" .. word, "b=\xFF" })
    local own = lull.entity { content = "x", headers = { A = word } }
    own.headers.B = word
    equal(own.headers.a .. own.headers.b, word .. word)
  end)

  it("BYT-02 revalidate: an ETag goes back as it came", function()
    local asked = {}
    local service = spec.fake(function(http)
      asked[#asked + 1] = http.headers["if-none-match"] or "nothing"
      if http.headers["if-none-match"] == ('"%s"'):format(word) then return { status = 304 } end
      return { status = 200, headers = { ETag = ('"%s"'):format(word) }, body = "x" }
    end)
    local resource = service("/a")
    resource:load():await()
    resource:load():await()
    same(asked, { "nothing", ('"%s"'):format(word) })
    equal(resource.latest_error, nil)
  end)

  it("BYT-03 stay in the file cache", function()
    local folder, guard <close> = spec.temporary_folder()
    local calls = 0
    for _ = 1, 2 do
      local service = spec.fake(function()
        calls = calls + 1
        return { status = 200, body = "x", headers = { ["X-Word"] = word, ETag = word } }
      end, { expiration_time = 1000 })
      service:configure {
        pipeline = { model = { cache = lull.cache.file { path = folder .. "/cache.db" } } },
      }
      local resource = service("/a")
      assert(resource:load_if_needed():await())
      equal(resource.latest_data.headers["x-word"], word)
      equal(resource.latest_data.etag, word)
    end
    equal(calls, 1)
  end)

  it("BYT-04 are in the cause of the body that could not be made of them", function()
    local service, sent = spec.fake(spec.answer("text/plain", "x"))
    local resource = service("/a")
    local _, err = resource:request("POST", { form = { name = word } }):await()
    equal(err.cause.kind, "not_url_encodable")
    equal(err.cause.string, word)
    contains(err.cause.message, [['caf\xE9']])
    _, err = resource:request("POST", { form = { [word] = "name" } }):await()
    equal(err.cause.string, word)
    _, err = resource:request("POST", { text = word }):await()
    equal(err.cause.kind, "unencodable_text")
    equal(err.cause.text, word)
    contains(err.cause.message, [['caf\xE9']])
    equal(#sent, 0)
    assert(resource:request("POST", { data = word }):await())
    equal(sent[1].body, word)
  end)

  it("BYT-05 are the name of a charset that nobody knows", function()
    local service = spec.fake(spec.answer("text/plain; charset=" .. word, "x"))
    local _, err = service("/a"):load():await()
    equal(err.cause.kind, "invalid_text_encoding")
    equal(err.cause.name, word)
    contains(err.cause.message, [['caf\xE9']])
    equal(err.entity.charset, word)
    equal(err.entity.content_type, "text/plain; charset=" .. word)
  end)

  it("BYT-06 raise where only text can be, and are named", function()
    local service = spec.fake(spec.answer("text/plain", "x"))
    local named = [[caf\xE9]]
    raises(named, function() lull.service { base_url = "http://h", name = word } end)
    raises(named, function() lull.entity { content = "x", content_type = word } end)
    raises(named, function() lull.error(word) end)
    raises(named, function() lull.error { user_message = word } end)
    raises(named, function() lull.failure(word) end)
    raises(named, function() lull.regex(word) end)
    raises(named, function() service:configure(word, { expiration_time = 1 }) end)
    raises(named, function() service("/a"):request(word) end)
    raises(named, function()
      service("/a"):request("POST", { text = "x", encoding = word })
    end)
    raises(named, function() service("/a"):request("POST", { [word] = "x" }) end)
    raises(named, function() lull.entity { content = "x", headers = { [word] = "x" } } end)
    raises("not valid UTF-8", function() lull.auth.bearer(word) end)
    raises(named, function() lull.auth.basic(word, "x") end)
    local entity = lull.entity { content = "x" }
    raises(named, function() entity.charset = word end)
  end)

  it("BYT-07 are spelled out in messages", function()
    local service = spec.fake(function() return nil, "no " .. word end)
    local _, err = service("/a"):load():await()
    equal(err.user_message, [[no caf\xE9]])
    service = spec.fake(function() error(word, 0) end)
    _, err = service("/a"):load():await()
    contains(err.cause.message, [[caf\xE9]])
    contains(spec.reports()[1].message, [[caf]])
    local lines = {}
    lull.log.handler = function(_, line) lines[#lines + 1] = line end
    lull.log.enabled = "all"
    service = spec.fake { status = 200, headers = { ["X-Word"] = word } }
    service("/a"):load():await()
    lull.log.enabled = {}
    lull.log.handler = nil
    local text = table.concat(lines, "\n")
    contains(text, [[x-word: caf\xE9]])
    holds_no_replacement(text)
  end)

  it("BYT-08 are raised again where a task is awaited", function()
    local task = lull.spawn(function() error(word, 0) end)
    local ok, raised = pcall(task.await, task)
    equal(ok, false)
    equal(raised, word)
  end)

  it("BYT-08 are in the value of the error that a function of the script raised", function()
    local service = spec.fake(function() error(word, 0) end)
    local _, err = service("/a"):load():await()
    equal(err.cause.value, word)
    equal(#spec.reports(), 1)
  end)

  it("BYT-09 of a stub are those of its table", function()
    local stub = lull.testing.stub { ["GET /a"] = { headers = { ["X-Word"] = word }, body = word } }
    local service = lull.service { base_url = "http://h", networking = stub }
    local entity = assert(service("/a"):load():await())
    equal(entity.headers["x-word"], word)
    equal(entity.content, word)
    -- Called by another networking function.
    service = lull.service {
      base_url = "http://h", networking = function(http) return stub(http) end,
    }
    equal(assert(service("/a"):load():await()).headers["x-word"], word)
  end)

  it("BYT-10 stay in what scripts keep in a cache of their own", function()
    local kept
    local cache = {
      key = function() return word end,
      read = function(_, key) equal(key, word) return kept end,
      write = function(_, _, entity) kept = entity end,
      remove = function() kept = nil end,
    }
    for _ = 1, 2 do
      local service = spec.fake(
        { status = 200, headers = { ["X-Word"] = word }, body = word }, { expiration_time = 1000 })
      service:configure { pipeline = { model = { cache = cache } } }
      local entity = assert(service("/a"):load_if_needed():await())
      equal(entity.headers["x-word"], word)
      equal(entity.content, word)
    end
    equal(kept.headers["x-word"], word)
  end)
end)
