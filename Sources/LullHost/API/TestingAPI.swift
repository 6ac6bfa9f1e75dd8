extension APIOwner {
  static let testing = APIOwner.module(
    "lull.testing", "For tests of scripts.",
    entries: [
      .function(
        "stub", "(answers: table<string, StubAnswer>): NetworkingFunction",
        "A networking function that answers from a table in place of the network.",
        """
        A key is a method and a path such as `"GET /users/7"`, or a method and a whole URL; of \
        several paths that fit the end of a URL the longest counts. A request without a stub \
        fails with kind `network`; the message names it and the stubs there are.
        """,
        example: """
          local fake = lull.service{ base_url = "https://x.test",
            networking = lull.testing.stub{ ["GET /a"] = { json = { n = 1 } } } }
          print(assert(fake("/a"):load():await()).content.n)     --> 1
          print(select(2, fake("/b"):load():await()).user_message)
          --> unstubbed request GET https://x.test/b; the stubs are: GET /a
          """)
    ])

  static let stubAnswer = APIOwner.table(
    "StubAnswer", "One answer of `lull.testing.stub`.",
    "`json` and `text` bring a content type of their own unless the headers name one.",
    entries: networkAnswer.entries)
}
