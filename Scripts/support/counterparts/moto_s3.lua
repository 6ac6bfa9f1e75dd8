-- Tests signed S3 requests: puts, gets, lists and uploads objects in parts from files. Wrongly
-- signed requests must be rejected.
local lull = require "lull"
local url, folder = ...

local function service(changes)
  local credentials = { env = true, service = "s3" }
  for name, value in pairs(changes or {}) do credentials[name] = value end
  return lull.service { base_url = url, auth = lull.auth.aws_sigv4(credentials) }
end

local function write(name, text)
  local path = folder .. "/" .. name
  local file <close> = assert(io.open(path, "wb"))
  file:write(text)
  return path
end

local s3 = service()
assert(s3("/things"):put { text = "<CreateBucketConfiguration><LocationConstraint>eu-central-1"
  .. "</LocationConstraint></CreateBucketConfiguration>" }:await())

local keys = {
  "plain", "with space", "plus+plus", "per%cent", "percent%2Fslash", "a/b//c", "tilde~", "umlaut-äöü", "star*'()!",
  "eq=&amp;", "quest?ion", "hash#tag", "semi;colon:at@", "日本", "comma,dollar$", "brackets[]{}",
  "back\\slash", "x/./y/../z",
}
for i, key in ipairs(keys) do
  local path = "/things/" .. lull.url.encode(key):gsub("%%2F", "/")
  -- The key is escaped in the path, except for slashes.
  local object = s3:resource_at(url .. path)
  local entity, problem = object:put { data = "object " .. i }:await()
  assert(entity, key .. ": " .. tostring(problem))
  local got = assert(object:get():await())
  assert(tostring(got.content) == "object " .. i, key)
end

-- Queries, in any order and encoding.
for _, query in ipairs {
  "?list-type=2", "?prefix=with%20space&list-type=2", "?list-type=2&prefix=with+space", "?max-keys=3&list-type=2",
  "?list-type=2&prefix=a/b&delimiter=%2F", "?list-type=2&prefix=umlaut-ä", "?versioning", "?list-type=2&prefix=~",
} do
  local entity, problem = s3:resource_at(url .. "/things" .. query):get():await()
  assert(entity, query .. ": " .. tostring(problem))
end
local listing = assert(s3("/things"):with_params { ["list-type"] = 2, prefix = "with space" }:get():await())
assert(listing.text:find("<Key>with space</Key>", 1, true), listing.text)

-- A file, and a multipart upload of files.
local large = write("large", ("0123456789abcdef"):rep(1 << 16))
assert(s3("/things/large"):put(lull.file(large)):await())
assert(#assert(s3("/things/large"):get():await()).content == 1 << 20)
keys[#keys + 1] = "large"

local parts = { write("one", ("1"):rep(5 << 20)), write("two", ("2"):rep(5 << 20)), write("three", "3") }
local started = assert(s3:resource_at(url .. "/things/in%20parts?uploads"):post():await())
local id = assert(started.text:match("<UploadId>(.-)</UploadId>"), started.text)
local list = {}
for i, path in ipairs(parts) do
  local part = s3("/things/in parts"):with_params { uploadId = id, partNumber = i }
  local etag = assert(part:put(lull.file(path)):await()).headers.etag
  list[i] = ("<Part><PartNumber>%d</PartNumber><ETag>%s</ETag></Part>"):format(i, etag)
end
assert(s3("/things/in parts"):with_params { uploadId = id }:post {
  text = "<CompleteMultipartUpload>" .. table.concat(list) .. "</CompleteMultipartUpload>",
}:await())
assert(assert(s3("/things/in parts"):head():await()).headers["content-length"] == tostring((10 << 20) + 1))
keys[#keys + 1] = "in parts"

-- Signed headers and unsigned bodies.
local headers = { ["x-amz-meta-two"] = "a   b", ["Cache-Control"] = "no-cache" }
assert(s3("/things/plain"):put({ text = "x" }, { headers = headers }):await())
assert(service { unsigned_payload = true }("/things/plain"):put { text = "y" }:await())

-- Requests that must be rejected.
local function isOut(api)
  local entity, problem = api("/things"):get():await()
  assert(not entity and problem.http_status == 403, tostring(problem))
end
local access = os.getenv "AWS_ACCESS_KEY_ID"
isOut(service { env = false, access_key = access, secret_key = "wrong", region = "eu-central-1" })
isOut(service { env = false, access_key = "AKIAIOSFODNN7EXAMPLE", secret_key = "x", region = "eu-central-1" })

io.write(lull.json.encode(keys))
