// The network, the clock and a service of a test are used by tasks that run anywhere.
import LullCore
import LullTesting

func test() throws {
  try Lull.test { test in
    let (network, clock) = (test.network, test.clock)
    let api = test.service()
    let first = Task.detached {  // error: risks causing data races
      network.holdsAnswers = true
    }
    let second = Task.detached {  // error: risks causing data races
      clock.advance(by: 1)
    }
    let third = Task.detached {  // error: risks causing data races
      _ = api.resource("/x").load()
    }
    _ = (await first.value, await second.value, await third.value)
  }
}
