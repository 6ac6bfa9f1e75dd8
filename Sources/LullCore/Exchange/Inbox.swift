import Synchronization

/// The one way into a home thread from elsewhere: results of exchanges and of slow work, by token.
///
/// `post` may be called on any thread; `take` only by the `Pump` on the home thread. After `close`,
/// posts are dropped: what comes late finds nobody waiting.
package final class Inbox: Sendable {
  package enum Item: Sendable {
    case network(ArrivedResult)
    /// What work in the pool came to.
    case work(any Sendable)
  }

  package struct Entry: Sendable {
    package let token: UInt64
    package let item: Item
  }

  private struct State {
    var items: [Entry] = []
    var isClosed = false
    var wakeUp: (@Sendable () -> Void)?
  }

  private let state = Mutex(State())

  package init() {}

  /// Sets what makes the home thread look; called once by whatever drives the pump.
  package func onPost(_ wakeUp: (@Sendable () -> Void)?) {
    state.withLock { $0.wakeUp = wakeUp }
  }

  package func post(_ token: UInt64, _ item: Item) {
    let wakeUp = state.withLock { state -> (@Sendable () -> Void)? in
      guard !state.isClosed else { return nil }
      state.items.append(Entry(token: token, item: item))
      // Only the first item of a batch needs to wake the thread.
      return state.items.count == 1 ? state.wakeUp : nil
    }
    wakeUp?()
  }

  package func take() -> [Entry] {
    state.withLock { state in
      guard !state.items.isEmpty else { return [] }
      defer { state.items = [] }
      return state.items
    }
  }

  package var isEmpty: Bool { state.withLock { $0.items.isEmpty } }

  /// For slow work that nobody waits for any more.
  package var isClosed: Bool { state.withLock { $0.isClosed } }

  package func close() {
    state.withLock { state in
      state.isClosed = true
      state.items = []
      state.wakeUp = nil
    }
  }
}
