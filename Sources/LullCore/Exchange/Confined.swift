/// Something that is handed over, by closures that may be sent, from a thread to itself.
// The value is made, used and let go on a home thread only: by a caller who waits while the home runs, and
// by tasks that are isolated to it; or it is given away by who may send it.
package struct Confined<Value>: @unchecked Sendable {
  package let value: Value

  package init(_ value: Value) {
    self.value = value
  }
}
