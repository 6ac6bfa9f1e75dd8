import Synchronization

/// The one way into a home thread from elsewhere: results of exchanges and of slow work, by token.
///
/// `post` may be called on any thread; `take` only by the `Pump` on the home thread. After `close`,
/// posts are dropped: what comes late finds nobody waiting.
package final class Inbox: Sendable {
  package enum Item: Sendable {
    /// Indirect, since a result is large to copy, and copied at each step of the way.
    indirect case network(NetworkResult)
    /// What work in the pool came to.
    case work(any Sendable)
  }

  private struct State {
    var items: [(token: UInt64, item: Item)] = []
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
      state.items.append((token, item))
      // Only the first item of a batch needs to wake the thread.
      return state.items.count == 1 ? state.wakeUp : nil
    }
    wakeUp?()
  }

  package func take() -> [(token: UInt64, item: Item)] {
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
