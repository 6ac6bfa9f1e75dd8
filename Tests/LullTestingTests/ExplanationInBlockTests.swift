import LullCore
import LullTesting
import Testing

/// `Resource.explanation(for:)` where it would run itself.
@Suite(.timeLimit(.minutes(20))) struct ExplanationInBlockTests {
  @Test func `EXP-08 inside a block of configuration it ends the program with a message`() async {
    let byLoad = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      try Lull.test { test in
        let api = test.service()
        api.configure { [unowned api] _ in _ = api.resource("/a").explanation() }
        _ = api.resource("/a").load()
      }
    }
    let byItself = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      try Lull.test { test in
        let api = test.service()
        api.configure { [unowned api] _ in _ = api.resource("/a").explanation() }
        _ = api.resource("/a").explanation()
      }
    }
    for ending in [byLoad, byItself] {
      let text = String(decoding: ending?.standardErrorContent ?? [], as: UTF8.self)
      #expect(text.contains("explanation() inside a configuration block"), "\(text)")
    }
  }

  @Test func `EXP-03 a block that has thrown is said to have thrown`() throws {
    try Lull.test { test in
      let api = test.service()
      api.configure { _ throws(RequestError) in
        throw RequestError(userMessage: "no token", cause: .requestCancelled)
      }
      let explanation = api.resource("/a").explanation()
      #expect(
        explanation.load?.description == "fail: a block of the configuration has thrown an error",
        "\(explanation)")
    }
  }
}
