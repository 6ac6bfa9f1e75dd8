import LullCore
import LullTesting
import Notes
import Testing

/// Without a network, and without waiting: the clock stands still until a test moves it.
@Suite(.timeLimit(.minutes(1))) struct NoteBookTests {
  private static let url = "https://notes.test"
  private static let list = url + "/notes"

  @Test func `what is done is not listed`() throws {
    try Lull.test { test in
      test.network.stub(
        "GET", Self.list,
        .json(
          #"""
          [{"id": 1, "title": "Tea", "body": "", "done": false},
           {"id": 2, "title": "Milk", "body": "", "done": true}]
          """#))
      let book = NoteBook(home: test, baseURL: Self.url)
      let open = try await book.open()
      #expect(open == ["Tea"])
    }
  }

  @Test func `whoever asks within a minute shares a load`() throws {
    try Lull.test { test in
      test.network.stub("GET", Self.list, .json("[]"))
      let book = NoteBook(home: test, baseURL: Self.url)
      let callers = (1...10).map { _ in test.spawn { try await book.open() } }
      for caller in callers { _ = try await caller.value }
      #expect(test.network.requests.count == 1)
      await test.advance(by: 61)
      _ = try await book.open()
      #expect(test.network.requests.count == 2)
    }
  }

  @Test func `a note that was added is in the next list`() throws {
    try Lull.test { test in
      test.network.stub(
        "GET", Self.list, .json("[]"),
        .json(#"[{"id": 1, "title": "Tea", "body": "", "done": false}]"#))
      test.network.stub(
        "POST", Self.list,
        .json(#"{"id": 1, "title": "Tea", "body": "", "done": false}"#, status: 201))
      let book = NoteBook(home: test, baseURL: Self.url)
      let before = try await book.open()
      try await book.add("Tea")
      let after = try await book.open()
      #expect(before.isEmpty && after == ["Tea"])
    }
  }

  @Test func `a server that is busy is asked again`() throws {
    try Lull.test { test in
      test.network.stub("GET", Self.list, .json("{}", status: 503), .json("[]"))
      let book = NoteBook(home: test, baseURL: Self.url)
      let open = test.spawn { try await book.open() }
      await test.advance(by: 1)
      let titles = try await open.value
      #expect(titles.isEmpty && test.network.requests.count == 2)
    }
  }

  @Test func `what is prepared is there when it is asked for`() throws {
    try Lull.test { test in
      test.network.stub("GET", Self.list, .json("[]"))
      let book = NoteBook(home: test, baseURL: Self.url)
      await book.prepare()
      await test.settle()
      #expect(test.network.requests.count == 1)
      _ = try await book.open()
      #expect(test.network.requests.count == 1)
    }
  }

  @Test func `a list that is none is an error that says so`() throws {
    try Lull.test { test in
      test.network.stub("GET", Self.list, .json("{}"))
      let book = NoteBook(home: test, baseURL: Self.url)
      let error = await #expect(throws: RequestError.self) { try await book.open() }
      #expect(error?.cause?.message.contains("expected an array") == true)
    }
  }
}
