-- The same API file against a recording, Examples/tests/cassettes/github.har, as it was in June 2025.
local test = require "lull.test"

test("a server that is busy is asked again", function(t)
  local user = t.expect(t:api("github", { cassette = "github" }).calls.user{ user = "octocat" }):to_succeed()
  t.expect(user.content):to_contain{ login = "octocat", public_repos = 8 }
  t.expect(t.exchanges):to_have_count(2)
  t.expect(t.exchanges[1].status):to_be(503)
end)

test("a star is seen a minute later", function(t)
  local repos = t:api("github", { cassette = "github" }).calls.repos:resource{ user = "octocat" }
  t.expect(repos:load()):to_succeed()
  t.expect(os.date("!%Y-%m-%d")):to_be("2025-06-01")
  t.expect(repos.content[1].stargazers_count):to_be(80)
  t.clock:advance(61)
  t.expect(repos:load_if_needed()):to_succeed()
  t.expect(repos.content[1].stargazers_count):to_be(81)
end)

test("all pages are recorded", function(t)
  local names = {}
  for repos in t:api("github", { cassette = "github" }).calls.repos:pages{ user = "octocat" } do
    for _, repo in ipairs(repos) do names[#names + 1] = repo.name end
  end
  t.expect(names):to_equal{ "hello-world", "spoon-knife", "test-repo" }
end)
