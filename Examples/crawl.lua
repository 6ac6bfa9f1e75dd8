-- Walks through a list of 200 articles page by page, and loads each of them, eight at a time.
local lull = require "lull"
local api = lull.service{ base_url = lull.demo(), expiration_time = 300 }

-- The list comes in pages of 50; each says in its Link header which one is next.
local ids = {}
for articles, page in api("/articles"):with_param("per_page", 50):pages() do
  print(("%-28s %d articles"):format(page.url:match("/articles.*"), #articles))
  for _, article in ipairs(articles) do ids[#ids + 1] = article.id end
end

-- Eight requests are on their way at any time; results come in the order of the list. An error in one would cancel
-- the rest.
local running, most = 0, 0
local articles = assert(lull.map(ids, function(id)
  running = running + 1
  most = math.max(most, running)
  local entity = assert(api("/articles/" .. id):load_if_needed():await())
  running = running - 1
  return entity.content
end, { concurrency = 8 }))
print("loaded", #articles, "at most " .. most .. " at a time")

local topics = {}
for _, article in ipairs(articles) do
  local topic = topics[article.topic] or { count = 0, words = 0 }
  topic.count, topic.words = topic.count + 1, topic.words + article.words
  topics[article.topic] = topic
end
local names = {}
for name in pairs(topics) do names[#names + 1] = name end
table.sort(names)
for _, name in ipairs(names) do
  print(("%-8s %3d articles %6d words"):format(name, topics[name].count, topics[name].words))
end

-- What is fresh is not loaded again: the same walk once more asks the server for nothing.
local again = 0
for page in api("/articles"):with_param("per_page", 50):pages() do again = again + #page end
print("once more", again, api("/articles/1"):load_if_needed())
