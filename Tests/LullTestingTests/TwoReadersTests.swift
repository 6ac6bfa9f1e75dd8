import LullCore
import LullTesting
import Testing

/// Two tasks that wait for one iterator; a hang would be another failure, with other words.
@Suite(.timeLimit(.minutes(10))) struct TwoReadersTests {
  @Test func `COD-21 two tasks in one loop over events end the program with a message`() async {
    let end = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try Lull.test(patience: 1) { test in
        var events = test.service().resource("/a").events.makeAsyncIterator()
        _ = await events.next()
        let same = events
        test.spawn {
          var same = same
          _ = await same.next()
        }
        await test.settle()
        _ = await events.next()
      }
    }
    expectMessage(of: end, naming: "resource.events")
  }

  @Test func `COD-21 two tasks in one loop over values end the program with a message`() async {
    let end = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try Lull.test(patience: 1) { test in
        var values = test.service().resource("/a").values(of: Int.self).makeAsyncIterator()
        let same = values
        test.spawn {
          var same = same
          _ = await same.next()
        }
        await test.settle()
        _ = await values.next()
      }
    }
    expectMessage(of: end, naming: "resource.values(of:)")
  }

  @Test func `COD-21 two tasks in one loop over progress end the program with a message`() async {
    let end = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try Lull.test(patience: 1) { test in
        test.network.holdsAnswers = true
        let progress: RequestProgressValues = test.service().resource("/a").load().progress
        var values = progress.makeAsyncIterator()
        _ = await values.next()
        let same = values
        test.spawn {
          var same = same
          _ = await same.next()
        }
        await test.settle()
        _ = await values.next()
      }
    }
    expectMessage(of: end, naming: "request.progress")
  }

  @Test func `COD-21 two tasks in one loop of a watch end the program with a message`() async {
    let end = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try Lull.test(patience: 1) { test in
        test.network.holdsAnswers = true
        var changes = test.service().resource("/a").watch().makeAsyncIterator()
        let same = changes
        test.spawn {
          var same = same
          _ = try await same.next()
        }
        await test.settle()
        _ = try await changes.next()
      }
    }
    expectMessage(of: end, naming: "resource.watch")
  }

  @Test func `COD-21 two tasks that wait for one stream end the program with a message`() async {
    let end = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try Lull.test(patience: 1) { test in
        test.network.holdsAnswers = true
        let stream = test.service().resource("/a").events()
        test.spawn { for try await _ in stream.items {} }
        await test.settle()
        for try await _ in stream.items {}
      }
    }
    expectMessage(of: end, naming: "stream.items")
  }

  private func expectMessage(of end: ExitTest.Result?, naming name: String) {
    let text = String(decoding: end?.standardErrorContent ?? [], as: UTF8.self)
    #expect(
      text.contains(
        "two tasks wait for one loop over \(name): each needs a loop of its own"), "\(text)")
  }
}
