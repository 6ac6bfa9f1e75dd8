/// Somebody who waits for a request: a task, or a coroutine of a script.
///
/// Told once, after all hooks, or never once it has left. Home thread only.
package final class RequestWaiter {
  private var receive: ((Response) -> Void)?

  init(_ receive: @escaping (Response) -> Void) {
    self.receive = receive
  }

  func tell(_ response: Response) {
    let receive = receive
    self.receive = nil
    receive?(response)
  }
}
