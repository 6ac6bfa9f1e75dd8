/// What a signal handler in C calls to wake a loop: a function that is safe there, and its context.
package struct SignalWakeUp {
  package let function: @convention(c) (UnsafeMutableRawPointer?) -> Void
  package let context: UnsafeMutableRawPointer

  package init(
    function: @escaping @convention(c) (UnsafeMutableRawPointer?) -> Void,
    context: UnsafeMutableRawPointer
  ) {
    self.function = function
    self.context = context
  }
}
