import CCurl
import CUV
import LullLibC

/// What libuv watches for one of curl's sockets.
///
/// Between two exchanges on a kept connection curl lets go of the socket and takes it back
/// unchanged. The socket of an established connection therefore stays watched until it is closed, or
/// becomes ready unexpectedly: that saves two system calls per exchange. Every other socket is watched
/// only while curl asks for it, since curl may close it without a call to us. libuv aborts the process
/// if it has to begin to watch a descriptor that is closed.
final class CurlSocket {
  let descriptor: curl_socket_t
  /// Whether it belongs to an established connection. curl closes such a socket only through us.
  private(set) var isKept = false

  /// The events curl waits for, as libuv's flags; 0 while it waits for none.
  private(set) var wanted: Int32 = 0
  /// The events libuv watches.
  private var watched: Int32 = 0
  private var poll: UnsafeMutablePointer<uv_poll_t>?
  /// Whether an exchange over it has paused, so that what comes is not for nobody.
  private var isPaused = false
  /// Whether the protocol lets the server speak between two exchanges, as HTTP/2 does; nil until it
  /// has been found out.
  var mayBeSpokenTo: Bool?
  unowned let multi: CurlMulti

  init(descriptor: curl_socket_t, multi: CurlMulti) {
    self.descriptor = descriptor
    self.multi = multi
  }

  /// Watches for `events` from now on; false if libuv cannot.
  func watch(_ events: Int32, on loop: UnsafeMutablePointer<uv_loop_t>) -> Bool {
    wanted = events
    isPaused = false
    guard watched != events else { return true }
    guard let poll = poll ?? makePoll(loop) else { return false }
    guard restart(poll) else { return false }
    watched = events
    return true
  }

  /// curl leaves what comes where it is, for as long as an exchange pauses.
  func pause() {
    wanted = 0
    isPaused = true
    stop()
  }

  /// curl has no use for the socket at present, and keeps its connection: it stays watched.
  func keep() {
    isKept = true
    wanted = 0
    isPaused = false
  }

  /// Stops watching at once; the handle's memory is freed when libuv has let go of it.
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
    // Unretained: `close` comes before the last reference goes, and after it libuv calls no more.
    poll.pointee.data = Unmanaged.passUnretained(self).toOpaque()
    self.poll = poll
    return poll
  }

  private func ready(_ status: Int32, _ events: Int32) {
    // libuv stops watching on an error.
    if status < 0 { watched = 0 }
    guard wanted != 0 else {
      // A kept connection spoke, or was closed by the server: curl finds out when it looks for one.
      stop()
      if status >= 0, !isPaused { endIfItSpoke() }
      return
    }
    // Of an error curl is told that the socket is ready: it then meets the error itself, as it does
    // under its own poll, and tries again on a new connection if that is safe. Told CSELECT_ERR it
    // would give up.
    let events = status < 0 ? wanted : events
    var flags: Int32 = 0
    if events & Int32(UV_READABLE.rawValue) != 0 { flags |= CURL_CSELECT_IN }
    if events & Int32(UV_WRITABLE.rawValue) != 0 { flags |= CURL_CSELECT_OUT }
    multi.socketIsReady(descriptor, flags)
    if status < 0, wanted != 0, watched == 0, let poll, restart(poll) { watched = wanted }
  }

  /// What a server says on an idle connection, such as 408 before it hangs up, is no answer to the
  /// next request; curl (7.88) would take it for one. Of TLS, and of HTTP/2, it may be
  /// part of the protocol.
  private func endIfItSpoke() {
    var bytes = [UInt8](repeating: 0, count: 1 << 14)
    let tlsRecords: ClosedRange<UInt8> = 20...23
    let noWait = Int32(MSG_DONTWAIT)
    guard isKept, mayBeSpokenTo != true, recv(descriptor, &bytes, 1, Int32(MSG_PEEK) | noWait) == 1,
      !tlsRecords.contains(bytes[0])
    else { return }
    // Curl takes a connection for dead when there is nothing to read but its end.
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
    // `data` is the socket of `makePoll`; libuv calls nobody after `close`.
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
