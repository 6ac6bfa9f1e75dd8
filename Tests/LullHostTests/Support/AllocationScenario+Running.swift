extension AllocationScenario {
  static let waits: [AllocationScenario] = [
    AllocationScenario(
      name: "a load that is awaited",
      body: """
        local entity, none = assert(api("/a"):load():await())
        local nothing, err = api("/missing"):load():await()
        return entity.content.n .. err.http_status .. err.json_dict.message .. tostring(nothing)
        """),
    AllocationScenario(
      name: "tasks: arguments, results, failures and cancelling",
      body: """
        local function sum(...) lull.sleep(1) return select("#", ...), ... end
        local count, a, b, c = lull.spawn(sum, 1, "two", { 3 }):await()
        local failing = lull.spawn(function() lull.sleep(1) error({ code = 5 }) end)
        local ok, raised = pcall(failing.await, failing)
        local closed = 0
        local task = lull.spawn(function()
          local guard <close> = setmetatable({}, { __close = function() closed = closed + 1 end })
          lull.sleep(100)
        end)
        lull.sleep(1)
        task:cancel()
        local none, err = task:await()
        return count .. a .. b .. c[1] .. (raised.code or raised) .. closed .. err.cause.kind .. task.state
          .. tostring(task)
        """),
    AllocationScenario(
      name: "all and any",
      body: """
        local both = assert(lull.all{ api("/a"):load(), lull.spawn(function() return 5 end) })
        local first = assert(lull.any{ api("/missing"):load(), api("/t"):load() })
        local none, err = lull.all{ api("/missing"):load(), lull.spawn(lull.sleep, 10) }
        return both[1].content.n + both[2] .. first.text .. err.http_status
        """),
    AllocationScenario(
      name: "map, timeout and wait_until",
      body: """
        local names = lull.map({ 1, 2, 3, 4 }, function(i) lull.sleep(i) return "n" .. i end,
          { concurrency = 2 })
        local late, err = lull.timeout(1, function() lull.sleep(5) end)
        local a, b = lull.timeout(5, function() lull.sleep(1) return "in", "time" end)
        local calls = 0
        local ready = lull.wait_until(function() calls = calls + 1 return calls == 3 and "ready" end)
        return table.concat(names) .. err.cause.kind .. a .. b .. ready
        """),
    AllocationScenario(
      name: "lull.run inside a task",
      body: """
        local done = 0
        lull.spawn(function() lull.sleep(1) done = done + 1 end)
        lull.spawn(function() lull.sleep(2) done = done + 1 end)
        lull.run()
        return done
        """),
  ]

  static let coroutines: [AllocationScenario] = [
    AllocationScenario(
      name: "waits inside wrapped coroutines",
      body: """
        local items = coroutine.wrap(function()
          for i = 1, 3 do
            lull.sleep(1)
            local inner = coroutine.wrap(function() coroutine.yield(assert(api("/t"):load():await()).text) end)
            coroutine.yield(i, inner())
          end
        end)
        local text = ""
        for i, word in items do text = text .. i .. word end
        return text
        """),
    AllocationScenario(
      name: "waits inside resumed coroutines that are closed",
      body: """
        local log = {}
        local co = coroutine.create(function(a)
          local guard <close> = setmetatable({}, { __close = function() log[#log + 1] = "closed" end })
          lull.sleep(1)
          log[#log + 1] = coroutine.yield(a)
          lull.sleep(1)
          error({ "raised" })
        end)
        local _, a = coroutine.resume(co, "a")
        local ok, raised = coroutine.resume(co, "b")
        local other = coroutine.create(function()
          local guard <close> = setmetatable({}, { __close = function() log[#log + 1] = "too" end })
          coroutine.yield()
        end)
        coroutine.resume(other)
        local closed, why = coroutine.close(other)
        return a .. tostring(ok) .. (type(raised) == "table" and raised[1] or raised)
          .. coroutine.status(co) .. table.concat(log) .. tostring(closed) .. tostring(why)
        """),
    AllocationScenario(
      name: "a task cancelled in a wait inside its own coroutines",
      body: """
        local task = lull.spawn(function()
          coroutine.wrap(function()
            local guard <close> = setmetatable({}, { __close = function() return {} end })
            coroutine.wrap(function() lull.sleep(100) end)()
          end)()
        end)
        lull.sleep(1)
        task:cancel()
        return task.state
        """),
    AllocationScenario(
      name: "waits where nothing can be suspended",
      body: """
        local ok, text = pcall(table.sort, { 1, 2, 3 }, function() lull.sleep(1) end)
        local _, other = pcall(string.gsub, "x", "x", function() lull.sleep(1) end)
        return (text:match("cannot wait") or text) .. (other:match("cannot wait") or other)
        """),
  ]

  static let callbacks: [AllocationScenario] = [
    AllocationScenario(
      name: "observers",
      body: """
        local heard = {}
        local r = api("/a")
        local observation = r:observe(function(resource, event, source)
          heard[#heard + 1] = event .. (source or "")
        end)
        local owner = {}
        local table_observer = {
          resource_changed = function(self, resource, event) heard[#heard + 1] = #event end,
          resource_request_progress = function(self, resource, fraction) end,
          stopped_observing = function(self, resource) heard[#heard + 1] = "stopped" end,
        }
        r:add_observer(table_observer):add_observer(function() lull.sleep(1) end, owner)
        assert(r:load():await())
        r:invalidate()
        r:remove_observers(owner)
        r:remove_observers(table_observer)
        observation:stop()
        lull.sleep(1)
        return table.concat(heard, " ") .. tostring(observation.resource)
        """),
    AllocationScenario(
      name: "observers whose owner dies",
      body: """
        local stopped = 0
        local r = api("/a")
        do
          local owner = {}
          r:add_observer({ resource_changed = function() return owner end,
            stopped_observing = function() stopped = stopped + 1 end }, owner)
        end
        collectgarbage() collectgarbage()
        lull.sleep(1)
        r:override_local_content("x")
        lull.sleep(1)
        return "told"
        """),
    AllocationScenario(
      name: "hooks",
      body: """
        local heard = {}
        local function hear(name) return function(value) heard[#heard + 1] = name .. type(value) end end
        local request = api("/a"):load()
          :on_completion(hear("completion")):on_success(hear("success")):on_new_data(hear("data"))
          :on_failure(hear("failure")):on_not_modified(hear("not")):on_progress(hear("progress"))
        request:await()
        request:on_completion(hear("late"))
        lull.sleep(1)
        return table.concat(heard, " ")
        """),
    AllocationScenario(
      name: "configuring",
      body: """
        api:configure("/a", function(config)
          config.headers["x-a"] = "1"
          config.expiration_time = config.expiration_time + 1
          config:mutate_requests(function(http) http.headers["x-b"] = http.headers["x-a"] .. "2" end)
          config:decorate_requests(function(resource, request)
            return request:chained(function(response) return response end)
          end)
          config.pipeline.order = { "parsing", "mine" }
          config.pipeline.mine:add(function(content, entity) return { content.n, entity:header("etag") } end)
        end)
        api:configure("/**", { headers = { d = "4" }, retry_time = 2 }, { methods = { "GET" }, description = "d" })
        local content = assert(api("/a"):load():await()).content
        api:invalidate_configuration()
        return content[1] .. content[2] .. api:configuration_for(api("/a")).headers.d
        """),
    AllocationScenario(
      name: "transformers",
      body: """
        api:transform("/a", function(content, entity)
          lull.sleep(1)
          return setmetatable({ n = content.n + 1 }, { __name = "Thing" })
        end, { input = "json", content_types = { "*/json" } })
        api:transform("/a", function(content) return { n = content.n + 1 } end,
          { stage = "cleanup", input = function(content) return type(content) == "table" end })
        api:transform("/t", function(content) return nil end)
        local r = api("/a")
        local entity = assert(r:load():await())
        local none, err = api("/t"):load():await()
        return entity.content.n .. r.content.n .. err.cause.kind
        """),
    AllocationScenario(
      name: "response transformers",
      body: """
        api:configure("/a", function(config)
          config.pipeline.cleanup:add_transformer(function(response)
            lull.sleep(1)
            local entity = lull.copy(response.entity)
            entity.content = { "changed", entity.content.n }
            return lull.success(entity, { is_new = true })
          end)
        end)
        return lull.json.encode(assert(api("/a"):load():await()).content)
        """),
    AllocationScenario(
      name: "a memory cache",
      body: """
        local cache = lull.cache.memory()
        api:configure("/a", { pipeline = { model = { cache = cache } } })
        api:transform("/a", function(content) return { n = content.n } end)
        assert(api("/a"):load():await())
        lull.sleep(1)
        api("/a"):wipe()
        api:wipe_resources()
        return assert(api("/a"):load_if_needed():await()).content.n .. tostring(cache)
        """),
    AllocationScenario(
      name: "a cache of the script's own",
      body: """
        local store, calls = {}, {}
        local function call(name, value) calls[#calls + 1] = name lull.sleep(1) return value end
        local cache = {
          key = function(_, resource, stage) return { resource.url, stage } end,
          read = function(_, key) return call("read", store[key[1]]) end,
          write = function(_, key, entity) store[key[1]] = lull.copy(entity) call("write") end,
          update_timestamp = function(_, key, timestamp) call("update") end,
          remove = function(_, key) store[key[1]] = nil call("remove") end,
        }
        api:configure("/a", { pipeline = { parsing = { cache = cache } } })
        assert(api("/a"):load():await())
        lull.sleep(5)
        api("/a"):wipe()
        lull.sleep(5)
        return table.concat(calls, " ")
        """),
    AllocationScenario(
      name: "the log's handler",
      body: """
        local lines = 0
        lull.log.handler = function(category, line) lines = lines + 1 end
        lull.log.enabled = "all"
        assert(api("/a"):load():await())
        lull.log.enabled = nil
        lull.log.handler = nil
        return lines > 3 and "logged"
        """),
  ]
}
