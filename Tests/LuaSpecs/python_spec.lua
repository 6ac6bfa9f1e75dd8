-- lull.url, lull.base64, digests, lull.time and lull.csv beside Python's standard library.
local lull = require "lull"
local spec = ...
local describe, it, equal = spec.describe, spec.it, spec.equal

-- What checks the lines it is given, prints those that differ, and how many it has seen.
local checker = [=[
import base64, csv, datetime, email.utils, hashlib, hmac, io, json, sys, urllib.parse

def text(b): return b.decode("latin-1")

def rows(data, strict):
    try:
        return [r for r in csv.reader(io.StringIO(text(data), newline=""), strict=strict) if r]
    except csv.Error:
        return None

def written(fields):
    out = io.StringIO(newline="")
    csv.writer(out, lineterminator="\r\n").writerows(fields)
    return out.getvalue()

def moment(t):
    d = datetime.datetime.fromisoformat(t)
    if d.tzinfo is None: d = d.replace(tzinfo=datetime.timezone.utc)
    return (d - datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)) / datetime.timedelta(microseconds=1)

def parsed(t):
    u = urllib.parse.urlsplit(t)
    pairs = {}
    for k, v in urllib.parse.parse_qsl(u.query, keep_blank_values=True, encoding="latin-1"):
        pairs.setdefault(k, []).append(v)
    return [u.scheme, u.username, u.password, u.hostname, u.port, u.path, u.query, u.fragment,
            sorted([k, v] for k, v in pairs.items())]

checks = {
    "base64": lambda b: base64.b64encode(b).hex(),
    "base64url": lambda b: base64.urlsafe_b64encode(b).hex(),
    "sha256": lambda b: hashlib.sha256(b).hexdigest(),
    "encode": lambda b: urllib.parse.quote_from_bytes(b, safe="").encode().hex(),
    "decode": lambda b: urllib.parse.unquote_to_bytes(b).hex(),
    "csv": lambda b: rows(b, True),
}
count = 0
for line in sys.stdin:
    c = json.loads(line)
    kind, given, got = c["kind"], c["given"], c.get("got")
    if kind in checks: wanted = checks[kind](bytes.fromhex(given))
    elif kind == "hmac": wanted = hmac.new(bytes.fromhex(given[1]), bytes.fromhex(given[2]), given[0]).hexdigest()
    elif kind == "join": wanted = urllib.parse.urljoin(*given)
    elif kind == "url": wanted = parsed(given)
    elif kind == "write": wanted = written([[text(bytes.fromhex(f)) for f in r] for r in given]).encode("latin-1").hex()
    elif kind == "iso": wanted = moment(given)
    elif kind == "isotext":
        wanted = (datetime.datetime(1970, 1, 1) + datetime.timedelta(seconds=given)).isoformat() + "Z"
    elif kind == "http": wanted = email.utils.formatdate(given, usegmt=True)
    if kind == "csv" and got is not None: got = [[text(bytes.fromhex(f)) for f in r] for r in got]
    if kind == "csv" and got == {}: got = []
    if wanted != got: print(kind, given, "Python:", wanted, "Lull:", got)
    count += 1
print(count)
]=]

local state = 20261122
local function random(low, high)
  state = state * 6364136223846793005 + 1442695040888963407
  return low + (state >> 33) % (high - low + 1)
end

local function bytes(most)
  local all = {}
  for i = 1, random(0, most) do all[i] = string.char(random(0, 255)) end
  return table.concat(all)
end

local function of(parts, most)
  local all = {}
  for i = 1, random(0, most) do all[i] = parts[random(1, #parts)] end
  return table.concat(all)
end

local function hex(text) return (text:gsub(".", function(c) return ("%02x"):format(c:byte()) end)) end

-- Whether Python says the same of every case that `make` gives.
local function compare(cases, make)
  local folder, _ <close> = spec.temporary_folder()
  local lines = {}
  for i = 1, cases do lines[i] = lull.json.encode(make(i)) .. "\n" end
  assert(lull.write_file(folder .. "/check.py", checker))
  assert(lull.write_file(folder .. "/cases", table.concat(lines)))
  equal(spec.shell(("python3 %s/check.py <%s/cases"):format(folder, folder)), tostring(cases))
end

describe("Python's library says the same", function()
  it("ENC-06 of base64", function()
    compare(600, function(i)
      local text = bytes(40)
      local encoded = lull.base64.encode(text, { url = i % 2 == 0, padding = true })
      equal(lull.base64.decode(encoded), text)
      return { kind = i % 2 == 0 and "base64url" or "base64", given = hex(text), got = hex(encoded) }
    end)
  end)

  it("ENC-08 of digests", function()
    local names = { "md5", "sha1", "sha224", "sha256", "sha384", "sha512" }
    compare(600, function(i)
      local text = bytes(200)
      if i % 3 == 0 then return { kind = "sha256", given = hex(text), got = lull.sha256(text) } end
      local name, key = names[random(1, #names)], bytes(160)
      return { kind = "hmac", given = { name, hex(key), hex(text) }, got = lull.hmac(name, key, text) }
    end)
  end)

  it("ENC-04 of percent-encoding", function()
    compare(400, function(i)
      local text = bytes(40)
      if i % 2 == 0 then return { kind = "encode", given = hex(text), got = hex(lull.url.encode(text)) } end
      local escaped = text:gsub("[%%\128-\255]", function(c) return ("%%%02x"):format(c:byte()) end)
      return { kind = "decode", given = hex(escaped), got = hex(lull.url.decode(escaped)) }
    end)
  end)

  it("ENC-01 ENC-02 of the parts of URLs", function()
    local names = { "a", "b-1", "%41", "%20", "%C3%A4", "~", "%2F" }
    compare(400, function()
      local query = {}
      for i = 1, random(1, 4) do query[i] = "n" .. of(names, 2) .. (random(1, 3) > 1 and "=" .. of(names, 3) or "") end
      local text = ("%s://%s%s%s/%s?%s#%s"):format(
        ({ "http", "https", "ftp" })[random(1, 3)], random(1, 2) == 1 and "u:p@" or "",
        ({ "a.de", "EXAMPLE.com", "1.2.3.4" })[random(1, 3)], ":" .. random(1, 65535),
        of({ "a", "/", "%20", "." }, 5), table.concat(query, "&"), "f" .. of(names, 2))
      local parts = assert(lull.url.parse(text))
      local params = lull.array {}
      for name, value in pairs(parts.params) do
        params[#params + 1] = { hex(name), type(value) == "table" and value or { value } }
      end
      -- Python's strings, one character a byte.
      local function latin(s) return (s:gsub("[\128-\255]", function(c) return utf8.char(c:byte()) end)) end
      for _, pair in ipairs(params) do
        pair[1] = latin((pair[1]:gsub("%x%x", function(d) return string.char(tonumber(d, 16)) end)))
        for i, value in ipairs(pair[2]) do pair[2][i] = latin(value) end
      end
      table.sort(params, function(a, b) return a[1] < b[1] end)
      return { kind = "url", given = text, got = {
        parts.scheme, parts.user or lull.null, parts.password or lull.null, parts.host, parts.port, parts.path,
        parts.query, parts.fragment, params } }
    end)
  end)

  it("ENC-03 of references", function()
    compare(400, function()
      local base = "http://h/" .. of({ "a", "b/", "c/d", "/" }, 3)
      local href = of({ "x", "/", "../", "./", "y" }, 4) .. (random(1, 3) == 1 and "?q" or "")
      -- Where segments are empty, and above the root, Python's rules are older ones.
      if href:find("//") or base:find("//", 8) or href == "" then href = "z" base = "http://h/a/b" end
      local depth = select(2, base:sub(10):gsub("/", ""))
      if select(2, href:gsub("%.%./", "")) > depth then href = "../z" base = "http://h/a/b" end
      return { kind = "join", given = { base, href }, got = lull.url.join(base, href) }
    end)
  end)

  it("ENC-10 ENC-13 of dates", function()
    compare(900, function(i)
      local seconds = random(-62135596800 // 1, 253402300799)
      if i % 3 == 0 then
        return { kind = "isotext", given = seconds, got = lull.time.iso(seconds) }
      elseif i % 3 == 1 then
        return { kind = "http", given = seconds, got = lull.time.http(seconds) }
      end
      local text = ("%04d-%02d-%02dT%02d:%02d:%02d%s%s"):format(
        random(2, 9998), random(1, 12), random(1, 28), random(0, 23), random(0, 59), random(0, 59),
        ({ "", ".5", ".125" })[random(1, 3)],
        ({ "Z", "", "+05:30", "-11:00", "+14:00" })[random(1, 5)])
      return { kind = "iso", given = text, got = lull.time.parse(text) * 1000000 }
    end)
  end)

  it("ENC-20 of CSV that is written", function()
    local parts = { "a", ",", '"', "\n", "\r", " ", "\255", ";", "1.5" }
    compare(400, function()
      local rows, given = {}, {}
      for row = 1, random(1, 4) do
        rows[row], given[row] = {}, {}
        for field = 1, random(1, 4) do
          rows[row][field] = of(parts, 4)
          given[row][field] = hex(rows[row][field])
        end
      end
      return { kind = "write", given = given, got = hex(lull.csv.encode(rows)) }
    end)
  end)

  it("ENC-23 ENC-24 of CSV that is read, and of what is none", function()
    local parts = { "a", "bc", ",", ",", '"', '""', '"x"', "\n", "\r\n", "\r", " " }
    compare(800, function()
      local text = of(parts, 12)
      local rows = lull.csv.decode(text, { header = false })
      for _, row in ipairs(rows or {}) do
        for field, value in ipairs(row) do row[field] = hex(value) end
      end
      return { kind = "csv", given = hex(text), got = rows and lull.array(rows) }
    end)
  end)
end)
