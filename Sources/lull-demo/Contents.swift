/// Everything the server remembers, as it is at the start.
///
/// A value, so that `POST /reset` is one assignment and no part can be forgotten.
struct Contents: Sendable {
  var users = ItemCollection(.user, seeds: Self.users)
  var notes = ItemCollection(.note, seeds: Self.notes)
  var articles = ItemCollection(.article, seeds: Self.articles)
  var jobs = JobLedger()
  var tokens = TokenLedger()
  /// How often each key of `/flaky` was asked for.
  var attempts: [String: Int] = [:]
  /// When each key of `/limited` was asked for, as far as it counts.
  var requestTimes: [String: [ContinuousClock.Instant]] = [:]
  var count = 0
  /// The last requests that `/echo` got, at either origin.
  var received: [JSON] = []

  private static let users: [[JSON]] = [
    "Ada Lovelace", "Alan Turing", "Barbara Liskov", "Carl Gauss", "Dana Scott", "Donald Knuth",
    "Edsger Dijkstra", "Emmy Noether", "Frances Allen", "Grace Hopper", "Hedy Lamarr",
    "Ida Rhodes", "Jean Bartik", "John McCarthy", "Karen Jones", "Kurt Gödel", "Leslie Lamport",
    "Lynn Conway", "Mary Shaw", "Niklaus Wirth", "Ole Dahl", "Radia Perlman", "Robin Milner",
    "Sophie Wilson", "Tony Hoare",
  ].enumerated().map { index, name in
    let first = name.prefix { $0 != " " }.lowercased()
    let role = index == 0 ? "admin" : index % 5 == 4 ? "editor" : "member"
    return [
      .string(name), "\(first)\(index + 1)@example.com", .string(role), .int((index * 7) % 40),
    ]
  }

  private static let notes: [[JSON]] = [
    ["Buy milk", "Two litres, the blue one.", false],
    ["Call the plumber", "The tap in the kitchen drips.", true],
    ["Read RFC 9110", "At least the chapter on conditional requests.", false],
  ]

  /// Many, for clients that walk through pages.
  private static let articles: [[JSON]] = (1...200).map { number in
    let topics = ["tea", "trains", "tides", "type"]
    return [
      .string("Article \(number)"), .string(topics[number % topics.count]),
      .int(100 + (number * 37) % 900),
    ]
  }
}
