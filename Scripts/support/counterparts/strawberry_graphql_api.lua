-- The calls of strawberry_graphql.py. URL is replaced by the address of its server.
local lull = require "lull"
return { service = lull.service "URL", graphql = "library.graphql", calls = {
  book = { path = "/", graphql = "query Book($number: Int!) { book(number: $number) { title genre } }" },
  secret = { path = "/", graphql = "query Secret($number: Int!) { book(number: $number) { title secret } }" },
  books = { path = "/", pages = "relay", graphql = [[
    query Books($first: Int = 10, $after: String, $genre: Genre) {
      books(first: $first, after: $after, genre: $genre) {
        edges { node { title } }
        pageInfo { hasNextPage endCursor }
      }
    }]] },
  add = { path = "/", graphql = "mutation Add($book: NewBook!) { add(book: $book) { title genre tags } }" },
  count = { path = "/", graphql = "subscription Count($to: Int! = 3) { count(to: $to) }" },
} }
