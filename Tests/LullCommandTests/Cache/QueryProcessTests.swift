import LullCore
import LullLibC
import Synchronization
import Testing

/// Two processes that ask random queries of one server, with a cache that they share.
@Suite(.timeLimit(.minutes(20)))
struct QueryProcessTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// The two numbers of a query; nil if it is not valid.
  private static func numbers(_ body: [UInt8]) -> [Int]? {
    guard let root = try? JSONDocument(parsing: body).root, let a = root["a"]?.double,
      let b = root["b"]?[0]?.double
    else { return nil }
    return [Int(a), Int(b)]
  }

  /// Asks 600 random queries of 400, each in one of several spellings, and prints how many.
  private func script(_ url: String, _ cache: String, seed: Int) -> String {
    #"""
    math.randomseed(\#(seed))
    local api = lull.service { base_url = "\#(url)" }
    api:configure { expiration_time = 600, pipeline = { parsing = { cache = \#(cache) } } }
    local spellings = {
      '{"a":%d,"b":[%d]}', '{ "b" : [ %2$d.0 ], "a" : %1$d.00 }', '{"a":-1,"\\u0062":[%2$d],"a":%1$de0}',
      '{"a":%1$d0e-1,"b":[%2$d]}',
    }
    local count = 0
    for _ = 1, 600 do
      local a, b = math.random(20), math.random(20)
      local text = spellings[math.random(#spellings)]:gsub("%%1%$d", a):gsub("%%2%$d", b)
      text = text:find("%%d") and text:format(a, b) or text
      local search = api("/search"):query { data = text, content_type = "application/json" }
      local request = search:load_if_needed()
      if request then assert(request:await()) end
      local content = search.latest_data.content
      assert(content.a == a and content.b == b, text .. " has " .. search.latest_data.text)
      count = count + 1
    end
    print(count)
    """#
  }

  private func server() throws -> EchoServer {
    try EchoServer { request, _ in
      guard let numbers = QueryProcessTests.numbers(request.body) else {
        return .init(status: "400 Bad Request")
      }
      return .init(
        headers: ["Content-Type: application/json"],
        body: "{\"a\":\(numbers[0]),\"b\":\(numbers[1])}")
    }
  }

  /// How often each query was asked, at most.
  private func mostAsked(_ server: EchoServer) throws -> Int {
    var counts: [[Int]: Int] = [:]
    for request in server.requests {
      #expect(request.line == "QUERY /search")
      counts[try #require(QueryProcessTests.numbers(request.body)), default: 0] += 1
    }
    // 600 of 400 at random are hardly ever fewer than 280 different ones.
    #expect(counts.count > 280)
    return counts.values.max() ?? 0
  }

  @Test func `QUERY-16 two processes with one cache file ask each query once, one after the other`()
    throws
  {
    let server = try server()
    defer { server.stop() }
    let cache = "lull.cache.file { path = \"\(folder.path)/cache.db\" }"
    for seed in [1, 2] {
      let ending = try Child(
        Binaries.lull, ["-e", script("http://127.0.0.1:\(server.port)", cache, seed: seed)]
      ).wait()
      #expect(ending.errors == "")
      #expect(ending.output == "600\n")
    }
    #expect(try mostAsked(server) == 1)
  }

  @Test func `QUERY-16 SCA-20 two processes with a share server ask each query once, at one time`()
    throws
  {
    let server = try server()
    defer { server.stop() }
    let redis = try Redis()
    let children = try [3, 4].map { seed in
      try Child(
        Binaries.lull,
        ["-e", script("http://127.0.0.1:\(server.port)", "lull.cache.shared()", seed: seed)],
        environment: [
          "XDG_STATE_HOME": "\(folder.path)/\(seed)", "XDG_CACHE_HOME": "\(folder.path)/\(seed)",
          "LULL_SHARE": redis.url,
        ])
    }
    for child in children {
      let ending = try child.wait()
      #expect(ending.errors == "")
      #expect(ending.output == "600\n")
    }
    #expect(try mostAsked(server) == 1)
  }
}
