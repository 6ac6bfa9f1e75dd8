-- The sample API, with a bit of everything: `lull call sample --help` from the folder Examples.
--
--   lull call sample users --all -o table
--   lull call sample add_user --name "Ann Lee" --role admin
--   lull call sample flaky --fail 2 -v
--   lull explain sample /users/7
local lull = require "lull"

local base = lull.env("SAMPLE_API") or lull.demo()

local api = lull.service{
  base_url = base,
  name = "Sample",
  headers = { Accept = "application/json" },
  expiration_time = 10,
  -- Never more than this, however many scripts of the process ask at once.
  concurrency = 4,
  rate_limit = { requests = 100, per = 1 },
  -- The way there: how long its parts may take, and who may send us elsewhere.
  connect_timeout = 5,
  first_byte_timeout = 15,
  redirects = "same_origin",
  cookies = true,
}

-- What fails now and then is sent again, unless that might do something twice.
api:configure("/flaky", {
  retry = { times = 3, on = { 503, "network" }, backoff = { base = 0.05, max = 1 } },
})

-- A credential by where it comes from: logs, errors and --curl show only its name.
api:configure("/echo", {
  auth = lull.auth.bearer(lull.secret{ command = "echo not-a-secret", name = "SAMPLE_TOKEN" }),
})

-- Here the server wants a token that it gives itself. It is fetched when the first request needs it,
-- shared by all, and renewed when it has run out.
api:configure("/private", {
  auth = lull.auth.oauth2_client_credentials{
    token_url = base .. "/oauth/token",
    client_id = "lull",
    client_secret = lull.secret{ command = "echo s3cr3t", name = "SAMPLE_CLIENT" },
  },
})

-- What seldom changes outlives the process: `lull cache` shows it, and --offline answers from it. That
-- is by URL: with a server that stays, `lull demo --port 8080` and SAMPLE_API=http://127.0.0.1:8080.
api:configure("/articles/*", {
  expiration_time = 3600,
  pipeline = { parsing = { cache = lull.cache.file() } },
})

-- Users get a method of their own; everybody who loads one gets it.
local User = {}
User.__index = User
function User:initials() return (self.name:gsub("(%a)%a*%s*", "%1")) end

api:transform("/users/*", function(content)
  return setmetatable(lull.copy(content), User)
end, { input = "table", on_input_type_mismatch = "skip" })  -- what a DELETE answers is empty

return {
  service = api,
  description = "The sample API of lull demo",
  calls = {
    users = {
      path = "/users",
      params = { page = "integer", per_page = { type = "integer", default = 10 } },
      description = "All users, in pages",
      columns = { "id", "name", "role" },
      pages = true,
    },
    user = { path = "/users/{id}", params = { id = "integer" }, description = "One user" },
    add_user = {
      path = "/users",
      method = "POST",
      params = {
        name = { type = "string", required = true },
        email = "string",
        role = { type = { "admin", "member" }, default = "member" },
      },
      description = "Add a user",
    },
    change_user = {
      path = "/users/{id}",
      method = "PATCH",
      params = { id = "integer", name = "string", email = "string", role = { "admin", "member" } },
      description = "Change some fields of a user",
    },
    remove_user = {
      path = "/users/{id}",
      method = "DELETE",
      params = { id = "integer" },
      description = "Remove a user",
    },
    article = { path = "/articles/{id}", params = { id = "integer" }, description = "One article, kept on disk" },
    private = { path = "/private", description = "What only those with a token may read" },
    flaky = {
      path = "/flaky",
      params = {
        fail = { type = "integer", default = 2, description = "How often it answers 503 first" },
        key = { type = "string", default = "sample" },
      },
      description = "Fails at first; is tried again",
    },
    feed = {
      path = "/feed",
      pages = { cursor = { param = "cursor", field = "next" } },
      description = "A list whose pages name the next one",
    },
    echo = {
      path = "/echo",
      method = "POST",
      params = { note = "string", data = "json" },
      description = "What was sent, with a credential that is not shown",
    },
  },
}
