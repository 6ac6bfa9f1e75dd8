import LullCore
import LullTestSupport
import LullTesting
import Testing

@Suite(.timeLimit(.minutes(20)))
struct RequestHookTests {
  /// Attaches one hook of each kind; each writes its name down.
  private func attachAll(_ request: Request, _ journal: Journal) {
    request.onCompletion { journal("completion \($0.isNew)") }
      .onSuccess { _ in journal("success") }
      .onNewData { _ in journal("newData") }
      .onNotModified { journal("notModified") }
      .onFailure { _ in journal("failure") }
  }

  struct Row: CustomTestStringConvertible {
    let id: String
    let answer: StubProvider.Answer
    let hooks: [String]

    var testDescription: String { id }
  }

  static let rows = [
    Row(
      id: "HOOK-02: success", answer: .text("x"),
      hooks: ["completion true", "success", "newData"]),
    Row(
      id: "HOOK-03: 304", answer: .init(status: 304),
      hooks: ["completion false", "success", "notModified"]),
    Row(id: "HOOK-04: failure", answer: .init(status: 404), hooks: ["completion true", "failure"]),
    Row(id: "HOOK-16: parse failure", answer: .json("{"), hooks: ["completion true", "failure"]),
  ]

  @Test(arguments: rows)
  func `HOOK-01 HOOK-05 each outcome calls its hooks, each once`(row: Row) {
    withHarness { harness in
      let resource = harness.loaded("/a")
      harness.stub("GET", "/a", row.answer)
      let journal = Journal()
      let request = resource.request("GET")
      attachAll(request, journal)
      #expect(journal.take() == [])
      harness.settle()
      #expect(journal.take() == row.hooks)
      attachAll(request, journal)
      #expect(journal.take() == [], "HOOK-06: never inside the registration")
      harness.settle()
      #expect(journal.take() == row.hooks)
      request.cancel()
      harness.settle()
      #expect(journal.take() == [])
    }
  }

  @Test func `HOOK-07 completion is at once, hooks come a turn later`() {
    withHarness { harness in
      let journal = Journal()
      let request = harness.service.resource("/a").request("GET").repeated()
      request.onCompletion { _ in journal("hook") }
      request.cancel()
      #expect(request.state == .completed)
      #expect(journal.take() == [])
      harness.pump.turn()
      #expect(journal.take() == ["hook"])
    }
  }

  @Test func `HOOK-06 a hook added inside a hook comes a turn later`() {
    withHarness { harness in
      harness.stub("GET", "/a", .text("x"))
      let journal = Journal()
      let request = harness.service.resource("/a").request("GET")
      request.onCompletion { [unowned request] _ in
        journal("outer")
        request.onCompletion { _ in journal("inner") }
      }
      request.onCompletion { _ in journal("second") }
      harness.pump.turn()
      #expect(journal.take() == ["outer", "second"])
      harness.pump.turn()
      #expect(journal.take() == ["inner"])
    }
  }

  @Test func `HOOK-08 HOOK-09 HOOK-10 hooks run in order of attachment, of whatever kind`() {
    withHarness { harness in
      harness.stub("GET", "/a", .text("x"))
      let journal = Journal()
      let request = harness.service.resource("/a").load()
      let chained = request.onNewData { _ in journal("1") }.onCompletion { _ in journal("2") }
        .onSuccess { _ in journal("3") }.onNewData { _ in journal("4") }
      #expect(chained === request)
      harness.settle()
      #expect(journal.take() == ["1", "2", "3", "4"])
    }
  }

  @Test func `HOOK-14 the state only moves forward`() {
    withHarness { harness in
      harness.stub("GET", "/a", .text("x"))
      let request = harness.service.resource("/a").request("GET").repeated()
      #expect(request.state == .notStarted)
      #expect(request.start() === request)
      #expect(request.state == .inProgress)
      harness.settle()
      #expect(request.state == .completed)
      #expect(request.start().state == .completed, "REP-11")
      harness.settle()
      #expect(harness.provider.requests.count == 2)
    }
  }

  @Test func `HOOK-15 after a 304 hooks get the entity that was there`() {
    withHarness { harness in
      let resource = harness.loaded("/a", .text("old"))
      harness.stub("GET", "/a", .init(status: 304))
      let journal = Journal()
      resource.load().onSuccess { journal($0.text ?? "?") }
      harness.settle()
      #expect(journal.take() == ["old"])
    }
  }

  @Test
  func `HW-01 HW-03 HW-04 a request that failed before sending calls hooks and progress once`() {
    withHarness { harness in
      let journal = Journal()
      let request = harness.service.resource(absoluteURL: nil).request("GET")
      request.onProgress { journal("progress \($0)") }
      attachAll(request, journal)
      #expect(request.progress == 1)
      #expect(journal.take() == [])
      harness.settle()
      #expect(journal.take() == ["progress 1.0", "completion true", "failure"])
      #expect(request.repeated() === request, "REP-10")
    }
  }

  // MARK: Repeating

  @Test func `REP-01 to REP-05 REP-12 HOOK-17 a repeat is a request of its own, to be started`() {
    withHarness { harness in
      harness.stub("GET", "/a", .text("1"), .text("2"))
      let journal = Journal()
      let first = harness.service.resource("/a").request("GET")
      first.onSuccess { journal("first \($0.text ?? "?")") }
      harness.settle()
      harness.service.configure { $0.headers["X"] = "new" }
      let second = first.repeated()
      second.onSuccess { journal("second \($0.text ?? "?")") }
      harness.settle()
      #expect(harness.provider.requests.count == 1)
      #expect(second.state == .notStarted)
      second.start()
      harness.settle()
      #expect(journal.take() == ["first 1", "second 2"])
      #expect(first.response?.entity?.text == "1")
      #expect(harness.provider.requests.map { $0.headers["x"] } == [nil, "new"])
    }
  }

  @Test func `REP-06 to REP-08 MUT-07 a repeat is built anew when it is made, not when started`() {
    withHarness { harness in
      let journal = Journal()
      var header = "1"
      harness.service.configure { configuration in
        configuration.mutateRequests { (_) throws(RequestError) in journal("configured") }
      }
      let request = harness.service.resource("/a").request("PUT", body: .text("x")) {
        http throws(RequestError) in
        journal("ad hoc")
        http.headers["x"] = header
      }
      #expect(journal.take() == ["ad hoc", "configured"])
      header = "2"
      let repeated = request.repeated()
      #expect(journal.take() == ["ad hoc", "configured"])
      header = "3"
      repeated.start()
      #expect(journal.take() == [])
      #expect(harness.provider.requests.map { $0.headers["x"] } == ["1", "2"])
      #expect(harness.provider.requests.map(\.body) == [Array("x".utf8), Array("x".utf8)])
    }
  }

  @Test func `REP-09 a repeated load is listed nowhere and updates nothing`() {
    withHarness { harness in
      let resource = harness.service.resource("/a")
      harness.stub("GET", "/a", .text("1"), .text("2"))
      let load = resource.load()
      harness.settle()
      let recorder = resource.recorded()
      load.repeated().start()
      #expect(!resource.isRequesting)
      harness.settle()
      #expect(resource.text == "1")
      #expect(recorder.take() == [])
    }
  }
}
