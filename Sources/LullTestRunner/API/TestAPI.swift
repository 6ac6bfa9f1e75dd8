package import LullHost

extension TestCase {
  package static let testTypes: [APIOwner] = [
    .testModule, .test, .testClock, .testNetwork, .expectation, .testAnswer, .stubbedRequest,
    .testExchange, .expectedFailure, .snapshotOptions, .testServiceOptions, .testAPIOptions,
  ]
}

extension APIOwner {
  fileprivate static let testModule = APIOwner.object(
    "TestModule", receiver: "test",
    "The table that `require \"lull.test\"` returns in a file that `lull test` runs.",
    """
    In any other file, `require "lull.test"` raises an error. The test file runs once to find its \
    tests, and then once for each test, in a new Lua state and host: each test has its own copy of \
    everything that the file makes.

    `os.time()`, `os.date()` and `lull.now()` return the test's time, and `math.random` returns \
    the same numbers each time. There is no `before_all`: tests share nothing.
    """,
    entries: [
      .operation(
        "__call", "(name: string, body: fun(t: Test))", shown: "test(name, body)",
        "Declares a test, with a name that no other test of the file has.",
        """
        The function may wait. The test fails if the function raises an error, or if an \
        expectation was not met.
        """),
      .function(
        "each", "(cases: any[], name: string, body: fun(t: Test, case: any))",
        """
        Declares a test for each element of a list; the function gets the element as its second \
        argument.
        """,
        """
        In the name, `{}` is replaced by the element, and `{key}` by the field `key` of the \
        element. If the name contains neither, a number is added to it.
        """),
      .function(
        "skip", "(name: string, body: fun(t: Test))",
        "Declares a test that is skipped and reported."),
      .function(
        "only", "(name: string, body: fun(t: Test))",
        "Declares a test. If a run has tests that are declared with `only`, no other tests run.",
        "If the environment variable `CI` is set, a file with such a test fails."),
      .function(
        "before_each", "(body: fun(t: Test))",
        """
        Runs a function before each test of the file, in the test's host; several functions run in \
        the order in which they were declared.
        """),
      .function(
        "after_each", "(body: fun(t: Test))",
        """
        Runs a function after each test of the file, even if the test failed; several functions \
        run in reverse order.
        """
      ),
    ])

  fileprivate static let test = APIOwner.object(
    "Test", receiver: "t", "The argument of a test's function.",
    entries: [
      .function(
        "expect", "(value: any): Expectation",
        "Starts an expectation about a value; the next method call states the expectation."),
      .method(
        "api", "(name: string, options?: TestAPIOptions): API",
        "Loads an API file, as `lull.api` does, relative to the folder in which `lull test` runs.",
        "With `cassette`, requests are answered from a recording."),
      .method(
        "service", "(base_url: string, options?: TestServiceOptions): Service",
        "Makes a service with a URL and other options of `lull.service`.",
        "With `cassette`, requests are answered from a recording."),
      .method(
        "cassette", "(name: string, options?: table)",
        """
        Answers requests of any service from the recording `cassettes/NAME.har` beside the test \
        file.
        """,
        """
        The option `match` is a list of header names to compare, and the option `hide` a list of \
        names of fields to hide. `lull test --record` writes the recording.
        """
      ),
      .property("clock", "TestClock", "The time of the test."),
      .property("network", "TestNetwork", "The network of the test."),
      .property(
        "exchanges", "TestExchange[]",
        """
        The requests sent so far, in order, with each retry as a separate request; a new list each \
        time.
        """),
      .property("name", "string", "The name of the test."),
      .property(
        "output", "string",
        "The output printed so far, on standard output and error, up to a megabyte."),
    ])

  fileprivate static let testClock = APIOwner.object(
    "TestClock", receiver: "clock", "The simulated clock of a test.",
    """
    Everything that depends on time uses this clock: staleness, retries, limits, watching, sleeps, \
    timeouts, tokens, ages of caches. The clock starts at the first second of 2026 (UTC), or at \
    the time of a recording. If everything that runs waits for a timer, the time moves to the next \
    timer automatically.
    """,
    entries: [
      .property("now", "number", "The time of the test, in seconds since 1970."),
      .method(
        "advance", "(seconds: number)",
        "Moves the time forward, and waits while all timers that become due fire in order."),
      .method(
        "set", "(moment: number|string)",
        "Sets the time as if an administrator had set the clock: no timer becomes due.",
        "The time is a number of seconds since 1970, or a text that `lull.time.parse` accepts."),
    ])

  fileprivate static let testNetwork = APIOwner.object(
    "TestNetwork", receiver: "network",
    "The network of a test: a request without a stub fails the test.",
    """
    A stub is set for a path or for a whole URL. A path begins with `/` and matches every URL \
    whose path ends with it; a whole URL matches only that URL. `*` matches anything within a path \
    segment, `**` anything. The query is compared only if the stub has a query. A table such as \
    `{ path = "/search", json = { term = "tea" } }` matches only requests with that body. If \
    several stubs match, the longest path or URL is used, and of equally long ones a stub with a \
    body. Redirects are not followed, and cookies are neither \
    stored nor sent: the service gets exactly the response.
    """,
    entries: [
      .method(
        "on",
        "(method: string, path: string|StubbedRequest, answer: TestAnswer|NetworkingFunction, ...: TestAnswer|NetworkingFunction)",
        """
        Sets the responses to requests with a method and path, one after the other; the last \
        response repeats.
        """,
        "The responses replace those that were set earlier for the same method and path."),
      .method(
        "fail",
        "(method: string, path: string|StubbedRequest, kind: \"refused\"|\"reset\"|\"cut\"|\"timeout\", options?: table)",
        "Makes requests with a method and path fail as if the network had failed.",
        """
        The option `delay` is in seconds. A failure `"timeout"` comes when the request's own \
        timeout has passed.
        """),
    ])

  fileprivate static let expectation = APIOwner.object(
    "Expectation", receiver: "t.expect(x)", "An expectation about a value.",
    """
    An expectation that is not met raises an error at its line, and the test fails even if the \
    error is caught. `t.expect(x).never:to_equal(y)` expects the opposite.
    """,
    entries: [
      .property(
        "never", "Expectation",
        "An expectation about the same value, whose methods expect the opposite."),
      .method(
        "to_equal", "(expected: any)",
        "Expects a deeply equal value; otherwise reports the paths that differ.",
        "A document is equal to a table with the same contents."),
      .method(
        "to_be", "(expected: any)",
        """
        Expects the same value: for tables, the same table; for other values, a value that is \
        equal by `==`.
        """),
      .method(
        "to_be_a", "(type: string)",
        "Expects a type of Lua, or an object of Lull such as `Resource`."),
      .method(
        "to_have_count", "(count: integer)", "Expects a list, record or string of that length."),
      .method("to_match", "(pattern: string)", "Expects a string that matches a Lua pattern."),
      .method(
        "to_contain", "(part: any)",
        """
        Expects a string that contains `part`, a list with an element like `part`, or a record \
        with all fields of `part`.
        """
      ),
      .method(
        "to_be_near", "(number: number, tolerance?: number)",
        """
        Expects a number that differs from `number` by at most `tolerance`; default a billionth of \
        `number`, at least 1e-9.
        """),
      .method(
        "to_raise", "(text?: string): any",
        """
        Expects a function that raises an error when it is called, with `text` in the message; \
        returns the error.
        """
      ),
      .method(
        "to_succeed", "(): Entity",
        "Expects a request that succeeds, and waits for it; returns the entity."),
      .method(
        "to_fail_with", "(expected: ExpectedFailure): RequestError",
        """
        Expects a request that fails with the given status, kind or message, and waits for it; \
        returns the error.
        """),
      .method(
        "to_match_snapshot", "(options?: SnapshotOptions)",
        "Expects the value that is stored in `snapshots/FILE.snap` beside the test file.",
        """
        The value is stored the first time, and each time with `lull test --update`. If the \
        environment variable `CI` is set, no value is stored, and a missing value fails the test. \
        Content, tables and texts can be stored.
        """),
    ])

  fileprivate static let testAnswer = APIOwner.table(
    "TestAnswer", extending: "StubAnswer", "A response of `t.network:on`.",
    entries: [
      .field(
        "delay", "number?",
        "Seconds of the test's time until the response arrives; default 0."),
      .field(
        "fail", "\"refused\"|\"reset\"|\"cut\"|\"timeout\"|nil",
        "A failure of the network instead of a response, as in `t.network:fail`."),
    ])

  fileprivate static let stubbedRequest = APIOwner.table(
    "StubbedRequest", extending: "Body", "The path and the body of the requests of a stub.",
    """
    The allowed fields are those of `Body`, and `path`. JSON is compared by value, a form by its \
    fields in any order, and other bodies byte by byte. The content type is not compared.
    """,
    entries: [.field("path", "string", "The path or the whole URL of the requests.")])

  fileprivate static let testServiceOptions = APIOwner.table(
    "TestServiceOptions", extending: "ServiceOptions", "Options of `t:service`.",
    entries: cassetteFields)

  fileprivate static let testAPIOptions = APIOwner.table(
    "TestAPIOptions", "Options of `t:api`.", entries: cassetteFields)

  private static let cassetteFields: [APIEntry] = [
    .field(
      "cassette", "string?",
      """
      A recording, `cassettes/NAME.har` beside the test file, for requests that `t.network:on` \
      does not answer.
      """
    ),
    .field(
      "match", "string[]?",
      "Names of headers to compare in requests, besides method, URL and body."),
    .field(
      "hide", "string[]?",
      """
      Names of further fields, parameters and headers that hold credentials. Their values are \
      hidden like tokens.
      """
    ),
  ]

  fileprivate static let testExchange = APIOwner.table(
    "TestExchange", "An element of `t.exchanges`.",
    entries: [
      .field("method", "string", "The HTTP method."),
      .field("url", "string", "The URL that the request was sent to; secrets are masked."),
      .field(
        "headers", "table<string, string>",
        "The headers that the request was sent with, by names in lower case."),
      .field("body", "string?", "The body of the request."),
      .field("status", "integer?", "The status of the response."),
      .field("http_status", "integer?", "The same as `status`."),
      .field("error", "string?", "The reason why there is no response."),
      .field(
        "sent_at", "number",
        "When the request was sent, in the test's time, in seconds since 1970."),
      .field(
        "seconds", "number?",
        "How long the exchange took, in seconds; nil while the request is in flight."),
    ])

  fileprivate static let expectedFailure = APIOwner.table(
    "ExpectedFailure", "The failure that `to_fail_with` expects.",
    entries: [
      .field("status", "integer?", "The HTTP status."),
      .field("http_status", "integer?", "The same as `status`."),
      .field("kind", "CauseKind?", "The kind of the cause."),
      .field("message", "string?", "A text that the message for users must contain."),
    ])

  fileprivate static let snapshotOptions = APIOwner.table(
    "SnapshotOptions", "Options of `to_match_snapshot`.",
    entries: [
      .field(
        "name", "string?",
        """
        The name of the snapshot, which is added to the name of the test. Further snapshots of a \
        test without a name are numbered.
        """),
      .field(
        "mask", "string[]?",
        """
        JSON Pointers to values that change each time, such as `"/*/id"`, where `*` matches any \
        key or element.
        """
      ),
    ])
}
