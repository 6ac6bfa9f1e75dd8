import LullArguments
import Testing

@Suite(.timeLimit(.minutes(20)))
struct NearestNameTests {
  private let names = [
    "expiration_time", "retry_time", "headers", "timeout", "connect_timeout", "max_body_size",
    "url", "id",
  ]

  @Test(arguments: [
    ("expiraton_time", "expiration_time"), ("expirationTime", "expiration_time"),
    ("Headers", "headers"), ("haeders", "headers"), ("header", "headers"),
    ("timeuot", "timeout"), ("time_out", "timeout"), ("conect_timout", "connect_timeout"),
    ("ulr", "url"), ("uri", "url"), ("di", "id"),
  ])
  func `a slip of the fingers leads to the name that was meant`(name: String, expected: String) {
    #expect(NearestName.suggestion(for: name, among: names) == expected)
  }

  @Test(arguments: ["", "x", "foo", "body", "cache", "xy"])
  func `what resembles no name leads nowhere`(name: String) {
    #expect(NearestName.suggestion(for: name, among: names) == nil)
  }

  @Test func `of equally near names the first is suggested, of others the nearest`() {
    #expect(NearestName.suggestion(for: "cast", among: ["cost", "cat", "cast2"]) == "cost")
    #expect(NearestName.suggestion(for: "timers", among: ["timeout", "times"]) == "times")
    #expect(NearestName.suggestion(for: "a", among: [] as [String]) == nil)
  }
}
