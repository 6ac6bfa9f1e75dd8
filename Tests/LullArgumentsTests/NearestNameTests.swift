import LullArguments
import Testing

struct NearestNameTests {
  private let names = [
    "expiration_time", "retry_time", "headers", "timeout", "connect_timeout", "max_body_size",
    "url", "id",
  ]

  @Test(
    "a slip of the fingers leads to the name that was meant",
    arguments: [
      ("expiraton_time", "expiration_time"), ("expirationTime", "expiration_time"),
      ("Headers", "headers"), ("haeders", "headers"), ("header", "headers"),
      ("timeuot", "timeout"), ("time_out", "timeout"), ("conect_timout", "connect_timeout"),
      ("ulr", "url"), ("uri", "url"), ("di", "id"),
    ])
  func suggests(name: String, expected: String) {
    #expect(NearestName.suggestion(for: name, among: names) == expected)
  }

  @Test("what resembles no name leads nowhere", arguments: ["", "x", "foo", "body", "cache", "xy"])
  func suggestsNothing(name: String) {
    #expect(NearestName.suggestion(for: name, among: names) == nil)
  }

  @Test("of equally near names the first is suggested, of others the nearest")
  func prefersTheNearest() {
    #expect(NearestName.suggestion(for: "cast", among: ["cost", "cat", "cast2"]) == "cost")
    #expect(NearestName.suggestion(for: "timers", among: ["timeout", "times"]) == "times")
    #expect(NearestName.suggestion(for: "a", among: [] as [String]) == nil)
  }
}
