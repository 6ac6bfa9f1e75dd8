import LullCore
import LullTestSupport
import LullTesting
import Testing

/// Observers that are values, and the identities of observers.
@Suite(.timeLimit(.minutes(20)))
struct ValueObserverTests {
  private struct Label: ResourceObserver {
    let name: String
    let journal: Journal

    var observerIdentity: AnyHashable { name }

    func resourceChanged(_ resource: Resource, event: ResourceEvent) {
      journal("\(name): \(event)")
    }

    func stoppedObserving(resource: Resource) { journal("\(name): stopped") }
  }

  private struct Anonymous: ResourceObserver {
    let journal: Journal
    func resourceChanged(_ resource: Resource, event: ResourceEvent) {
      journal("\(event)")
    }
  }

  private final class Named: ResourceObserver {
    let observerIdentity: AnyHashable
    let journal: Journal

    init(_ name: String, _ journal: Journal) {
      observerIdentity = name
      self.journal = journal
    }

    func resourceChanged(_ resource: Resource, event: ResourceEvent) {
      journal("\(event)")
    }
  }

  @Test(arguments: [0, 100])
  func `OBS-160 a value is added, found and removed by its identity`(others: Int) {
    withHarness { harness in
      let resource = harness.service.resource("/a")
      let journal = Journal()
      let silent = Journal()
      for number in 0..<others {
        resource.addObserver(Label(name: "other \(number)", journal: silent), owner: silent)
      }
      let owner = Owner()
      resource.addObserver(Label(name: "a", journal: journal), owner: owner)
      resource.addObserver(Label(name: "b", journal: journal), owner: owner)
      #expect(journal.take() == ["a: observerAdded", "b: observerAdded"])
      // An equal one is the same observer.
      resource.addObserver(Label(name: "a", journal: journal), owner: owner)
      #expect(journal.take() == [])
      #expect((resource.observer(identity: "a") as? Label)?.name == "a")
      #expect(resource.observer(identity: "c") == nil)
      resource.removeObserver(identity: "a")
      #expect(journal.take() == ["a: stopped"])
      #expect(resource.observer(identity: "a") == nil)
      resource.removeObserver(identity: "a")
      resource.wipe()
      #expect(journal.take() == ["b: newData(wipe)"])
      resource.addObserver(Label(name: "a", journal: journal), owner: owner)
      #expect(journal.take() == ["a: observerAdded"])
    }
  }

  @Test func `OBS-160 a value lives as long as an owner of it`() {
    withHarness { harness in
      let resource = harness.service.resource("/a")
      let journal = Journal()
      var owner: Owner? = Owner()
      if let owner {
        resource.addObserver(Label(name: "a", journal: journal), owner: owner)
      }
      let second = Owner()
      resource.addObserver(Label(name: "a", journal: journal), owner: second)
      owner = nil
      _ = owner
      resource.wipe()
      #expect(journal.take() == ["a: observerAdded", "a: newData(wipe)"])
      resource.removeObservers(ownedBy: second)
      #expect(journal.take() == ["a: stopped"])
    }
  }

  @Test func `OBS-160 without an identity each addition of a value is another observer`() {
    withHarness { harness in
      let resource = harness.service.resource("/a")
      let journal = Journal()
      let observer = Anonymous(journal: journal)
      resource.addObserver(observer, owner: journal)
      resource.addObserver(observer, owner: journal)
      _ = journal.take()
      resource.wipe()
      #expect(journal.take() == ["newData(wipe)", "newData(wipe)"])
    }
  }

  @Test func `OBS-160 functions and objects have identities too`() {
    withHarness { harness in
      let resource = harness.service.resource("/a")
      let journal = Journal()
      resource.addObserver(owner: journal, identity: 7) { _, event in
        journal("function: \(event)")
      }
      #expect(resource.observer(identity: 7) != nil)
      resource.removeObserver(identity: 7)
      let object = EventRecorder()
      resource.addObserver(object)
      #expect(resource.observer(identity: ObjectIdentifier(object)) as? EventRecorder === object)
      #expect(object.observerIdentity == AnyHashable(ObjectIdentifier(object)))
      // As an existential it is still that object, which owns itself.
      let any: any ResourceObserver = object
      resource.addObserver(any, owner: journal)
      #expect(object.take() == ["observerAdded"])
      resource.removeObserver(identity: ObjectIdentifier(object))
      #expect(object.take() == ["stoppedObserving"])
      let one = Named("same", journal)
      let other = Named("same", journal)
      _ = journal.take()
      resource.addObserver(one)
      resource.addObserver(other)
      #expect(journal.take() == ["observerAdded"], "of an equal identity it is the same observer")
    }
  }
}
