import LullCore
import LullTesting
import Testing

/// Two tasks that wait for one iterator; a hang would be another failure, with other words.
@Suite(.timeLimit(.minutes(20))) struct TwoReadersTests {
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

  @Test func `COD-21 so do two that take turns`() async {
    let end = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try Lull.test(patience: 1) { test in
        let resource = test.service().resource("/a")
        var values = resource.values(of: String.self).makeAsyncIterator()
        let same = values
        test.spawn {
          var same = same
          _ = await same.next()
        }
        await test.settle()
        // It is woken, and finds nothing any more.
        resource.overrideLocalContent(with: .text("tea"))
        _ = await values.next()
        _ = await values.next()
      }
    }
    expectMessage(of: end, naming: "resource.values(of:)")
  }

  @Test func `COD-21 one that has been cancelled ends the loop for the other`() throws {
    try Lull.test(patience: 1) { test in
      var values = test.service().resource("/a").values(of: String.self).makeAsyncIterator()
      let same = values
      let first = test.spawn {
        var same = same
        return await same.next()
      }
      await test.settle()
      first.cancel()
      let second = await values.next()
      let value = try await first.value
      #expect(value == nil && second == nil)
    }
  }

  private func expectMessage(of end: ExitTest.Result?, naming name: String) {
    let text = String(decoding: end?.standardErrorContent ?? [], as: UTF8.self)
    #expect(
      text.contains(
        "two tasks wait in the same loop over \(name): give each task its own loop"), "\(text)")
  }
}
