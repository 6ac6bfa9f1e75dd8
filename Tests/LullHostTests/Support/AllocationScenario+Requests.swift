extension AllocationScenario {
  static let requests: [AllocationScenario] = [
    AllocationScenario(
      name: "chains",
      body: """
        local r = api("/a")
        local function fresh() return r:load() end
        local replaced = fresh():chained(function(response)
          lull.sleep(1)
          return lull.success{ content = { response.entity.content.n } }
        end)
        local passed = fresh():chained(function() return api("/t"):load() end)
        local kept = fresh():chained(function() end)
        return replaced:await().content[1] .. passed:await().text .. kept:await().content.n
          .. tostring(passed:repeated():start():await().text)
        """),
    AllocationScenario(
      name: "custom requests",
      body: """
        local function functions(name)
          return {
            description = name,
            start = function(complete) lull.sleep(1) complete(lull.success{ content = { name } }) end,
            progress = function() return 0.5 end,
            cancel = function() cancelled = true end,
            repeated = function() return { start = function(complete) complete(lull.failure("again")) end } end,
          }
        end
        local request = lull.custom_request(functions("work")):start()
        local progress = request.progress
        local entity = assert(request:await())
        local none, err = request:repeated():start():await()
        local stopped = lull.custom_request(functions("stop")):start()
        stopped:cancel()
        return entity.content[1] .. err.user_message .. tostring(cancelled) .. tostring(request) .. progress
        """),
    AllocationScenario(
      name: "hard-wired requests and loads with them",
      body: """
        local r = api("/hard")
        r:load_using(lull.hard_wired_request(lull.success{ content = { "hard" } })):await()
        local none, err = lull.failed_request(lull.error{ user_message = "no", cause = { 1 } }):await()
        return r.content[1] .. err.user_message .. err.cause[1]
        """),
    AllocationScenario(
      name: "a networking function",
      body: """
        local complete_later
        local own = lull.service{ base_url = "https://own.test", networking = function(http, complete, report)
          if http.url:find("later", 1, true) then
            report{ received = 1, to_receive = 2 }
            complete_later = complete
            return
          end
          lull.sleep(1)
          return { status = 201, headers = { ["X-Path"] = { http.url, http.method } }, json = { 1, 2 } }
        end }
        local later = own("/later"):load()
        local entity = assert(own("/now"):load():await())
        complete_later({ text = "late" })
        return #entity.content .. entity:header("x-path") .. later:await().text
        """),
    AllocationScenario(
      name: "stubs",
      body: """
        local own = lull.service{ base_url = "https://own.test", networking = lull.testing.stub{
          ["GET /x"] = { json = { name = "x" } }, ["GET /y"] = { status = 500, text = "broken" } } }
        local entity = assert(own("/x"):load():await())
        local none, err = own("/y"):load():await()
        local _, unknown = own("/z"):load():await()
        return entity.content.name .. err.http_status .. err.text .. unknown.user_message
        """),
    AllocationScenario(
      name: "cancelling what is in flight",
      body: """
        local r = api("/a")
        local heard = {}
        r:observe(function(_, event) heard[#heard + 1] = event end)
        local request = r:load():on_failure(function(err) heard[#heard + 1] = err.cause.kind end)
        request:cancel()
        local called = 0
        r:cancel_load_if_unobserved(1, function() called = called + 1 end)
        lull.sleep(2)
        return table.concat(heard, " ") .. called .. request.state .. tostring(request.response)
        """),
  ]

  static let failures: [AllocationScenario] = [
    AllocationScenario(
      name: "errors of every type in callbacks",
      body: """
        local texts = {}
        local function failing(value) return function() error(value) end end
        lull.on_error(function(err, traceback, where)
          texts[#texts + 1] = (type(err) == "string" and err or type(err)) .. #where
          return true
        end)
        local r = api("/a")
        r:observe(failing("text"))
        r:observe(failing({ 1 }))
        r:observe(failing(lull.error("mine")))
        r:observe(failing(setmetatable({}, { __tostring = function() error("twice") end })))
        r:observe(failing(print))
        assert(r:load():await())
        lull.on_error(nil)
        return table.concat(texts, " ")
        """),
    AllocationScenario(
      name: "errors that become a request's error",
      body: """
        lull.on_error(function() return true end)
        local kinds = {}
        local function hear(request)
          local _, err = request:await()
          local value = err.cause.value
          kinds[#kinds + 1] = err.cause.kind .. (value and value.code or err.cause.message)
        end
        api:transform("/a", function() lull.sleep(1) error({ code = 7 }) end)
        hear(api("/a"):load())
        hear(lull.custom_request{ start = function() error({ code = 8 }) end }:start())
        hear(api("/t"):load():chained(function() error({ code = 9 }) end))
        lull.on_error(nil)
        return table.concat(kinds, " ")
        """),
    AllocationScenario(
      name: "errors in a task nobody awaits",
      body: """
        local heard = 0
        lull.on_error(function() heard = heard + 1 return true end)
        lull.spawn(function() error("lonely") end)
        lull.spawn(function() lull.sleep(1) local t = nil; return t.x end)
        lull.sleep(2)
        collectgarbage() collectgarbage()
        lull.sleep(1)
        lull.on_error(nil)
        return "ended"
        """),
    AllocationScenario(
      name: "a script that catches what fails and tries again",
      body: """
        local function insist(fn, ...)
          for _ = 1, 20 do
            local results = table.pack(pcall(fn, ...))
            if results[1] then return table.unpack(results, 2, results.n) end
            last = results[2]
          end
          error(last, 0)
        end
        local entity = insist(function() return assert(api("/a"):load():await()) end)
        local names = insist(function() return lull.map({ 1, 2 }, function(i) lull.sleep(1) return i end) end)
        return entity.content.n .. #names
        """),
  ]
}
