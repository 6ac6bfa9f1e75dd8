-- Reads of JSON services by POST: each read is a resource, which is loaded once, shared and cached.
-- Writes are ordinary requests, and the script says which reads they change.
local lull = require "lull"
local url, folder = ...

-- The operation is in a header, which is not part of a query. So each operation has a service.
local function service(target, type, name)
  local api = lull.service {
    base_url = url, auth = lull.auth.aws_sigv4 { env = true, service = name },
    headers = { ["X-Amz-Target"] = target },
    query_method = "POST", expiration_time = 3600, writes_invalidate = false,
    retry = { times = 2, backoff = { base = 0.01 } },
    pipeline = { decoding = { cache = lull.cache.file { path = folder .. "/cache.db" } } },
  }
  api:transform(lull.json.decode, {
    stage = "parsing", action = "append", content_types = { type }, transform_errors = true,
  })
  return { api = api, type = type }
end

local function read(operation, content, headers)
  return operation.api("/"):query { data = lull.json.encode(content), content_type = operation.type, headers = headers }
end

local function write(operation, content, headers)
  local body = { data = lull.json.encode(content), content_type = operation.type }
  return operation.api("/"):post(body, { headers = headers }):await()
end

local function dynamo(operation)
  return service("DynamoDB_20120810." .. operation, "application/x-amz-json-1.0", "dynamodb")
end

-- Loads if needed; the content, and whether a request was needed.
local function load(resource)
  local request = resource:load_if_needed()
  if request then assert(request:await()) end
  return resource.latest_data.content, request ~= nil
end

local create, put, update, batch = dynamo "CreateTable", dynamo "PutItem", dynamo "UpdateItem", dynamo "BatchWriteItem"
assert(write(create, {
  TableName = "things", BillingMode = "PAY_PER_REQUEST",
  AttributeDefinitions = { { AttributeName = "k", AttributeType = "S" }, { AttributeName = "s", AttributeType = "N" } },
  KeySchema = { { AttributeName = "k", KeyType = "HASH" }, { AttributeName = "s", KeyType = "RANGE" } },
}))
for i = 1, 25 do
  local number = { N = tostring(i) }
  assert(write(put, { TableName = "things", Item = { k = { S = "a" }, s = number, n = number } }))
end

-- A read is loaded once for all callers, however its content is made.
local get, query = dynamo "GetItem", dynamo "Query"
local key = { TableName = "things", Key = { k = { S = "a" }, s = { N = "3" } } }
-- The first answer is 503: a read is repeated.
local busy = { ["X-Test-Busy"] = "1" }
local item = read(get, key, busy)
assert(item.method == "POST")
assert(load(item).Item.n.N == "3")
assert(read(get, { Key = { s = { N = "3" }, k = { S = "a" } }, TableName = "things" }, busy) == item)
assert(item:load_if_needed() == nil)

local all = {
  TableName = "things", KeyConditionExpression = "k = :k", ExpressionAttributeValues = { [":k"] = { S = "a" } },
}
local whole = read(query, all)
assert(#load(whole).Items == 25)

-- Pages: the key of the last item is an object, so a function makes the next page.
local count, turns = 0, 0
local first = {}
for name, value in pairs(all) do first[name] = value end
first.Limit = 10
local function after(content)
  if not content.LastEvaluatedKey then return nil end
  local page = { ExclusiveStartKey = content.LastEvaluatedKey }
  for name, value in pairs(first) do page[name] = value end
  return read(query, page)
end
for content in read(query, first):pages { next = after } do
  count, turns = count + #content.Items, turns + 1
end
assert(count == 25 and turns == 3, count .. " items, " .. turns .. " pages")

-- Equal contents of different operations are different reads.
local table_only = { TableName = "things" }
local reads = {
  DescribeTable = { table_only, function(content) return content.Table.TableName == "things" end },
  DescribeTimeToLive = { table_only, function(content) return content.TimeToLiveDescription ~= nil end },
  ListTables = { {}, function(content) return content.TableNames[1] == "things" end },
  Scan = { table_only, function(content) return content.Count == 25 end },
  BatchGetItem = {
    { RequestItems = { things = { Keys = { key.Key } } } },
    function(content) return content.Responses.things[1].n.N == "3" end,
  },
}
for operation, case in pairs(reads) do
  local resource = read(dynamo(operation), case[1])
  local content, isLoaded = load(resource)
  assert(isLoaded and case[2](content), operation)
end

-- Other services have them from the file.
for operation, case in pairs(reads) do
  assert(case[2](load(read(dynamo(operation), case[1]))), operation)
end

local ssm = "application/x-amz-json-1.1"
assert(write(service("AmazonSSM.PutParameter", ssm, "ssm"), { Name = "greeting", Value = "hello", Type = "String" }))
local parameter = read(service("AmazonSSM.GetParameter", ssm, "ssm"), { Name = "greeting" })
assert(load(parameter).Parameter.Value == "hello")

-- A write is not repeated, and makes nothing stale by itself.
local change = {
  TableName = "things", Key = key.Key, UpdateExpression = "SET n = :n",
  ExpressionAttributeValues = { [":n"] = { N = "33" } },
}
local done, problem = write(update, change, busy)
assert(not done and problem.http_status == 503)
assert(write(update, change))
local fourth = { k = { S = "a" }, s = { N = "4" } }
assert(write(batch, { RequestItems = { things = { { DeleteRequest = { Key = fourth } } } } }))
assert(item.is_up_to_date and whole.is_up_to_date)
assert(load(item).Item.n.N == "3")

-- The script knows which reads have changed. Without validators, each is loaded again.
item:invalidate()
whole:invalidate()
assert(load(item).Item.n.N == "33")
assert(#load(whole).Items == 24)

local missing, gone = read(dynamo "DescribeTable", { TableName = "nothing" }):load():await()
assert(not missing and gone.http_status == 400)
assert(gone.entity.content.__type:find "ResourceNotFoundException", gone.entity.text)

local numbers = lull.array {}
for i, found in ipairs(whole.content.Items) do numbers[i] = found.n.N end
io.write(lull.json.encode(numbers))
