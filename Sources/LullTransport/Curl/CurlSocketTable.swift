import CCurl

/// The sockets of all multi handles of one provider, by descriptor.
final class CurlSocketTable {
  private var sockets: [CurlSocket?] = []

  subscript(descriptor: curl_socket_t) -> CurlSocket? {
    let index = Int(descriptor)
    return index >= 0 && index < sockets.count ? sockets[index] : nil
  }

  /// Of a descriptor that is used anew, the old entry is one that curl closed behind our back.
  func insert(_ socket: CurlSocket) {
    let index = Int(socket.descriptor)
    while sockets.count <= index { sockets.append(nil) }
    sockets[index]?.close()
    sockets[index] = socket
  }

  func remove(_ descriptor: curl_socket_t) {
    guard let socket = self[descriptor] else { return }
    socket.close()
    sockets[Int(descriptor)] = nil
  }

  /// Takes out those of a multi handle that goes.
  func removeAll(of multi: CurlMulti) {
    for index in sockets.indices where sockets[index]?.multi === multi {
      sockets[index]?.close()
      sockets[index] = nil
    }
  }
}
