import Testing

@Suite("LULL_LOG", .timeLimit(.minutes(20)))
struct LogEnvironmentTests {
  private static let code =
    "print(lull.service(lull.demo()):resource('/users/1'):load():await().http_status)"

  @Test func `writes its lines to standard error`() throws {
    let ending = try lull("-e", Self.code, environment: ["LULL_LOG": "network"])
    #expect(ending.output == "200\n")
    let lines = ending.errors.split(separator: "\n")
    #expect(!lines.isEmpty)
    #expect(lines.allSatisfy { $0.hasPrefix("[lull network]") })
    #expect(lines.contains { $0.contains("GET") && $0.contains("/users/1") })
    #expect(lines.contains { $0.contains("200") })
    #expect(ending.code == 0)
  }

  @Test func `takes several categories`() throws {
    let ending = try lull("-e", Self.code, environment: ["LULL_LOG": "network,state_changes"])
    #expect(ending.errors.contains("[lull network]"))
    #expect(ending.errors.contains("[lull state_changes]"))
  }

  @Test func `is silent unless asked`() throws {
    for value in [nil, ""] {
      let ending = try lull("-e", Self.code, environment: value.map { ["LULL_LOG": $0] } ?? [:])
      #expect(ending.errors == "")
    }
  }

  @Test func `says what is wrong with it`() throws {
    let ending = try lull("-e", Self.code, environment: ["LULL_LOG": "netwrok"])
    #expect(
      ending.errors
        == "lull: LULL_LOG: unknown log category 'netwrok' (did you mean 'network'?)\n")
    #expect(ending.output == "200\n")
    #expect(ending.code == 0)
  }
}
