-- A script with the calls of strawberry_graphql_api.lua.
local lull = require "lull"
local library = lull.api(arg[1])

local book = library.calls.book:resource { number = 3 }
assert(book == library.calls.book:resource { number = 3 }, "equal variables give the same resource")
assert(book:load_if_needed():await())
assert(book:load_if_needed() == nil, "the book is fresh")
assert(book.content.book.title == "Book 3 – ü", book.content.book.title)

local entity, err = library.calls.secret { number = 5 }:await()
assert(entity.content.book.title == "Book 5 – ü" and err.cause.kind == "graphql")
assert(err.cause.errors[1].path == "book.secret", err.cause.errors[1].path)
assert(err.cause.errors[1].line == 1)

local added = assert(library.calls.add { book = { title = "Ü", genre = "FICTION", tags = { "a", "b" } } }:await())
assert(added.content.add.title == "Ü" and added.content.add.genre == "FICTION" and #added.content.add.tags == 2)

local ok, problem = pcall(function() return library.calls.books:resource { genre = "POETRY" } end)
assert(not ok and tostring(problem):find("must be FICTION or FACT", 1, true), problem)

local numbers = {}
for row in library.calls.count:resource { to = 5 }:events() do numbers[#numbers + 1] = row.count end
assert(table.concat(numbers, " ") == "1 2 3 4 5", table.concat(numbers, " "))
