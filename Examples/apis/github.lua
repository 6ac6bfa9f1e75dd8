-- GitHub, as far as reading goes: put it into ./apis or ~/.config/lull/apis.
--
--   lull call github repos --user octocat -o table
--   lull call github search --q 'language:lua stars:>1000' -f 'map(x.items, "full_name")'
--   lull get github /rate_limit
--
-- Sixty requests an hour without a token; set GITHUB_TOKEN for more.
local lull = require "lull"

local api = lull.service{
  base_url = "https://api.github.com",
  name = "GitHub",
  headers = {
    Accept = "application/vnd.github+json",
    ["X-GitHub-Api-Version"] = "2022-11-28",
  },
  expiration_time = 60,
  timeout = 30,
  concurrency = 8,
  retry = { times = 3, on = { 429, 502, 503, 504, "network" } },
}

if lull.env("GITHUB_TOKEN") then
  api:configure{ auth = lull.auth.bearer(lull.secret{ env = "GITHUB_TOKEN" }) }
end

-- These change seldom.
api:configure("/licenses/**", { expiration_time = 86400 })

local page = { page = "integer", per_page = { type = "integer", description = "At most 100" } }

-- Parameters of the path are of the call, those of pages of many.
local function with_pages(params)
  for name, kind in pairs(page) do params[name] = kind end
  return params
end

return {
  service = api,
  description = "GitHub's REST API: users, repositories, issues, search",
  calls = {
    user = {
      path = "/users/{user}",
      params = { user = "string" },
      description = "A user or organisation",
    },
    repos = {
      path = "/users/{user}/repos",
      params = with_pages{
        user = "string",
        type = { "all", "owner", "member" },
        sort = { "created", "updated", "pushed", "full_name" },
        direction = { "asc", "desc" },
      },
      description = "Repositories of a user",
      columns = { "name", "stargazers_count", "language", "pushed_at" },
      pages = true,
    },
    repo = {
      path = "/repos/{owner}/{repo}",
      params = { owner = "string", repo = "string" },
      description = "A repository",
    },
    issues = {
      path = "/repos/{owner}/{repo}/issues",
      params = with_pages{
        owner = "string",
        repo = "string",
        state = { "open", "closed", "all" },
        labels = { type = "string", description = "Names, separated by commas" },
        since = { type = "string", description = "Updated since then, as 2025-01-31T00:00:00Z" },
      },
      description = "Issues and pull requests of a repository",
      columns = { "number", "state", "user.login", "title" },
      pages = true,
    },
    comment = {
      path = "/repos/{owner}/{repo}/issues/{number}/comments",
      method = "POST",
      params = {
        owner = "string",
        repo = "string",
        number = "integer",
        body = { type = "string", required = true, description = "Markdown" },
      },
      description = "Comment on an issue; needs a token",
    },
    search = {
      path = "/search/repositories",
      params = with_pages{
        q = { type = "string", required = true, description = "As on the site: lua stars:>1000" },
        sort = { "stars", "forks", "help-wanted-issues", "updated" },
        order = { "asc", "desc" },
      },
      description = "Search repositories",
      pages = true,
    },
  },
}
