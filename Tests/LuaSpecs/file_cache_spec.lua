-- lull.cache.file(): a cache that outlives the script (CACHE, LOAD-03), and services that are offline.
local lull = require "lull"
local spec = ...
local describe, it, equal, same, check = spec.describe, spec.it, spec.equal, spec.same, spec.check
local contains, raises, json = spec.contains, spec.raises, spec.json
local shell, folder = spec.shell, spec.temporary_folder

-- A service with a file cache on a stage, and what it has sent.
local function cached(answers, path, options, stage, settings)
  local service, sent = spec.fake(answers, settings)
  local all = { path = path .. "/cache.db" }
  for k, v in pairs(options or {}) do all[k] = v end
  service:configure { pipeline = { [stage or "parsing"] = { cache = lull.cache.file(all) } } }
  return service, sent
end

describe("lull.cache.file", function()
  it("CACHE-01 CACHE-05 CACHE-14 CACHE-31 gives another service what one has loaded, without a request", function()
    local dir, _ <close> = folder()
    local text = '{"z":1,"a":[1,2.5,null],"n":12345678901234567890}'
    local first, sent = cached(json(text, { ETag = '"v1"', ["X-Page"] = "7" }), dir)
    local loaded = first("/users/7"):load():await()
    equal(#sent, 1)
    local second, sent_later = cached(json "0", dir)
    local resource = second("/users/7")
    local events = spec.record(resource)
    local entity = assert(resource:load_if_needed():await())
    equal(#sent_later, 0)
    same(events, { "observer_added []", "new_data(cache) [LD]", "not_modified [D]" })
    equal(entity.timestamp, loaded.timestamp, "CACHE-09: its age is kept")
    equal(entity.etag, '"v1"')
    equal(entity.headers["x-page"], "7")
    equal(entity.content_type, "application/json")
    equal(entity.http_status, 200)
    equal(lull.json.encode(entity.document), '{"z":1,"a":[1,2.5,null],"n":12345678901234567890}', "in its order")
  end)

  it("CACHE-39 lets load() ask on the condition of what is in the file", function()
    local dir, _ <close> = folder()
    assert(cached(json('"one"', { ETag = '"v1"' }), dir)("/a"):load():await())
    local conditions = {}
    local service = cached(function(request)
      conditions[#conditions + 1] = request.headers["If-None-Match"] or "none"
      if request.headers["If-None-Match"] == '"v1"' then return { status = 304 } end
      return { status = 200, headers = { ["Content-Type"] = "application/json" }, body = '"two"' }
    end, dir)
    local resource = service("/a")
    local events = spec.record(resource)
    local request = resource:load()
    equal(events[#events], "requested [L]", "inside the call")
    equal(assert(request:await()).content, "one")
    same(events, { "observer_added []", "requested [L]", "new_data(cache) [LD]", "not_modified [D]" })
    same(conditions, { '"v1"' })
    assert(service("/b"):load():await())
    same(conditions, { '"v1"', "none" })
    service:configure { mutate_requests = function(http) http.headers["If-None-Match"] = nil end }
    equal(assert(service("/a?"):load():await()).content, "two")
    service:wipe_resources()
    equal(assert(service("/a"):load():await()).content, "two", "who removes a condition has none")
    same(conditions, { '"v1"', "none", "none", "none" })
  end)

  it("CACHE-28 leaves out what a header says of one connection", function()
    local dir, _ <close> = folder()
    local headers = { Connection = "a, X-Hop", A = "1", ["X-Hop"] = "2", ["Keep-Alive"] = "timeout=5", B = "3" }
    assert(cached(json("1", headers), dir)("/a"):load():await())
    local entity = assert(cached(json "0", dir)("/a"):load_if_needed():await())
    equal(entity.headers.b, "3")
    for _, name in ipairs { "connection", "a", "x-hop", "keep-alive" } do equal(entity.headers[name], nil, name) end
  end)

  it("says in the log what it has not written", function()
    local dir, _ <close> = folder()
    local service = cached(json "[1]", dir, nil, "model")
    service:transform("/made", function() return { 1 } end)
    local lines = {}
    lull.log.enabled = { "cache" }
    lull.log.handler = function(_, line)
      if line:find("written", 1, true) then lines[#lines + 1] = line end
    end
    assert(service("/plain"):load():await())
    assert(service("/made"):load():await())
    equal(#lines, 2)
    contains(lines[1], "/plain: written at model")
    contains(lines[2], "/made: not written at model, whose cache cannot store such content")
    local later, sent = cached(json "0", dir, nil, "model")
    same(later("/plain"):load_if_needed():await().content, { 1 })
    equal(#sent, 0)
  end)

  it("CACHE-28 never writes what says no-store, and removes what is there", function()
    local dir, _ <close> = folder()
    local lines = {}
    lull.log.enabled = { "cache" }
    lull.log.handler = function(_, line) lines[#lines + 1] = line end
    local function load(text, headers, settings)
      local service, sent = cached(json(text, headers), dir, nil, nil, settings)
      assert(service("/a"):load():await())
      return #sent
    end
    local function kept()
      local service, sent = cached(json "0", dir)
      local content = service("/a"):load_if_needed():await().content
      return content, #sent
    end
    load('"hush-1"', { ["Cache-Control"] = { "max-age=60", 'private="x", No-Store' } })
    contains(table.concat(lines, "\n"), "/a: not written at parsing: Cache-Control: no-store")
    same({ kept() }, { 0, 1 })
    load "1"
    load('"hush-2"', nil, { headers = { ["Cache-Control"] = "no-store" } })
    same({ kept() }, { 0, 1 })
    for _, name in ipairs { "", "-wal" } do
      local bytes = lull.read_file(dir .. "/cache.db" .. name)
      equal(bytes:find("hush", 1, true), nil)
    end
  end)

  it("CACHE-14 keeps what says no-store in memory, as a cache there does", function()
    local memory = lull.cache.memory()
    local settings = { pipeline = { parsing = { cache = memory } } }
    local first = spec.fake(json("1", { ["Cache-Control"] = "no-store" }), settings)
    assert(first("/a"):load():await())
    local second, sent = spec.fake(json "2", settings)
    equal(second("/a"):load_if_needed():await().content, 1)
    equal(#sent, 0)
  end)

  it("CACHE-28 keeps bytes, text and JSON, and nothing that a transformer has made of them", function()
    local dir, _ <close> = folder()
    local kinds = {
      bytes = spec.answer("application/octet-stream", "\0\255\1"),
      text = spec.answer("text/plain; charset=iso-8859-1", "gr\252n"),
      json = json "[1]",
      null = json "null",
      empty = spec.answer("text/plain", ""),
    }
    local networking = function(http) return kinds[http.url:match("[^/]*$")] end
    local first = cached(networking, dir, nil, "model")
    for name in pairs(kinds) do assert(first("/" .. name):load():await(), name) end
    local made = cached(json "[1]", dir, nil, "model")
    made:transform("/made", function() return { 1 } end)
    same(made("/made"):load():await().content, { 1 })
    local later, sent = cached(networking, dir, nil, "model")
    local function content(name) return assert(later("/" .. name):load_if_needed():await()).content end
    equal(content "bytes", "\0\255\1")
    equal(content "text", "grün")
    same(content "json", { 1 })
    equal(content "null", lull.null)
    equal(content "empty", "")
    equal(#sent, 0)
    local other, asked = cached(json "[2]", dir, nil, "model")
    same(other("/made"):load_if_needed():await().content, { 2 })
    equal(#asked, 1)
  end)

  it("CACHE-08 CACHE-19 LOAD-03 asks for stale data with the validators that were kept", function()
    for header, value in pairs { ETag = '"e"', ["Last-Modified"] = "Sat, 21 Nov 2026 10:00:00 GMT" } do
      local dir, _ <close> = folder()
      cached(json("1", { [header] = value }), dir)("/a"):load():await()
      local service, sent = cached({ status = 304 }, dir, nil, nil, { expiration_time = 0 })
      lull.sleep(0.01)
      local resource = service("/a")
      local events = spec.record(resource)
      equal(resource:load_if_needed():await().content, 1)
      same(events, { "observer_added []", "new_data(cache) [LD]", "requested [LD]", "not_modified [D]" })
      equal(#sent, 1)
      equal(sent[1].headers[header == "ETag" and "if-none-match" or "if-modified-since"], value)
      local renewed = resource.timestamp
      local third = cached(json "3", dir)("/a")
      equal(third:load_if_needed():await().timestamp, renewed)
    end
  end)

  it("CACHE-15 keeps stages, versions and identities apart", function()
    local dir, _ <close> = folder()
    local function load(answer, options, stage, settings)
      local service, sent = cached(json(answer), dir, options, stage, settings)
      return service("/a"):load_if_needed():await().content, #sent
    end
    local function as(token) return { headers = { Authorization = token } } end
    same({ load "1" }, { 1, 1 })
    same({ load "2" }, { 1, 0 })
    same({ load("3", { version = 2 }) }, { 3, 1 })
    same({ load("4", { version = 2 }) }, { 3, 0 })
    same({ load("5", nil, "model") }, { 5, 1 })
    same({ load("6", nil, nil, as "Bearer one") }, { 6, 1 })
    same({ load("7", nil, nil, as "Bearer two") }, { 7, 1 })
    same({ load("8", nil, nil, as "Bearer one") }, { 6, 0 })
    same({ load("9", { identity = "me" }) }, { 9, 1 })
    same({ load("10", { identity = "me" }) }, { 9, 0 })
    same({ load("11", nil, nil, { headers = { Cookie = "s=1" } }) }, { 11, 1 })
    same({ load("12", nil, nil, { headers = { ["X-Api-Key"] = "k" } }) }, { 12, 1 })
    same({ load "13" }, { 1, 0 })
  end)

  it("keeps apart who sends other headers, but for those that say nothing of anybody", function()
    local dir, _ <close> = folder()
    local function load(answer, name, value)
      local service, sent = cached(json(answer), dir, nil, nil, { headers = { [name] = value } })
      return service("/a"):load_if_needed():await().content, #sent
    end
    for number, name in ipairs { "X-Session", "X-Key", "X-Pwd", "Access-Key", "Signature", "X-User-Id" } do
      same({ load(tostring(number), name, "ann") }, { number, 1 })
      same({ load(tostring(100 + number), name, "ben") }, { 100 + number, 1 })
      same({ load("0", name, "ann") }, { number, 0 })
    end
    same({ load("7", "Accept-Language", "de") }, { 7, 1 })
    for _, name in ipairs { "Accept", "User-Agent", "Content-Language", "X-Request-ID", "traceparent",
      "Idempotency-Key", "Cache-Control", "If-None-Match", "Range" } do
      same({ load("0", name, "x") }, { 7, 0 })
    end
  end)

  it("has no credentials in its files", function()
    local dir, _ <close> = folder()
    local service = cached(json("1", { ["Set-Cookie"] = "sid=hush-cookie" }), dir, { identity = "hush-name" }, nil,
      { headers = { Authorization = "Bearer hush-token", Cookie = "c=hush-jar", ["X-Api-Key"] = "hush-key" } })
    service("/a"):load():await()
    service:resource_at("https://ann:hush-password@api.test/b"):load():await()
    local again, sent = cached(json "2", dir, { identity = "hush-name" }, nil,
      { headers = { Authorization = "Bearer hush-token", Cookie = "c=hush-jar", ["X-Api-Key"] = "hush-key" } })
    equal(again("/a"):load_if_needed():await().headers["set-cookie"], nil)
    equal(again:resource_at("https://ann:hush-password@api.test/b"):load_if_needed():await().content, 1)
    equal(again:resource_at("https://ann:other@api.test/b"):load_if_needed():await().content, 2)
    equal(#sent, 1)
    equal(shell("cat " .. dir .. "/* | grep -a -c hush"), "0")
    check(tonumber(shell("cat " .. dir .. "/* | grep -a -c api.test")) > 0)
  end)

  it("CACHE-20 CACHE-27 forgets what an override or another method has replaced", function()
    local dir, _ <close> = folder()
    local service = cached(json "1", dir)
    local resource = service("/a")
    resource:load():await()
    resource:override_local_content("mine")
    local later, sent = cached(json "2", dir)
    equal(later("/a"):load_if_needed():await().content, 2)
    equal(#sent, 1)
  end)

  it("max_age is how old an entity may be to be found", function()
    local dir, _ <close> = folder()
    cached(json "1", dir)("/a"):load():await()
    lull.sleep(0.02)
    equal(cached(json "2", dir, { max_age = 60 })("/a"):load_if_needed():await().content, 1)
    equal(cached(json "3", dir, { max_age = 0.001 })("/a"):load_if_needed():await().content, 3)
  end)

  it("is a private file in a private folder", function()
    local dir, _ <close> = folder()
    local service = cached(json "1", dir .. "/a/b")
    service("/a"):load():await()
    spec.turn()
    equal(cached(json "2", dir .. "/a/b")("/a"):load_if_needed():await().content, 1)
    equal(shell("stat -c %a " .. dir .. "/a " .. dir .. "/a/b"), "700\n700")
    equal(shell("stat -c %a " .. dir .. "/a/b/* | sort -u"), "600")
  end)

  it("is shown by its path, and checks its options", function()
    local dir, _ <close> = folder()
    equal(tostring(lull.cache.file { path = dir .. "/c" }), "Cache(" .. dir .. "/c)")
    check(lull.cache.file { version = 1.0 })
    raises("'version' must be a whole number, 0 or more, got 1.5", function() lull.cache.file { version = 1.5 } end)
    raises("'version' must be a whole number, 0 or more, got -1", function() lull.cache.file { version = -1 } end)
    raises("'path' must be a non-empty string", function() lull.cache.file { path = "" } end)
    raises("'max_size' must be a number of bytes, 65536 or more", function() lull.cache.file { max_size = 1 } end)
    raises("'max_age' must be a number of seconds, 0 or more", function() lull.cache.file { max_age = -1 } end)
    raises("did you mean 'max_size'", function() lull.cache.file { maxsize = 1 } end)
    equal(shell("ls " .. dir), "", "and touches nothing before it is used")
  end)

  it("gives another process 1,000 resources without one request", function()
    local dir, _ <close> = folder()
    local script = ([[
      local lull = require "lull"
      local requests = 0
      lull.log.enabled = { "network" }
      lull.log.handler = function(_, message)
        if message:find " → 200 %%(%%d+ bytes, %%d+ ms%%)" then requests = requests + 1 end
      end
      local api = lull.service { base_url = %q, expiration_time = 1000 }
      api:configure { pipeline = { parsing = { cache = lull.cache.file { path = %q } } } }
      local resources, sum = {}, 0
      for i = 1, 1000 do resources[i] = api("/users/7"):with_param("i", i) end
      for _, resource in ipairs(resources) do resource:load_if_needed() end
      lull.run()
      for _, resource in ipairs(resources) do sum = sum + resource.content.id end
      print(requests, sum)
    ]]):format(lull.demo(), dir .. "/cache.db")
    local cold = spec.script(script, { seconds = 60 })
    equal(cold.err, "")
    equal(cold.out, "1000\t7000\n")
    local warm = spec.script(script, { seconds = 60 })
    equal(warm.err, "")
    equal(warm.out, "0\t7000\n")
  end, { seconds = 120 })

  it("keeps a value for the next process that the script has not waited for", function()
    local dir, _ <close> = folder()
    local script = ([[
      local lull = require "lull"
      local api = lull.service { base_url = "http://api.test", networking = function() return {
        headers = { ["Content-Type"] = "application/json" }, body = %%q } end }
      api:configure { pipeline = { parsing = { cache = lull.cache.file { path = %q } } } }
      print(api("/a"):load_if_needed():await().content)
    ]]):format(dir .. "/cache.db")
    same({ spec.script(script:format "1").out, spec.script(script:format "2").out }, { "1\n", "1\n" })
  end)
end)

describe("A cache file", function()
  -- Runs a script of one load with the cache at `path`: what it prints and what it is warned of.
  local function load(path, answer, options)
    return spec.script(([[
      local lull = require "lull"
      local api = lull.service { base_url = "http://api.test", networking = function() return {
        headers = { ["Content-Type"] = "application/json" }, body = %q } end }
      api:configure { pipeline = { parsing = { cache = lull.cache.file { %s } } } }
      print(api("/a"):load_if_needed():await().content)
    ]]):format(answer, path and ("path = %q"):format(path) or ""), options)
  end

  local function damage(path, how)
    if how == "garbage" then shell("head -c 100000 /dev/urandom > " .. path)
    elseif how == "text" then shell("printf hello > " .. path)
    elseif how == "shortened" then shell("truncate -s 5000 " .. path)
    elseif how == "zeroed" then
      shell("dd if=/dev/zero of=" .. path .. " bs=4096 seek=1 count=30 conv=notrunc status=none")
    end
    shell("rm -f " .. path .. "-wal " .. path .. "-shm")
  end

  for _, how in ipairs { "garbage", "text", "shortened", "zeroed" } do
    it("that is damaged is set aside with one warning, and work goes on: " .. how, function()
      local dir, _ <close> = folder()
      local path = dir .. "/cache.db"
      load(path, "1")
      -- Out of the write-ahead log.
      shell("sqlite3 " .. path .. " 'PRAGMA wal_checkpoint(TRUNCATE)'")
      damage(path, how)
      local result = load(path, "2")
      equal(result.out, "2\n")
      equal(result.code, 0)
      contains(result.err, "lull: warning: the cache '" .. path .. "' cannot be read (")
      equal(select(2, result.err:gsub("\n", "")), 1)
      equal(shell("ls -d " .. path .. ".corrupt-*[0-9] | wc -l"), "1")
      same({ load(path, "3").out, load(path, "3").err }, { "2\n", "" }, "the new one is used")
    end)
  end

  it("that cannot be made is done without, with one warning", function()
    local result = load("/proc/nowhere/cache.db", "1")
    equal(result.out, "1\n")
    equal(result.code, 0)
    contains(result.err, "lull: warning: the cache is not used: cannot create the folder '/proc/nowhere'")
    equal(select(2, result.err:gsub("\n", "")), 1)
  end)

  it("has no place without a home, which is told once", function()
    local result = load(nil, "1", { env = "-u HOME -u XDG_CACHE_HOME" })
    equal(result.out, "1\n")
    equal(result.err, "lull: warning: the cache is not used: neither XDG_CACHE_HOME nor HOME names a folder\n")
  end)

  it("is in $XDG_CACHE_HOME/lull, or in ~/.cache/lull", function()
    local dir, _ <close> = folder()
    equal(load(nil, "1", { env = "XDG_CACHE_HOME=" .. dir }).err, "")
    equal(load(nil, "2", { env = "XDG_CACHE_HOME=" .. dir }).out, "1\n")
    check(shell("ls " .. dir .. "/lull"):find("cache.db", 1, true))
    equal(load(nil, "3", { env = "-u XDG_CACHE_HOME HOME=" .. dir }).out, "3\n")
    check(shell("ls " .. dir .. "/.cache/lull"):find("cache.db", 1, true))
  end)

  it("sets the file of an older Lull aside, and says so once", function()
    local dir, _ <close> = folder()
    local path = dir .. "/cache.db"
    load(path, "1")
    shell("sqlite3 " .. path .. " 'PRAGMA user_version = 1'")
    same({ load(path, "2").out, load(path, "3").out }, { "2\n", "2\n" })
    equal(shell("ls " .. dir .. " | grep -c 'cache.db.version-1$'"), "1")
    shell("sqlite3 " .. path .. " 'PRAGMA user_version = 1'")
    equal(load(path, "4").err, "lull: warning: the cache '" .. path
      .. "' was written by an older Lull: it is renamed to '" ..
      path .. ".version-1' and replaced\n")
    equal(load(path, "5").err, "")
  end)

  it("of a newer Lull, and a database of another program, are left alone", function()
    local dir, _ <close> = folder()
    local path = dir .. "/cache.db"
    load(path, "1")
    shell("sqlite3 " .. path .. " 'PRAGMA user_version = 99'")
    local result = load(path, "2")
    same({ result.out, result.err }, { "2\n",
      "lull: warning: the cache is not used: '" .. path .. "' was written by a newer Lull\n" })
    local other = dir .. "/other.db"
    shell("sqlite3 " .. other .. " 'CREATE TABLE precious (x)' && chmod 600 " .. other)
    result = load(other, "3")
    same({ result.out, result.err }, { "3\n",
      "lull: warning: the cache is not used: '" .. other .. "' is a database of another program\n" })
    equal(shell("sqlite3 " .. other .. " .tables"), "precious")
    equal(shell("ls " .. dir .. " | grep -c corrupt"), "0")
  end)
end)

describe("A service that is offline", function()
  it("answers loads from its cache whatever their age, and sends nothing", function()
    local dir, _ <close> = folder()
    local timestamp = cached(json "1", dir)("/a"):load():await().timestamp
    local service, sent = cached(json "2", dir, nil, nil, { offline = true, expiration_time = 0 })
    equal(service.is_offline, true)
    lull.sleep(0.01)
    local resource = service("/a")
    local events = spec.record(resource)
    local request = resource:load()
    equal(request:await().content, 1)
    same(events, { "observer_added []", "requested [L]", "new_data(cache) [LD]", "not_modified [D]" })
    equal(resource.is_up_to_date, true)
    equal(resource:load_if_needed(), nil)
    equal(resource:load():await().content, 1)
    equal(resource.latest_data.timestamp, timestamp, "its age is kept")
    equal(#sent, 0)
    service.is_offline = false
    equal(resource.is_up_to_date, false)
    equal(resource:load():await().content, 2)
  end)

  it("fails what is in no cache, and every other request, with kind offline", function()
    local service, sent = spec.fake(json "1", { offline = true })
    local _, err = service("/a"):load():await()
    equal(err.cause.kind, "offline")
    equal(err.user_message, "Offline, and https://api.test/v1/a is not in the cache")
    _, err = service("/b"):load_if_needed():await()
    equal(err.cause.kind, "offline")
    _, err = service("/a"):post({ json = { x = 1 } }):await()
    equal(err.cause.kind, "offline")
    equal(err.user_message, "Offline: POST https://api.test/v1/a was not sent")
    _, err = service("/a"):request("GET"):await()
    equal(err.cause.kind, "offline")
    equal(#sent, 0)
    service.is_offline = false
    equal(service("/a"):load():await().content, 1)
    raises("'is_offline' must be true or false, got 1", function() service.is_offline = 1 end)
  end)

  it("is explained: it waits for its cache, and fails if that has nothing", function()
    local dir, _ <close> = folder()
    local service = cached(json "0", dir, nil, nil, { offline = true })
    local resource = service("/a")
    local sentence = "wait for the cache check, and fail if it finds no data: the service is offline"
    contains(resource:explain(), sentence)
    equal(select(2, resource:load_if_needed():await()).cause.kind, "offline")
    resource:wipe()
    contains(resource:explain(), sentence)
  end)

  it("does not take for fresh what is dated ahead of now, and explains it", function()
    local dir, _ <close> = folder()
    cached(json("1", { ETag = '"v1"' }), dir)("/a"):load():await()
    equal(cached(json "0", dir)("/a"):load_if_needed():await().content, 1, "it has been written")
    shell("sqlite3 -cmd '.timeout 9000' " .. dir .. "/cache.db 'UPDATE entry SET timestamp = timestamp + 1000000'")
    local service, sent = cached({ status = 304 }, dir, nil, nil, { expiration_time = 3600 })
    local resource = service("/a")
    while not resource.latest_data do lull.sleep(0.005) end
    contains(resource:explain(), "load: the data is of unknown age, and fresh for 3600 s")
    contains(resource:explain(), 'conditionally, with if-none-match: "v1"')
    equal(resource:load_if_needed():await().content, 1)
    equal(#sent, 1)
    contains(resource:explain(), "load nothing: the data is ")
    equal(cached(json "0", dir)("/a"):load_if_needed():await().content, 1, "so has the new time")
    shell("sqlite3 -cmd '.timeout 9000' " .. dir .. "/cache.db 'UPDATE entry SET timestamp = timestamp + 1000000'")
    service = cached(json "2", dir, { max_age = 3600 }, nil, { offline = true })
    equal(select(2, service("/a"):load_if_needed():await()).cause.kind, "offline")
  end)

  it("looks again for what another process may have written since", function()
    local dir, _ <close> = folder()
    local service = cached(json "0", dir, nil, nil, { offline = true })
    equal(select(2, service("/a"):load():await()).cause.kind, "offline")
    cached(json "1", dir)("/a"):load():await()
    equal(service("/a"):load():await().content, 1)
  end)
end)
