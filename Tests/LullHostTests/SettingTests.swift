import LullCore
import Testing

@testable import LullHost

/// Each setting's descriptor has every part, and what is read after it was written is what was written.
@Suite(.timeLimit(.minutes(20)))
struct SettingTests {
  /// What a script gives, and what it reads then, both in Lua; nil: the same, or nothing to be read.
  private struct Sample {
    let given: String
    let read: String?

    init(_ given: String, reads read: String? = nil) {
      self.given = given
      self.read = read
    }
  }

  private static let samples: [String: Sample] = [
    "headers": Sample("{ ['X-A'] = 'b' }"),
    "expiration_time": Sample("5.5"), "retry_time": Sample("2.5"),
    "writes_invalidate": Sample("false"), "query_method": Sample("'POST'"),
    "progress_reporting_interval": Sample("0.5"), "timeout": Sample("7.5"),
    "connect_timeout": Sample("1.5"), "max_body_size": Sample("2048"),
    "connections_per_host": Sample("3"),
    "retry": Sample(
      "{ times = 2, on = 'tls' }",
      reads: """
        { times = 2, on = { 'tls' }, unsafe = false,
          backoff = { base = 0.5, max = 30.0, jitter = true } }
        """),
    "rate_limit": Sample(
      "{ requests = 6, per = 2.5, learn = true, free = 304 }",
      reads: """
        { requests = 6, per = 2.5, shared = false, strict = false, learn = true, free = { 304 } }
        """),
    "concurrency": Sample("4"),
    "ca_file": Sample("'ca.pem'"), "insecure": Sample("true"), "client_cert": Sample("'me.pem'"),
    "client_key": Sample("'me.key'"), "proxy": Sample("'http://localhost:3128'"),
    "no_proxy": Sample("{ 'localhost', '.example.com' }", reads: "'localhost,.example.com'"),
    "resolve": Sample("{ ['api.example.com:443'] = '127.0.0.1' }"),
    "unix_socket": Sample("'/run/docker.sock'"), "http_version": Sample("'1.1'"),
    "first_byte_timeout": Sample("3.5"),
    "idle_timeout": Sample("4.5"), "response_type": Sample("'json'"),
    "redirects": Sample("'same_origin'"),
    "cookies": Sample("true"), "allow_truncated": Sample("true"), "record_timings": Sample("true"),
    "validate": Sample("'warn'"), "graphql": Sample("true"), "persisted_queries": Sample("true"),
    "pipeline": Sample("{ order = { 'decoding', 'model' } }"),
    "auth": Sample("lull.auth.basic('ann', 'secret')"),
    "mutate_requests": Sample("function() end"),
    "decorate_requests": Sample("{ function(_, request) return request end }"),
  ]

  @Test func `every setting has every part`() throws {
    for setting in Setting.all {
      let name = setting.name
      #expect(Setting.named(name)?.name == name)
      let property = setting.documentation.property(called: name)
      let field = setting.documentation.field(called: name)
      for entry in [property, field] {
        #expect(entry.summary.hasSuffix("."), "\(name)")
        #expect(entry.type.isEmpty == (entry.kind == .method), "\(name)")
        #expect(entry.swift?.isEmpty == false, "\(name)")
      }
      #expect(setting.isMethod == (property.kind == .method), "\(name)")
      #expect(field.type.hasSuffix("?") || field.type.hasSuffix("|nil"), "\(name)")
      if case .functions = setting.explanation {
        #expect(setting.isMethod, "\(name)")
      } else {
        #expect(!setting.isMethod, "\(name)")
      }
    }
    #expect(Set(Setting.names).count == Setting.all.count)
    #expect(Set(Setting.propertyEntries.map(\.name)) == Set(Setting.names))
    #expect(Setting.fieldEntries.map(\.name) == Setting.propertyEntries.map(\.name))
    #expect(Set(Self.samples.keys) == Set(Setting.names), "each setting needs a sample here")
  }

  @Test func `what is read after writing is what was written`() throws {
    let harness = try HostHarness()
    for setting in Setting.all where !setting.isMethod {
      let sample = try #require(Self.samples[setting.name])
      let isField = if case .field = setting.access { true } else { false }
      let end = harness.run(
        """
        local function text(value) return lull.inspect(value) end
        local function read(config) return text(config.\(setting.name)) end
        local api, states = lull.service("https://x.test"), {}
        api:configure(function(config)
          states[1] = read(config)
          config.\(setting.name) = \(sample.given)
          states[2] = read(config)
          local value = config.\(setting.name)
          if \(isField) and type(value) ~= "table" then config.\(setting.name) = value end
          states[3] = read(config)
        end)
        local written = text(api:configuration_for(api("/a")).\(setting.name))
        local other = lull.service("https://x.test")
        other:configure{ \(setting.name) = \(sample.given) }
        local fromTable = text(other:configuration_for(other("/a")).\(setting.name))
        assert(#states == 3, "the function raised")
        assert(states[3] == states[2], states[3])
        assert(written == fromTable, written .. " is not " .. fromTable)
        if not \(isField) then return "same" end
        assert(states[1] ~= states[2], "the sample is the default")
        local expected = text(\(sample.read ?? sample.given))
        return states[2] == expected and written == expected and "same" or states[2]
        """)
      #expect(end == .finished("same"), "\(setting.name)")
    }
    harness.finish()
  }

  @Test func `parts of the configuration are what scripts have written`() throws {
    let harness = try HostHarness()
    let given = Setting.all.compactMap { setting in
      Self.samples[setting.name].map { "\(setting.name) = \($0.given)" }
    }
    #expect(
      harness.run(
        """
        api = lull.service("https://x.test")
        api:configure{ \(given.joined(separator: ", ")) }
        return "done"
        """) == .finished("done"))
    let services = harness.host.handles.objects(.service, as: Service.self)
    let service = try #require(services.first)
    let settings = service.resource("/a").configuration(for: "GET")
    let standard = Configuration()
    for setting in Setting.all {
      if setting.isMethod {
        #expect(setting.functionCount(in: settings) == 1, "\(setting.name)")
      } else if !["headers", "pipeline"].contains(setting.name) {
        #expect(setting.words(in: settings) != setting.words(in: standard), "\(setting.name)")
      }
    }
    // Explanations in Swift tell of the same settings, and of who has changed each.
    let explanation = service.resource("/a").explanation()
    for setting in Setting.all where setting.name != "headers" {
      let member = setting.documentation.swift.split(separator: "(")[0].split(separator: ".")
      let told = explanation.settings.first {
        $0.name.split(separator: ".").last == member.last
      }
      #expect(told?.source?.place != nil, "\(setting.documentation.swift)")
    }
    #expect(explanation["headers.x-a"]?.value == "b")
    #expect(explanation.settings.count == Setting.all.count)
    #expect(settings.headers["x-a"] == "b")
    #expect(settings.pipeline.order.map(\.description) == ["decoding", "model"])
    harness.run("api = nil")
    harness.finish()
  }

  @Test func `what does not fit raises with the name of the setting`() throws {
    let harness = try HostHarness()
    for setting in Setting.all {
      let end = harness.run(
        """
        local api, wrong, problem = lull.service("https://x.test"), coroutine.create(print), nil
        local ok, err = pcall(function() api:configure{ \(setting.name) = wrong } end)
        if not ok and not tostring(err):find("'\(setting.name)'", 1, true) then return err end
        api:configure(function(config)
          local isMethod = \(setting.isMethod)
          local ok, err = pcall(function()
            if isMethod then config:\(setting.name)(wrong) else config.\(setting.name) = wrong end
          end)
          problem = ok and "it was taken" or not isMethod and tostring(err)
            or "'\(setting.name)'"
        end)
        api:configuration_for(api("/a"))
        return not ok and tostring(problem):find("'\(setting.name)'", 1, true) and "raised"
          or tostring(problem)
        """)
      #expect(end == .finished("raised"), "\(setting.name)")
    }
    harness.finish()
  }
}
