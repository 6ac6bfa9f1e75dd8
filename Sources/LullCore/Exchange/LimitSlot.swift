/// Where a pump has whoever counts limits that go beyond one service, which the policies find here as what they
/// know: a subclass, so that the pump need not know what stands above it.
package class LimitSlot {
  package final let counter: AnyObject

  init(counter: AnyObject) { self.counter = counter }
}
