import Glibc

/// A TCP port on loopback.
struct Port {
  let number: UInt16

  /// Of `http://127.0.0.1:PORT`; 0 if there is none.
  init(ofURL url: some StringProtocol) {
    number = url.split(separator: ":").last.flatMap { UInt16($0.prefix { $0.isNumber }) } ?? 0
  }

  /// Whether somebody listens.
  var isOpen: Bool {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = number.bigEndian
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    return withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        connect(descriptor, address, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
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
