import LullCore
import LullTestSupport
import LullTesting
import Testing

/// Observers that say themselves how long they live, as a script's do.
@Suite(.timeLimit(.minutes(20)))
struct HeldObserverTests {
  @Test func `OBS-26 taking held observers off tells each, and asks nobody whether it is alive`() {
    withHarness { harness in
      let resource = harness.service.resource("/a")
      let list = resource.record.observers
      let journal = Journal()
      let observers = (1...100).map { HeldObserver($0, journal) }
      for observer in observers { resource.hold(observer) }
      harness.settle()
      _ = journal.take()
      for observer in observers { observer.questionCount = 0 }
      for observer in observers.prefix(50) { list.remove(observer, resource: resource) }
      #expect(journal.take() == (1...50).map { "\($0) stopped, \(100 - $0) left" })
      // Several at once are all off the list before the first is told.
      list.remove(Array(observers[50..<99]), resource: resource)
      #expect(journal.take() == (51...99).map { "\($0) stopped, 1 left" })
      // Once only.
      list.remove(observers[0], resource: resource)
      list.remove([observers[98]], resource: resource)
      #expect(journal.take() == [])
      #expect(observers.reduce(0) { $0 + $1.questionCount } == 0)
      resource.wipe()
      #expect(journal.take() == ["100 hears newData(wipe)"])
    }
  }

  @Test func `OBS-34 held observers taken off by a peer do not hear the event under way`() {
    withHarness { harness in
      let resource = harness.service.resource("/a")
      let list = resource.record.observers
      let journal = Journal()
      let observers = (1...4).map { HeldObserver($0, journal) }
      for observer in observers { resource.hold(observer) }
      harness.settle()
      _ = journal.take()
      observers[0].onEvent = {
        list.remove([observers[0], observers[2]], resource: resource)
        list.remove(observers[3], resource: resource)
      }
      resource.wipe()
      #expect(
        journal.take() == [
          "1 hears newData(wipe)", "1 stopped, 2 left", "3 stopped, 2 left", "4 stopped, 1 left",
          "2 hears newData(wipe)",
        ])
      observers[0].onEvent = nil
    }
  }
}

private final class HeldObserver: ResourceObserver {
  private let number: Int
  private let journal: Journal
  var questionCount = 0
  var onEvent: (() -> Void)?

  init(_ number: Int, _ journal: Journal) {
    self.number = number
    self.journal = journal
  }

  var isAlive: Bool {
    questionCount += 1
    return true
  }

  func resourceChanged(_ resource: Resource, event: ResourceEvent) {
    journal("\(number) hears \(event)")
    onEvent?()
  }

  func stoppedObserving(resource: Resource) {
    journal("\(number) stopped, \(resource.record.observers.count) left")
  }
}
