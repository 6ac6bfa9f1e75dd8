import LullCore
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(20)))
struct InboxTests {
  private let inbox = Inbox()

  @Test func `items come out in order, once`() {
    #expect(inbox.isEmpty)
    for token in 1...3 { inbox.post(UInt64(token), .network(ArrivedResult(NetworkResult()))) }
    #expect(!inbox.isEmpty)
    #expect(inbox.take().map(\.token) == [1, 2, 3])
    #expect(inbox.isEmpty)
    #expect(inbox.take().isEmpty)
  }

  @Test func `the thread is woken once for each batch`() {
    let count = Counter()
    inbox.onPost { count.increment() }
    inbox.post(1, .network(ArrivedResult(NetworkResult())))
    inbox.post(2, .network(ArrivedResult(NetworkResult())))
    #expect(count.value == 1)
    _ = inbox.take()
    inbox.post(3, .network(ArrivedResult(NetworkResult())))
    #expect(count.value == 2)
  }

  @Test func `after closing posts are dropped and nobody is woken`() {
    let count = Counter()
    inbox.post(1, .network(ArrivedResult(NetworkResult())))
    inbox.onPost { count.increment() }
    inbox.close()
    inbox.post(2, .network(ArrivedResult(NetworkResult())))
    #expect(inbox.isEmpty)
    #expect(inbox.take().isEmpty)
    #expect(count.value == 0)
  }

  @Test func `NET-02 THR-01 any thread may post; nothing is lost`() async {
    let count = Counter()
    inbox.onPost { count.increment() }
    await withTaskGroup(of: Void.self) { [inbox] group in
      for thread in 0..<8 {
        group.addTask { @concurrent in
          for number in 0..<100 {
            inbox.post(UInt64(thread * 100 + number), .network(ArrivedResult(NetworkResult())))
          }
        }
      }
    }
    let tokens = inbox.take().map(\.token)
    #expect(tokens.sorted() == Array(0..<800))
    for thread in 0..<8 {
      let own = tokens.filter { $0 / 100 == thread }
      #expect(own == own.sorted(), "in the order of its posts")
    }
    #expect(count.value == 1)
  }
}

private final class Counter: Sendable {
  private let count = Atomic<Int>(0)

  var value: Int { count.load(ordering: .relaxed) }
  func increment() { count.add(1, ordering: .relaxed) }
}
