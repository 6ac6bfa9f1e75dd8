import LullCore
import LullTestSupport
import LullTesting
import Testing

@Suite(.timeLimit(.minutes(20)))
struct ObserverTests {
  @Test func `OBS-01 OBS-17 a new observer alone gets observerAdded, inside the call`() {
    withHarness { harness in
      let resource = harness.service.resource("/a")
      let first = EventRecorder()
      let second = EventRecorder()
      #expect(resource.addObserver(first) === resource)
      #expect(first.take() == ["observerAdded"])
      resource.addObserver(second)
      #expect(first.take() == [])
      #expect(second.take() == ["observerAdded"])
    }
  }

  @Test(
    arguments: [
      (.observerAdded, "observerAdded"), (.requested, "requested"),
      (.requestCancelled, "requestCancelled"), (.newData(.network), "newData(network)"),
      (.newData(.cache), "newData(cache)"), (.newData(.localOverride), "newData(localOverride)"),
      (.newData(.wipe), "newData(wipe)"), (.notModified, "notModified"), (.error, "error"),
    ] as [(ResourceEvent, String)])
  func `OBS-11 an event's text`(event: ResourceEvent, text: String) {
    #expect(event.description == text)
  }

  @Test(arguments: [5, 40, 300])
  func `OBS-16 OBS-18 OBS-23 OBS-30 OBS-33 of a long list all is as of a short one`(count: Int) {
    withHarness { harness in
      let resource = harness.service.resource("/a")
      var owners = (0..<count).map { _ in Owner() }
      var recorders = (0..<count).map { _ in EventRecorder() }
      let journal = Journal()
      for index in 0..<count {
        resource.addObserver(owner: owners[index], identity: index) { _, event in
          if case .newData = event { journal("\(index)") }
        }
        resource.addObserver(recorders[index])
      }
      // Known already, by what they are and by what they are called.
      for index in stride(from: 0, to: count, by: 3) {
        resource.addObserver(owner: owners[0], identity: index) { _, _ in journal("never") }
        resource.addObserver(recorders[index], owner: owners[0])
      }
      #expect(resource.record.observers.count == 2 * count)
      for index in 1..<count { resource.removeObservers(ownedBy: owners[index]) }
      #expect(resource.record.observers.count == count + (count + 2) / 3)
      for recorder in recorders { _ = recorder.take() }
      resource.overrideLocalContent(with: .text("x"))
      #expect(
        journal.take() == stride(from: 0, to: count, by: 3).map(String.init))
      #expect(recorders.allSatisfy { $0.take() == ["newData(localOverride) D"] })
      // Those nobody holds any more leave, but for those with an owner.
      recorders = []
      resource.overrideLocalContent(with: .text("y"))
      #expect(resource.record.observers.count == 2 * ((count + 2) / 3))
      owners = []
      resource.overrideLocalContent(with: .text("z"))
      #expect(resource.record.observers.isEmpty)
      let again = Owner()
      resource.addObserver(owner: again, identity: 0) { _, event in journal("\(event)") }
      resource.removeObservers(ownedBy: again)
      #expect(resource.record.observers.isEmpty)
    }
  }

  @Test func `OBS-12 OBS-13 OBS-15 functions count one by one, though of one owner`() {
    withHarness { harness in
      let resource = harness.service.resource("/a")
      let journal = Journal()
      let owner = Owner()
      for _ in 1...2 {
        resource.addObserver(owner: owner) { [weak resource] source, event in
          journal("\(event) \(source === resource)")
        }
      }
      #expect(journal.take() == ["observerAdded true", "observerAdded true"])
      resource.invalidate()
      resource.wipe()
      #expect(journal.take() == ["newData(wipe) true", "newData(wipe) true"])
    }
  }

  @Test func `OBS-14 OBS-16 the same object, or an equal identity, is one observer`() {
    withHarness { harness in
      let resource = harness.service.resource("/a")
      let recorder = EventRecorder()
      let owner = Owner()
      for _ in 1...3 { resource.addObserver(recorder) }
      resource.addObserver(recorder, owner: owner)
      #expect(recorder.take() == ["observerAdded"])
      resource.wipe()
      #expect(recorder.take() == ["newData(wipe)"])

      let journal = Journal()
      let other = Owner()
      resource.addObserver(owner: owner, identity: "x") { _, event in journal("first \(event)") }
      resource.addObserver(owner: other, identity: "x") { _, event in journal("second \(event)") }
      resource.removeObservers(ownedBy: owner)
      resource.wipe()
      #expect(journal.take() == ["first observerAdded", "first newData(wipe)"])
      resource.removeObservers(ownedBy: other)
      resource.wipe()
      #expect(journal.take() == [])
    }
  }

  // MARK: Ownership

  @Test func `OBS-18 OBS-29 a self-owned observer is held weakly and dies in silence`() {
    withHarness { harness, leakCheck in
      let resource = harness.service.resource("/a")
      let journal = Journal()
      func observe() {
        let recorder = leakCheck.watch(EventRecorder())
        recorder.onEvent = { _, event in journal("\(event)") }
        resource.addObserver(recorder)
      }
      observe()
      resource.wipe()
      #expect(journal.take() == ["observerAdded"])
      #expect(resource.record.observers.isEmpty)
    }
  }

  @Test func `OBS-19 OBS-27 OBS-28 an owned observer lives as long as its owner, and is told`() {
    withHarness { harness in
      let resource = harness.service.resource("/a")
      let journal = Journal()
      weak var weakObserver: LastWords?
      var owner: Owner? = Owner()
      func observe() {
        guard let owner else { return }
        let observer = LastWords(journal)
        weakObserver = observer
        resource.addObserver(observer, owner: owner)
      }
      observe()
      #expect(weakObserver != nil)
      resource.wipe()
      #expect(journal.take() == ["observerAdded", "newData(wipe)"])
      owner = nil
      resource.wipe()
      #expect(journal.take() == ["stoppedObserving", "deinit"])
    }
  }

  @Test func `OBS-20 OBS-23 to OBS-26 an observer stays while anybody owns it`() {
    withHarness { harness in
      let resource = harness.service.resource("/a")
      let recorder = EventRecorder()
      let owners = [Owner(), Owner()]
      resource.addObserver(recorder)
      for owner in owners { resource.addObserver(recorder, owner: owner) }
      #expect(recorder.take() == ["observerAdded"], "OBS-21")
      resource.removeObservers(ownedBy: nil)
      resource.removeObservers(ownedBy: owners[0])
      resource.removeObservers(ownedBy: recorder)
      resource.removeObservers(ownedBy: Owner())
      #expect(recorder.take() == [])
      resource.removeObservers(ownedBy: owners[1])
      #expect(recorder.take() == ["stoppedObserving"])
      resource.wipe()
      #expect(recorder.take() == [])
      resource.addObserver(recorder)
      resource.removeObservers(ownedBy: recorder)
      #expect(recorder.take() == ["observerAdded", "stoppedObserving"], "OBS-25")
    }
  }

  @Test(arguments: [true, false])
  func `OBS-22 left to itself an observer is held weakly; owned again, strongly`(ownerDies: Bool) {
    withHarness { harness in
      let resource = harness.service.resource("/a")
      let journal = Journal()
      weak var weakObserver: LastWords?
      var owner: Owner? = Owner()
      let later = Owner()
      func observe() {
        guard let first = owner else { return }
        let observer = LastWords(journal)
        weakObserver = observer
        resource.addObserver(observer)
        resource.addObserver(observer, owner: first)
      }
      func loseOwner() {
        if !ownerDies { resource.removeObservers(ownedBy: owner) }
        owner = nil
        resource.wipe()
      }
      observe()
      func ownAgain() {
        guard let observer = weakObserver else { return }
        loseOwner()
        resource.addObserver(observer, owner: later)
      }
      ownAgain()
      #expect(weakObserver != nil)
      #expect(journal.take() == ["observerAdded", "newData(wipe)"])
      resource.removeObservers(ownedBy: later)
      #expect(weakObserver == nil)
      #expect(journal.take() == ["deinit"])
    }
  }

  @Test func `OBS-30 adds and removals alternate, however often and fast`() {
    withHarness { harness in
      let resource = harness.service.resource("/a")
      let recorder = EventRecorder()
      var owner = Owner()
      for _ in 1...3 {
        resource.addObserver(recorder, owner: owner)
        resource.removeObservers(ownedBy: owner)
      }
      let cycle = ["observerAdded", "stoppedObserving"]
      #expect(recorder.take() == cycle + cycle + cycle)
      // The old owner dies unnoticed; the observer begins anew.
      resource.addObserver(recorder, owner: owner)
      owner = Owner()
      resource.addObserver(recorder, owner: owner)
      #expect(recorder.take() == cycle + ["observerAdded"])
    }
  }

  // MARK: Broadcasts

  @Test func `OBS-33 OBS-34 a broadcast runs in order over those present at its start`() {
    withHarness { harness in
      let resource = harness.service.resource("/a")
      let journal = Journal()
      let owners = (0...3).map { _ in Owner() }
      var hasReacted = false
      for (number, owner) in owners.enumerated().prefix(3) {
        resource.addObserver(owner: owner) { resource, event in
          journal("\(number) \(event)")
          guard number == 0, event != .observerAdded, !hasReacted else { return }
          hasReacted = true
          resource.removeObservers(ownedBy: owners[1])
          resource.addObserver(owner: owners[3]) { _, event in journal("3 \(event)") }
        }
      }
      _ = journal.take()
      resource.wipe()
      #expect(journal.take() == ["0 newData(wipe)", "3 observerAdded", "2 newData(wipe)"])
      resource.wipe()
      #expect(journal.take() == ["0 newData(wipe)", "2 newData(wipe)", "3 newData(wipe)"])
    }
  }

  @Test func `OBS-34 one added because another stopped gets observerAdded only`() {
    withHarness { harness in
      let resource = harness.service.resource("/a")
      let late = EventRecorder()
      let dying = LastWords(Journal())
      dying.onStop = { resource.addObserver(late) }
      var owner: Owner? = Owner()
      if let owner { resource.addObserver(dying, owner: owner) }
      owner = nil
      resource.wipe()
      #expect(late.take() == ["observerAdded"])
    }
  }

  @Test func `OBS-35 a nested event reaches everyone before the outer goes on`() {
    withHarness { harness in
      let resource = harness.service.resource("/a")
      let journal = Journal()
      for number in 1...2 {
        resource.addObserver(owner: harness) { resource, event in
          journal("\(number) \(event)")
          if number == 1, event == .newData(.wipe) {
            resource.overrideLocalContent(with: .text("x"))
          }
        }
      }
      _ = journal.take()
      resource.wipe()
      #expect(
        journal.take() == [
          "1 newData(wipe)", "1 newData(localOverride)", "2 newData(localOverride)",
          "2 newData(wipe)",
        ])
    }
  }

  // MARK: Memory

  @Test func `SVC-33 OBS-36 to OBS-38 an observed resource is kept until nobody observes it`() {
    withHarness { harness in
      var owner: Owner? = Owner()
      let journal = Journal()
      func observe() {
        guard let owner else { return }
        harness.loaded("/a").addObserver(LastWords(journal), owner: owner)
      }
      observe()
      harness.service.flushUnusedResources()
      #expect(harness.service.resource("/a").text == "data")
      #expect(journal.take() == ["observerAdded"])
      owner = nil
      harness.service.flushUnusedResources()
      #expect(journal.take() == ["stoppedObserving", "deinit"])
      #expect(harness.service.resource("/a").latestData == nil)
    }
  }

  @Test func `a resource that an observer's closure holds goes with the owner`() {
    withHarness { harness, leakCheck in
      var owner: Owner? = Owner()
      if let owner {
        let resource = leakCheck.watch(harness.service.resource("/a"))
        resource.addObserver(owner: owner) { _, _ in _ = resource.url }
      }
      owner = nil
      harness.service.flushUnusedResources()
      #expect(leakCheck.leaks.allSatisfy { !$0.hasPrefix("Resource") })
    }
  }

  @Test
  func `OBS-32 a progress report does not look for dead owners; one removed by call gets none`() {
    withHarness { harness in
      harness.provider.holdsAnswers = true
      harness.stub("GET", "/a", .text("x"))
      let resource = harness.service.resource("/a")
      let removed = EventRecorder(progress: true)
      let orphan = EventRecorder(progress: true)
      let owner = Owner()
      var dying: Owner? = Owner()
      resource.addObserver(removed, owner: owner)
      if let dying { resource.addObserver(orphan, owner: dying) }
      resource.load()
      dying = nil
      resource.removeObservers(ownedBy: owner)
      _ = (removed.take(), orphan.take())
      harness.advance(by: 1)
      #expect(removed.take() == [])
      #expect(orphan.take().allSatisfy { $0.hasPrefix("progress") || $0 == "stoppedObserving" })
      harness.provider.release()
      harness.settle()
      // The broadcast that follows does look.
      #expect(orphan.take().last != "newData(network) D")
    }
  }
}

/// An observer that writes down every event and its own end.
private final class LastWords: ResourceObserver {
  private let journal: Journal
  var onStop: (() -> Void)?

  init(_ journal: Journal) {
    self.journal = journal
  }

  deinit { journal("deinit") }

  func resourceChanged(_ resource: Resource, event: ResourceEvent) { journal("\(event)") }

  func stoppedObserving(resource: Resource) {
    journal("stoppedObserving")
    onStop?()
    onStop = nil
  }
}
