/// Who takes what out of the inbox, by tokens: a slot in the low half, its generation in the high half, so
/// that a token of what has been taken or discarded finds nobody.
///
/// Found without hashing, since each exchange comes through here. No token is 0.
struct ReceiverTable {
  enum Receiver {
    case ofNetwork((ArrivedResult) -> Void)
    case ofObject(any NetworkReceiver)
    case ofWork((any Sendable) -> Void)

    /// What is not for it is dropped.
    func receive(_ item: Inbox.Item) {
      switch (self, item) {
      case (.ofObject(let receiver), .network(let report)): receiver.receive(report)
      case (.ofNetwork(let receive), .network(let report)): receive(report)
      case (.ofWork(let receive), .work(let result)): receive(result)
      default: break
      }
    }
  }

  private struct Slot {
    var receiver: Receiver?
    var generation: UInt32 = 1
  }

  private var slots: [Slot] = []
  private var free: [UInt32] = []

  mutating func insert(_ receiver: Receiver) -> UInt64 {
    let index: UInt32
    if let reused = free.popLast() {
      index = reused
    } else {
      index = UInt32(slots.count)
      slots.append(Slot())
    }
    slots[Int(index)].receiver = receiver
    return UInt64(slots[Int(index)].generation) << 32 | UInt64(index)
  }

  /// The receiver of a token, which is not there any more afterwards.
  mutating func take(_ token: UInt64) -> Receiver? {
    let index = Int(token & 0xffff_ffff)
    guard index < slots.count, slots[index].generation == UInt32(token >> 32),
      let receiver = slots[index].receiver
    else { return nil }
    slots[index].receiver = nil
    // One whose generations are used up is retired.
    if slots[index].generation < UInt32.max {
      slots[index].generation += 1
      free.append(UInt32(index))
    }
    return receiver
  }
}

/// What takes the one result of an exchange.
package protocol NetworkReceiver: AnyObject {
  func receive(_ report: ArrivedResult)
}
