import CCurl
import CUV
import LullLibC
import LullCore
import LullSystem

/// A bidirectional byte stream on a home's loop. curl makes the connection, because it handles
/// names, TLS, proxies and Unix sockets. This object then watches the connection's socket.
///
/// The owner is never called inside libuv or curl, but notified on turns of the pump. The owner
/// must close the socket. Home thread only.
final class StreamSocket: PumpGuest {
  /// An event of the connection. The connection opens, bytes arrive, and the connection ends. If
  /// the connection cannot be opened, `ended` is its only event.
  enum Event {
    case opened
    case arrived(UnsafeRawBufferPointer)
    /// The connection has ended; the text is the reason.
    case ended(String)
  }

  private enum State {
    case connecting, open, ended, closed
  }

  private unowned let pump: Pump
  private let loop: UnsafeMutablePointer<uv_loop_t>
  private let multi: UnsafeMutableRawPointer
  private let easy: UnsafeMutableRawPointer
  private let timer: UnsafeMutablePointer<uv_timer_t>
  private let errorText: UnsafeMutablePointer<CChar>
  private let buffer: UnsafeMutableRawBufferPointer
  private let isTLS: Bool
  private let tell: (Event) -> Void

  private var state = State.connecting
  private var polls: [curl_socket_t: UnsafeMutablePointer<uv_poll_t>] = [:]
  /// The connection's descriptor when it is open.
  private var descriptor = curl_socket_t(-1)
  private var isReadable = false
  private var isWritable = false
  private var isWatchedForRoom = false
  /// Bytes that are not sent yet.
  private var output = OutputLine()

  /// The maximum number of bytes to read in one turn, so that other connections are served too.
  private static let mostInOneTurn = 1 << 20

  /// Starts to connect. Returns nil if curl cannot be used, if the pump's clock does not belong to
  /// an event loop, or if memory runs out.
  ///
  /// - Parameter timeout: The time limit for connecting, in seconds.
  init?(
    _ place: ShareAddress.Place, pump: Pump, authorities: CertificateAuthorities,
    timeout: Double, _ tell: @escaping (Event) -> Void
  ) {
    guard let loop = (pump.clock as? LoopClock)?.handle, let multi = curl_multi_init() else {
      return nil
    }
    guard let easy = curl_easy_init() else {
      curl_multi_cleanup(multi)
      return nil
    }
    self.pump = pump
    self.loop = loop
    self.multi = multi
    self.easy = easy
    self.tell = tell
    timer = .allocate(capacity: 1)
    uv_timer_init(loop, timer)
    errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
    errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    buffer = .allocate(byteCount: 1 << 16, alignment: 16)
    if case .host(_, _, let isTLS) = place { self.isTLS = isTLS } else { isTLS = false }
    // The pointer is unretained, here and below: `close` is called before the last reference is
    // released.
    let this = Unmanaged.passUnretained(self).toOpaque()
    timer.pointee.data = this
    ccurl_multi_set_pointer(multi, CURLMOPT_SOCKETDATA, this)
    ccurl_multi_set_socket_watcher(multi, StreamSocket.watchSocket)
    ccurl_multi_set_pointer(multi, CURLMOPT_TIMERDATA, this)
    ccurl_multi_set_timer_watcher(multi, StreamSocket.setTimer)
    set(place, authorities, timeout: timeout)
    pump.add(self)
    guard curl_multi_add_handle(multi, easy) == CURLM_OK else {
      close()
      return nil
    }
    perform(CURL_SOCKET_BAD, 0)
  }

  deinit {
    close()
    errorText.deallocate()
    buffer.deallocate()
  }

  private func set(
    _ place: ShareAddress.Place, _ authorities: CertificateAuthorities, timeout: Double
  ) {
    func set(_ option: CURLoption, _ value: Int) { ccurl_easy_set_long(easy, option, value) }
    func setText(_ option: CURLoption, _ value: String) {
      _ = value.withCString { ccurl_easy_set_string(easy, option, $0) }
    }
    switch place {
    case .host(let host, let port, let isTLS):
      setText(CURLOPT_URL, "\(isTLS ? "https" : "http")://\(host):\(port)")
    case .socket(let path):
      setText(CURLOPT_URL, "http://localhost")
      setText(CURLOPT_UNIX_SOCKET_PATH, path)
      setText(CURLOPT_PROXY, "")
    }
    set(CURLOPT_CONNECT_ONLY, 1)
    // libcurl's own socket would be inherited by programs that are started meanwhile. The server
    // would then not see it close.
    ccurl_easy_set_opener(easy) { _, _, address in
      guard let address else { return CURL_SOCKET_BAD }
      let descriptor = CLibrary.makeSocket(
        address.pointee.family, address.pointee.socktype, address.pointee.protocol)
      return descriptor < 0 ? CURL_SOCKET_BAD : descriptor
    }
    // An HTTP proxy is asked for a tunnel.
    set(CURLOPT_HTTPPROXYTUNNEL, 1)
    set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
    // The protocol is not HTTP.
    set(CURLOPT_SSL_ENABLE_ALPN, 0)
    set(CURLOPT_NOSIGNAL, 1)
    set(CURLOPT_NOPROGRESS, 1)
    set(CURLOPT_QUICK_EXIT, 1)
    set(CURLOPT_TCP_KEEPALIVE, 1)
    set(CURLOPT_CONNECTTIMEOUT_MS, max(1, Int(timeout * 1000)))
    setText(CURLOPT_PROTOCOLS_STR, "http,https")
    ccurl_easy_set_pointer(easy, CURLOPT_ERRORBUFFER, UnsafeMutableRawPointer(errorText))
    if let file = authorities.file { setText(CURLOPT_CAINFO, file) }
    if let directory = authorities.directory { setText(CURLOPT_CAPATH, directory) }
  }

  /// Closes the connection. No events follow. Closing again has no effect.
  func close() {
    guard state != .closed else { return }
    state = .closed
    callingCurl {
      curl_multi_remove_handle(multi, easy)
      curl_easy_cleanup(easy)
      curl_multi_cleanup(multi)
    }
    for poll in polls.values { UVHandle.closeAndFree(poll) }
    polls = [:]
    UVHandle.closeAndFree(timer)
    pump.remove(self)
  }

  // MARK: Sending and receiving

  /// The number of bytes that the system has not accepted yet.
  var waitingByteCount: Int { output.count }

  /// Sends the bytes that the system accepts now, and the rest later.
  func send(_ bytes: [UInt8]) {
    guard state == .open else { return }
    output.append(bytes)
    flush()
  }

  private func flush() {
    while state == .open, let piece = output.first {
      var count = 0
      // The bytes belong to the piece, which outlives the call, and do not move until they are
      // sent.
      let code = piece.bytes.withUnsafeBytes { bytes in
        let rest = UnsafeRawBufferPointer(rebasing: bytes[piece.sentCount...])
        return callingCurl { curl_easy_send(easy, rest.baseAddress, rest.count, &count) }
      }
      output.removeFirst(count)
      if code == CURLE_AGAIN { break }
      if code != CURLE_OK { return end(code) }
    }
    watch()
  }

  /// Reads available bytes, without waiting.
  func receive() {
    isReadable = false
    var taken = 0
    while state == .open {
      guard taken < StreamSocket.mostInOneTurn else {
        isReadable = true
        // Keeps the loop from waiting.
        return pump.enqueue {}
      }
      var count = 0
      let code = callingCurl {
        curl_easy_recv(easy, buffer.baseAddress, buffer.count, &count)
      }
      if code == CURLE_AGAIN { return }
      guard code == CURLE_OK else { return end(code) }
      guard count > 0 else { return end("it has closed the connection") }
      taken += count
      tell(.arrived(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer)[..<count])))
      // With TLS, curl may have buffered bytes that the system does not report as readable.
      if !isTLS, count < buffer.count { return }
    }
  }

  private func end(_ code: CURLcode) {
    let systemError = osError
    if systemError != 0 {
      let text = ErrorText.of(systemError)
      return end("\(text.prefix(1).lowercased())\(text.dropFirst())")
    }
    // curl writes a text that ends with a zero byte; it may quote the URL of a proxy.
    let detail = CredentialMask.text(String(escapingCString: errorText))
    end(detail.isEmpty ? "curl's error \(code.rawValue)" : detail)
  }

  private var osError: Int32 {
    var value = 0
    ccurl_easy_get_long(easy, CURLINFO_OS_ERRNO, &value)
    return Int32(truncatingIfNeeded: value)
  }

  /// Reports the end of the connection on a later turn, because the end may be detected inside a
  /// call by the owner.
  private func end(_ reason: String) {
    guard state == .connecting || state == .open else { return }
    state = .ended
    for poll in polls.values { uv_poll_stop(poll) }
    pump.enqueue { [weak self] in
      guard let self, state == .ended else { return }
      tell(.ended(reason))
    }
  }

  // MARK: Connecting

  private func perform(_ descriptor: curl_socket_t, _ events: Int32) {
    guard state == .connecting else { return }
    var running: Int32 = 0
    callingCurl { _ = curl_multi_socket_action(multi, descriptor, events, &running) }
    guard running == 0 else { return }
    pump.enqueue { [weak self] in self?.hasConnected() }
    // Keeps the loop from waiting for sockets now.
    uv_stop(loop)
  }

  private func hasConnected() {
    var left: Int32 = 0
    guard state == .connecting, let message = curl_multi_info_read(multi, &left),
      message.pointee.msg == CURLMSG_DONE
    else { return }
    let code = ccurl_message_result(message)
    guard code == CURLE_OK else { return end(code) }
    var socket = curl_socket_t(-1)
    guard ccurl_easy_get_socket(easy, &socket) == CURLE_OK, socket >= 0 else {
      return end("curl reported no socket")
    }
    descriptor = socket
    state = .open
    uv_timer_stop(timer)
    guard let poll = poll(of: socket) else { return end("its socket cannot be watched") }
    isWatchedForRoom = false
    uv_poll_start(poll, Int32(UV_READABLE.rawValue), StreamSocket.becameReady)
    tell(.opened)
  }

  private func watch() {
    guard state == .open, let poll = polls[descriptor] else { return }
    let wantsRoom = output.count > 0
    guard wantsRoom != isWatchedForRoom else { return }
    isWatchedForRoom = wantsRoom
    let events = UV_READABLE.rawValue | (wantsRoom ? UV_WRITABLE.rawValue : 0)
    uv_poll_start(poll, Int32(events), StreamSocket.becameReady)
  }

  /// Runs a call of curl. If the call could raise SIGPIPE, that signal is blocked during the call.
  /// It is not blocked at other times, because another part of the program may rely on it.
  private func callingCurl<Result>(_ body: () -> Result) -> Result {
    isTLS || state != .open ? SignalGuard.without(SIGPIPE, body) : body()
  }

  private func poll(of descriptor: curl_socket_t) -> UnsafeMutablePointer<uv_poll_t>? {
    if let poll = polls[descriptor] { return poll }
    let poll = UnsafeMutablePointer<uv_poll_t>.allocate(capacity: 1)
    guard uv_poll_init(loop, poll, descriptor) == 0 else {
      poll.deallocate()
      return nil
    }
    poll.pointee.data = Unmanaged.passUnretained(self).toOpaque()
    polls[descriptor] = poll
    return poll
  }

  private func watchSocket(_ descriptor: curl_socket_t, _ what: Int32) -> Int32 {
    guard state == .connecting else { return 0 }
    if what == CURL_POLL_REMOVE {
      // curl may close it next, and reuse the number.
      if let poll = polls.removeValue(forKey: descriptor) { UVHandle.closeAndFree(poll) }
      return 0
    }
    guard let poll = poll(of: descriptor) else { return -1 }
    var events: UInt32 = 0
    if what & CURL_POLL_IN != 0 { events |= UInt32(UV_READABLE.rawValue) }
    if what & CURL_POLL_OUT != 0 { events |= UInt32(UV_WRITABLE.rawValue) }
    return uv_poll_start(poll, Int32(events), StreamSocket.becameReady) == 0 ? 0 : -1
  }

  private func ready(_ poll: UnsafeMutablePointer<uv_poll_t>, _ status: Int32, _ events: Int32) {
    guard state == .connecting else {
      isReadable = isReadable || status < 0 || events & Int32(UV_READABLE.rawValue) != 0
      isWritable = isWritable || events & Int32(UV_WRITABLE.rawValue) != 0
      return
    }
    guard let descriptor = polls.first(where: { $0.value == poll })?.key else { return }
    var flags: Int32 = 0
    if status < 0 { flags |= CURL_CSELECT_ERR }
    if events & Int32(UV_READABLE.rawValue) != 0 { flags |= CURL_CSELECT_IN }
    if events & Int32(UV_WRITABLE.rawValue) != 0 { flags |= CURL_CSELECT_OUT }
    perform(descriptor, flags)
  }

  private func setTimeout(_ milliseconds: Int) {
    guard state == .connecting else { return }
    guard milliseconds >= 0 else {
      uv_timer_stop(timer)
      return
    }
    uv_update_time(loop)
    uv_timer_start(timer, StreamSocket.timerFired, UInt64(milliseconds), 0)
  }

  // MARK: Turns

  func turnBegins() {
    guard state == .open else { return }
    if isWritable {
      isWritable = false
      flush()
    }
    if isReadable { receive() }
  }

  func turnEnded() {}

  /// Closes the socket when the pump has ended. The owner normally closes the socket before that.
  func pumpCloses() {
    if pump.ending.hasEnded { close() } else { pump.add(self) }
  }

  // MARK: C callbacks

  private static let watchSocket: curl_socket_callback = { _, descriptor, what, this, _ in
    guard let this else { return 0 }
    // `this` was set in `init`; curl makes no calls after `close`.
    return Unmanaged<StreamSocket>.fromOpaque(this).takeUnretainedValue()
      .watchSocket(descriptor, what)
  }

  private static let setTimer: curl_multi_timer_callback = { _, milliseconds, this in
    guard let this else { return 0 }
    // `this` was set in `init`; curl makes no calls after `close`.
    Unmanaged<StreamSocket>.fromOpaque(this).takeUnretainedValue().setTimeout(milliseconds)
    return 0
  }

  private static let timerFired: uv_timer_cb = { timer in
    guard let this = timer?.pointee.data else { return }
    // `this` was set in `init`; a closed timer does not fire.
    Unmanaged<StreamSocket>.fromOpaque(this).takeUnretainedValue().perform(CURL_SOCKET_BAD, 0)
  }

  private static let becameReady: uv_poll_cb = { poll, status, events in
    guard let poll, let this = poll.pointee.data else { return }
    // `this` was set in `poll(of:)`; libuv makes no calls after `close`.
    Unmanaged<StreamSocket>.fromOpaque(this).takeUnretainedValue().ready(poll, status, events)
  }
}
