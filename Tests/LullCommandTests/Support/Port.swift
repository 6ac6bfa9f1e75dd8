import LullLibC
import LullTestSupport

/// A TCP port on loopback.
struct Port {
  let number: UInt16

  /// Of `http://127.0.0.1:PORT`; 0 if there is none.
  init(ofURL url: some StringProtocol) {
    number = url.split(separator: ":").last.flatMap { UInt16($0.prefix { $0.isNumber }) } ?? 0
  }

  /// Whether somebody listens.
  var isOpen: Bool {
    guard let descriptor = RawSocket.connect(to: number) else { return false }
    close(descriptor)
    return true
  }

  /// Waits until nobody listens any more; false if somebody still does after `seconds`.
  func isClosed(within seconds: Double) -> Bool {
    let deadline = Child.now + seconds
    while isOpen {
      guard Child.now < deadline else { return false }
      usleep(5000)
    }
    return true
  }
}
