/// Somebody who waits for a request: a task, or a coroutine of a script.
///
/// Told once, after all hooks, or never once it has left. Home thread only.
package final class RequestWaiter {
  let tell: (Response) -> Void

  init(_ tell: @escaping (Response) -> Void) {
    self.tell = tell
  }
}
