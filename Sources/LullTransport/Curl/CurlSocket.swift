import CCurl
import CUV
import LullLibC

/// libuv's watch on one of curl's sockets.
///
/// Between two exchanges on a reused connection, curl stops watching the socket and then watches it
/// again. The socket of an established connection therefore stays watched until it is closed, or
/// becomes ready unexpectedly: that saves two system calls per exchange. Every other socket is
/// watched only while curl requests it, because curl may close it without calling Lull. libuv
/// aborts the process if it has to watch a closed descriptor.
final class CurlSocket {
  let descriptor: curl_socket_t
  /// Whether the socket belongs to an established connection. curl closes the socket of an
  /// established connection only through Lull.
  private(set) var isKept = false

  /// The events that curl waits for, as libuv's flags; 0 for none.
  private(set) var wanted: Int32 = 0
  /// The events that libuv watches.
  private var watched: Int32 = 0
  private var poll: UnsafeMutablePointer<uv_poll_t>?
  /// Whether an exchange on this socket has paused, so that input is expected.
  private var isPaused = false
  /// Whether the protocol lets the server send between two exchanges, as HTTP/2 does; nil until it
  /// is known.
  var mayBeSpokenTo: Bool?
  unowned let multi: CurlMulti

  init(descriptor: curl_socket_t, multi: CurlMulti) {
    self.descriptor = descriptor
    self.multi = multi
  }

  /// Watches for `events` from now on. Returns false if libuv cannot.
  func watch(_ events: Int32, on loop: UnsafeMutablePointer<uv_loop_t>) -> Bool {
    wanted = events
    isPaused = false
    guard watched != events else { return true }
    guard let poll = poll ?? makePoll(loop) else { return false }
    guard restart(poll) else { return false }
    watched = events
    return true
  }

  /// Leaves input in the socket while an exchange is paused.
  func pause() {
    wanted = 0
    isPaused = true
    stop()
  }

  /// Keeps watching the socket of an idle connection.
  func keep() {
    isKept = true
    wanted = 0
    isPaused = false
  }

  /// Stops watching immediately. The handle's memory is freed when libuv has closed it.
  func close() {
    wanted = 0
    watched = 0
    if let poll { UVHandle.closeAndFree(poll) }
    poll = nil
  }

  private func makePoll(_ loop: UnsafeMutablePointer<uv_loop_t>) -> UnsafeMutablePointer<uv_poll_t>?
  {
    let poll = UnsafeMutablePointer<uv_poll_t>.allocate(capacity: 1)
    guard uv_poll_init(loop, poll, descriptor) == 0 else {
      poll.deallocate()
      return nil
    }
    // Unretained: `close` is called before the last reference is released, and libuv makes no calls
    // after it.
    poll.pointee.data = Unmanaged.passUnretained(self).toOpaque()
    self.poll = poll
    return poll
  }

  private func ready(_ status: Int32, _ events: Int32) {
    // libuv stops watching on an error.
    if status < 0 { watched = 0 }
    guard wanted != 0 else {
      // The server sent something on an idle connection, or closed it. curl will notice that when
      // it searches for a connection.
      stop()
      if status >= 0, !isPaused { endIfItSpoke() }
      return
    }
    // If there is an error, Lull reports to curl that the socket is ready. curl then encounters the
    // error itself, as it does with its own poll, and tries a new connection if that is safe. With
    // CSELECT_ERR, it would give up.
    let events = status < 0 ? wanted : events
    var flags: Int32 = 0
    if events & Int32(UV_READABLE.rawValue) != 0 { flags |= CURL_CSELECT_IN }
    if events & Int32(UV_WRITABLE.rawValue) != 0 { flags |= CURL_CSELECT_OUT }
    multi.socketIsReady(descriptor, flags)
    if status < 0, wanted != 0, watched == 0, let poll, restart(poll) { watched = wanted }
  }

  /// Closes an idle connection on which the server has sent something, such as 408 before it
  /// disconnects. These bytes are not the response to the next request, but curl (7.88) would take
  /// them for it. With TLS or HTTP/2, they may be part of the protocol, and the connection stays
  /// open.
  private func endIfItSpoke() {
    var bytes = [UInt8](repeating: 0, count: 1 << 14)
    let tlsRecords: ClosedRange<UInt8> = 20...23
    let noWait = Int32(MSG_DONTWAIT)
    guard isKept, mayBeSpokenTo != true, recv(descriptor, &bytes, 1, Int32(MSG_PEEK) | noWait) == 1,
      !tlsRecords.contains(bytes[0])
    else { return }
    // curl treats a connection as dead if only its end can be read.
    shutdown(descriptor, Int32(SHUT_RDWR))
    for _ in 0..<64 where recv(descriptor, &bytes, bytes.count, noWait) <= 0 { break }
  }

  private func stop() {
    if let poll { uv_poll_stop(poll) }
    watched = 0
  }

  private func restart(_ poll: UnsafeMutablePointer<uv_poll_t>) -> Bool {
    uv_poll_start(poll, wanted, CurlSocket.becameReady) == 0
  }

  private static let becameReady: uv_poll_cb = { poll, status, events in
    guard let data = poll?.pointee.data else { return }
    // `data` is the socket of `makePoll`; libuv makes no calls after `close`.
    Unmanaged<CurlSocket>.fromOpaque(data).takeUnretainedValue().ready(status, events)
  }
}

/// The sockets of all multi handles of one provider, by descriptor.
final class CurlSocketTable {
  private var sockets: [CurlSocket?] = []

  subscript(descriptor: curl_socket_t) -> CurlSocket? {
    let index = Int(descriptor)
    return index >= 0 && index < sockets.count ? sockets[index] : nil
  }

  /// Inserts a socket. If there is an old entry with the same descriptor, curl has closed the old
  /// socket without a call.
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

  /// Removes the sockets of a multi handle that will be closed.
  func removeAll(of multi: CurlMulti) {
    for index in sockets.indices where sockets[index]?.multi === multi {
      sockets[index]?.close()
      sockets[index] = nil
    }
  }
}
