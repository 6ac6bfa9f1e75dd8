package import LullHost

extension TestCase {
  package static let testTypes: [APIOwner] = [
    .testModule, .test, .testClock, .testNetwork, .expectation, .testAnswer, .testExchange,
    .expectedFailure, .snapshotOptions, .testServiceOptions, .testAPIOptions,
  ]
}

extension APIOwner {
  fileprivate static let testModule = APIOwner.object(
    "TestModule", receiver: "test",
    "What `require \"lull.test\"` gives in a file that `lull test` runs.",
    """
    Anywhere else `require "lull.test"` raises. The file is run once to see which tests it declares, then once for each \
    of them, in a state and a host of its own: what the file makes itself, each test has anew.

    Meanwhile `os.time()`, `os.date()` and `lull.now()` tell the test's time, and `math.random` gives the same numbers each \
    time. There is no `before_all`: tests share nothing.
    """,
    entries: [
      .operation(
        "__call", "(name: string, body: fun(t: Test))", shown: "test(name, body)",
        "Declares a test, by a name that no other test of the file has.",
        "The function may wait. The test fails if it raises, or if an expectation was not met."),
      .function(
        "each", "(cases: any[], name: string, body: fun(t: Test, case: any))",
        "Declares a test for each element of a list, which its function gets as second argument.",
        """
        In the name `{}` stands for the element, and `{key}` for a field of it; where nothing stands for anything, a \
        number is added.
        """),
      .function(
        "skip", "(name: string, body: fun(t: Test))",
        "Declares a test that is not run, but told of."),
      .function(
        "only", "(name: string, body: fun(t: Test))",
        "Declares a test beside which those are not run that are declared otherwise.",
        "Where the environment variable `CI` is set, it fails."),
      .function(
        "before_each", "(body: fun(t: Test))",
        "Has a function called before each test of the file, in its host; several in their order."),
      .function(
        "after_each", "(body: fun(t: Test))",
        "Has a function called after each test of the file, whether it has failed or not; the last one first."
      ),
    ])

  fileprivate static let test = APIOwner.object(
    "Test", receiver: "t", "What the function of a test is given.",
    entries: [
      .function(
        "expect", "(value: any): Expectation", "Something that is to be so, as the next call says."),
      .method(
        "api", "(name: string, options?: TestAPIOptions): API",
        "An API file, as `lull.api` finds it: below the folder of the command.",
        "With `cassette`, requests are answered from a recording."),
      .method(
        "service", "(base_url: string, options?: TestServiceOptions): Service",
        "A service at a URL, with more of what `lull.service` takes.",
        "With `cassette`, requests are answered from a recording."),
      .method(
        "cassette", "(name: string, options?: table)",
        "Has requests of any service answered from `cassettes/NAME.har` beside the file of tests.",
        "With `match`, a list of names of headers that count, and `hide`, one of fields that it hides. `lull test --record` writes the recording."
      ),
      .property("clock", "TestClock", "The time of the test."),
      .property("network", "TestNetwork", "The network of the test."),
      .property(
        "exchanges", "TestExchange[]",
        "What has been sent so far, below retries and limits, in order; each time a new list."),
      .property("name", "string", "What the test is called."),
      .property(
        "output", "string",
        "What has been printed so far, on standard output and error, up to a megabyte."),
    ])

  fileprivate static let testClock = APIOwner.object(
    "TestClock", receiver: "clock", "The time of a test, which stands still.",
    """
    All that has a time goes by it: staleness, retries, limits, watching, sleeps, timeouts, tokens, ages of caches. It \
    begins with the first second of 2026 (UTC), with a recording at its time. Where all that runs waits for a timer, it moves on to the next one by \
    itself.
    """,
    entries: [
      .property("now", "number", "Seconds since 1970."),
      .method(
        "advance", "(seconds: number)",
        "Moves it on, past all that becomes due meanwhile, in order; waits."),
      .method(
        "set", "(moment: number|string)",
        "Sets the time, as an administrator would: nothing becomes due by that.",
        "A number of seconds since 1970, or a text that `lull.time.parse` takes."),
    ])

  fileprivate static let testNetwork = APIOwner.object(
    "TestNetwork", receiver: "network",
    "The network of a test: what nobody has given an answer for fails the test.",
    """
    A path begins with `/` and is for every URL whose path ends so; a whole URL is for that. `*` stands for anything within \
    one part of a path, `**` for anything. The query counts only where it is given. Of several that fit, the longest \
    counts. Redirects are not followed, and cookies neither kept nor sent: an answer is what \
    the service gets.
    """,
    entries: [
      .method(
        "on",
        "(method: string, path: string, answer: TestAnswer|NetworkingFunction, ...: TestAnswer|NetworkingFunction)",
        "Gives the answers to such requests, in turn; the last one stays.",
        "They take the place of those that were given for the same method and path before."),
      .method(
        "fail",
        "(method: string, path: string, kind: \"refused\"|\"reset\"|\"cut\"|\"timeout\", options?: table)",
        "Has such requests fail as a network does.",
        "With `delay` in seconds; `timeout` takes as long as the request may take."),
    ])

  fileprivate static let expectation = APIOwner.object(
    "Expectation", receiver: "t.expect(x)", "What is expected of a value.",
    """
    What is not met raises at the line that expects it, and fails the test also where the error is caught. \
    `t.expect(x).never:to_equal(y)` expects the opposite.
    """,
    entries: [
      .property("never", "Expectation", "The opposite of what follows."),
      .method(
        "to_equal", "(expected: any)",
        "To be the same value all the way down; tells the paths that differ.",
        "Documents equal tables with the same in them."),
      .method(
        "to_be", "(expected: any)", "To be this very value, as `==` has it without metamethods."),
      .method(
        "to_be_a", "(type: string)",
        "To be of a type of Lua's, or an object of Lull's such as `Resource`."),
      .method(
        "to_have_count", "(count: integer)", "To be a list, record or string with so many parts."),
      .method("to_match", "(pattern: string)", "To be a string that a pattern of Lua's fits."),
      .method(
        "to_contain", "(part: any)",
        "To be a string with that in it, a list with such an element, or a record with all these fields."
      ),
      .method(
        "to_be_near", "(number: number, tolerance?: number)",
        "To be a number not farther than that from this one; a billionth part, unless given."),
      .method(
        "to_raise", "(text?: string): any",
        "To be a function that raises when it is called, with that in its message; gives what it raised."
      ),
      .method(
        "to_succeed", "(): Entity",
        "To be a request that succeeds, for which it waits; gives what came."),
      .method(
        "to_fail_with", "(expected: ExpectedFailure): RequestError",
        "To be a request that fails so, for which it waits; gives the error."),
      .method(
        "to_match_snapshot", "(options?: SnapshotOptions)",
        "To be what it was the last time, as `snapshots/FILE.snap` beside the file of tests has it.",
        """
        The first time it is written there, and by `lull test --update` each time; where `CI` is set it is never written, and fails \
        without. Content, tables and texts can be kept so.
        """),
    ])

  fileprivate static let testAnswer = APIOwner.table(
    "TestAnswer", extending: "StubAnswer", "An answer of `t.network:on`.",
    entries: [
      .field("delay", "number?", "Seconds of the test's time until it comes; default 0."),
      .field(
        "fail", "\"refused\"|\"reset\"|\"cut\"|\"timeout\"|nil",
        "In place of an answer: how the network fails, as in `t.network:fail`."),
    ])

  fileprivate static let testServiceOptions = APIOwner.table(
    "TestServiceOptions", extending: "ServiceOptions", "Options of `t:service`.",
    entries: cassetteFields)

  fileprivate static let testAPIOptions = APIOwner.table(
    "TestAPIOptions", "Options of `t:api`.", entries: cassetteFields)

  private static let cassetteFields: [APIEntry] = [
    .field(
      "cassette", "string?",
      "A recording, `cassettes/NAME.har` beside the file of tests, that answers what `t.network:on` has no answer for."
    ),
    .field(
      "match", "string[]?",
      "Names of headers by which its requests are told apart, besides method, URL and body."),
    .field(
      "hide", "string[]?",
      "Names of fields, parameters and headers that let somebody in and are not called so: their values are hidden in it as tokens are."
    ),
  ]

  fileprivate static let testExchange = APIOwner.table(
    "TestExchange", "An element of `t.exchanges`.",
    entries: [
      .field("method", "string", "The HTTP method."),
      .field("url", "string", "Where it was sent; secrets are masked."),
      .field(
        "headers", "table<string, string>", "What it was sent with, by names in small letters."),
      .field("body", "string?", "Its body."),
      .field("status", "integer?", "The status of the answer."),
      .field("http_status", "integer?", "The same as `status`."),
      .field("error", "string?", "Why there is none."),
      .field("sent_at", "number", "When it was sent, in the test's time."),
      .field("seconds", "number?", "How long it took; nil as long as it is under way."),
    ])

  fileprivate static let expectedFailure = APIOwner.table(
    "ExpectedFailure", "What `to_fail_with` expects.",
    entries: [
      .field("status", "integer?", "The HTTP status."),
      .field("http_status", "integer?", "The same as `status`."),
      .field("kind", "CauseKind?", "The kind of the cause."),
      .field("message", "string?", "What is in the message for users."),
    ])

  fileprivate static let snapshotOptions = APIOwner.table(
    "SnapshotOptions", "Options of `to_match_snapshot`.",
    entries: [
      .field(
        "name", "string?",
        "What it is called besides the test's name; needed for several in one test."),
      .field(
        "mask", "string[]?",
        "JSON Pointers to what is different each time, such as `\"/*/id\"`, where `*` stands for any key or element."
      ),
    ])
}
