extension AllocationScenario {
  static let values: [AllocationScenario] = [
    AllocationScenario(
      name: "strings, numbers and booleans",
      body: """
        local r = api("/a")
        return r.url .. tostring(r.is_loading) .. r.timestamp .. tostring(r) .. tostring(r.latest_data)
        """),
    AllocationScenario(
      name: "new userdata of a service with settings",
      body: """
        local s = lull.service{ base_url = "https://other.test/", name = "other",
          headers = { a = "1", b = { "2", "3" }, c = false }, expiration_time = 3 }
        return s.name .. s("/x").url .. s("/x").service.base_url
        """),
    AllocationScenario(
      name: "lists of requests",
      body: """
        local r = api("/a")
        local first, second = r:load(), r:get()
        local count = #r.all_requests + #r.load_requests
        first:cancel() second:cancel()
        return count
        """),
    AllocationScenario(
      name: "maps, read-only maps and headers",
      body: """
        local e = lull.entity{
          content = "x", headers = { ["X-One"] = "1", ["X-Two"] = { "2", "3" } } }
        local names = {}
        for name, value in pairs(e.headers) do names[#names + 1] = name .. "=" .. value end
        table.sort(names)
        e.headers["x-three"] = "4"
        e.headers = { ["x-four"] = 5 }
        local settings = api:configuration_for(api("/a"))
        local refused = select(2, pcall(function() settings.headers = {} end))
        return table.concat(names, " ") .. tostring(e:header("x-four")) .. settings.expiration_time
          .. settings.pipeline.order[2] .. refused
        """),
    AllocationScenario(
      name: "iterators: a bound method",
      setup: "kept = { api('/a'), api('/b'), api('/c') }",
      body: """
        local count = 0
        for r in api:resources() do count = count + #r.url end
        return count
        """),
    AllocationScenario(
      name: "navigation",
      body: """
        local r = api("/a")
        return r:child("b").url .. r:relative("../c").url .. r:with_param("q", "1").url
          .. r:with_params{ x = "2", y = 3 }.url .. tostring(r:optional_relative(nil))
          .. api:resource_at("https://x.test/y").url .. api:resource_under("https://z.test", "/w").url
        """),
    AllocationScenario(
      name: "secrets",
      body: """
        local secret = lull.secret{ env = "X", name = "x", origins = { "https://x.test" } }
        local text = "a " .. secret .. 1
        local r = api("/a"):with_params{ key = text, page = 1 }
        local request = r:post({ json = { secret, { k = text } } }, function(http)
          http.headers["X-Key"] = secret
        end)
        request:cancel()
        r:post({ form = { k = secret } }):cancel()
        return tostring(text) .. lull.json.encode{ secret, { k = text } } .. r.url
          .. tostring(lull.auth.basic("u", secret))
        """),
    AllocationScenario(
      name: "entities, errors and responses of the script's own",
      body: """
        local e = lull.entity{ content = { 1, 2 }, content_type = "application/json" }
        local copy = lull.copy(e)
        copy.content = { 3 }
        copy:touch()
        local err = lull.error{ user_message = "no", http_status = 404, cause = { kind = "mine" }, entity = e }
        local good, bad = lull.success{ content = "yes" }, lull.failure(err)
        return #e.content + copy.content[1] .. err.cause.kind .. #err.entity.content
          .. good.entity.text .. bad.error.user_message .. tostring(bad) .. tostring(err)
        """),
    AllocationScenario(
      name: "regular expressions and patterns",
      body: """
        local pattern = lull.regex("/A", "i")
        api:configure(pattern, { expiration_time = 7 })
        api:configure(function(url) return url:find("a", 1, true) end, { retry_time = 8 })
        local settings = api:configuration_for(api("/a"))
        return settings.expiration_time + settings.retry_time .. tostring(pattern)
        """),
    AllocationScenario(
      name: "texts of misuse",
      body: """
        local texts = {}
        for _, wrong in ipairs{
          function() return api.bse_url end, function() return api("/a"):lod() end,
          function() api:resource(1, 2, 3) end, function() api.resource("/a") end,
          function() lull.service{ bse_url = "x" } end, function() lull.sleep("soon") end,
          function() api("/a").url = "x" end, function() lull.spawn(1) end,
        } do texts[#texts + 1] = select(2, pcall(wrong)) end
        return table.concat(texts, "\\n")
        """),
    AllocationScenario(
      name: "closed objects",
      setup: """
        do
          local r = api("/a")
          setmetatable({}, { __gc = function() risen = r end })
        end
        collectgarbage() collectgarbage()
        """,
      body: """
        local _, text = pcall(function() return risen.url end)
        return text .. tostring(risen) .. select(2, pcall(risen.load, risen))
          .. select(2, pcall(api.configure, api, risen, {}))
        """),
  ]

  static let contents: [AllocationScenario] = [
    AllocationScenario(
      name: "the tables of a document",
      setup: "resource = api('/a') assert(resource:load():await())",
      body: """
        local content = resource.content
        assert(content == resource.content and content == resource.latest_data.content)
        assert(content.null == lull.null)
        return content.n .. content.list[3].k .. resource.json_dict.n .. #resource.text
        """),
    AllocationScenario(
      name: "JSON of the script's own",
      body: #"""
        local value = lull.json.decode([[{"a": [1, 2.5, "x\u00e9", null, true], "b": {"c": {}}}]])
        local text = lull.json.encode({ 1, { k = "v" }, lull.array{}, lull.null }, { pretty = true })
        local none, problem = lull.json.decode("[1,")
        local ok, why = pcall(lull.json.encode, { x = { print } })
        return #value.a .. value.a[3] .. text .. problem .. why
        """#),
    AllocationScenario(
      name: "inspecting and copying",
      body: """
        local t = { 1, "two", { deep = { deeper = { api } } }, [true] = 5, x = setmetatable({}, {
          __tostring = function() return "own" end }) }
        t.self = t
        local copy = lull.copy(t)
        return #lull.inspect(t) .. #lull.inspect(copy, { depth = 2 }) .. copy[3].deep.deeper[1].base_url
        """),
    AllocationScenario(
      name: "content of the script's own in a resource",
      body: """
        local r = api("/own")
        r:override_local_content({ name = "Ann" })
        local first = r.content.name
        r:override_local_data(lull.entity{ content = { name = "Ben" } })
        local second = r.content.name
        r:wipe()
        r:override_local_content("text")
        return first .. second .. r.text
        """),
    AllocationScenario(
      name: "bodies of requests",
      body: #"""
        local r = api("/a")
        local made = assert(r:post{ json = { 1, { a = "b" } } }:await())
        assert(r:post{ form = { a = 1, b = true, c = "x y" } }:await())
        assert(r:post({ text = "hello", content_type = "text/x" }, function(http)
          http.headers["x-a"] = "1"
          http.body = http.body .. http.method .. #http.url
        end):await())
        local _, err = r:post{ json = { print } }:await()
        return tostring(made.json_dict.made) .. err.cause.kind .. err.cause.path
        """#),
  ]
}
