-- Tests of the API file for GitHub, without GitHub: `lull test` in the folder Examples.
local test = require "lull.test"

local rate_limited = {
  status = 429, headers = { ["retry-after"] = "30" }, json = { message = "API rate limit exceeded" },
}

test.before_each(function(t)
  t.network:on("GET", "/users/octocat/repos", {
    json = { { name = "hello-world", stargazers_count = 80 }, { name = "spoon-knife", stargazers_count = 12 } },
    headers = { link = '<https://api.github.com/users/octocat/repos?page=2>; rel="next"' },
  })
  t.network:on("GET", "/users/octocat/repos?page=2", { json = { { name = "test-repo", stargazers_count = 0 } } })
end)

test("repositories are fresh for a minute", function(t)
  local repos = t:api("github").calls.repos:resource{ user = "octocat" }
  t.expect(repos:load()):to_succeed()
  t.clock:advance(59)
  t.expect(repos:load_if_needed()):to_be(nil)
  t.clock:advance(2)
  t.expect(repos:load_if_needed()):to_succeed()
  t.expect(t.exchanges):to_have_count(2)
  t.expect(t.exchanges[1].headers):to_contain{ ["x-github-api-version"] = "2022-11-28" }
  t.expect(repos.content):to_match_snapshot()
end)

test("all pages are walked", function(t)
  local names = {}
  for repos in t:api("github").calls.repos:pages{ user = "octocat" } do
    for _, repo in ipairs(repos) do names[#names + 1] = repo.name end
  end
  t.expect(names):to_equal{ "hello-world", "spoon-knife", "test-repo" }
end)

test("a rate limit is waited for as long as it says", function(t)
  t.network:on("GET", "/users/octocat", rate_limited, { json = { login = "octocat" } })
  local before = t.clock.now
  local user = t.expect(t:api("github").calls.user{ user = "octocat" }):to_succeed()
  t.expect(user.content.login):to_be("octocat")
  t.expect(t.clock.now - before >= 30):to_be(true)
end)

test.each({ "refused", "reset" }, "three retries, then it fails: {}", function(t, kind)
  t.network:fail("GET", "/users/octocat", kind)
  t.expect(t:api("github").calls.user{ user = "octocat" }):to_fail_with{ kind = "connection" }
  t.expect(t.exchanges):to_have_count(4)
end)

test("a missing user is an error", function(t)
  t.network:on("GET", "/users/nobody", { status = 404, json = { message = "Not Found" } })
  t.expect(t:api("github").calls.user{ user = "nobody" }):to_fail_with{ status = 404 }
end)
