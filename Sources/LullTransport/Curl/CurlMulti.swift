import CCurl
import CUV
import LullCore
import LullLibC
import LullSystem

/// One curl multi handle on one libuv loop: its sockets, its timer, its finished transfers.
///
/// Inside curl's callbacks, this object only records facts and updates libuv's watches. It never
/// calls curl there. Home thread only.
final class CurlMulti {
  /// The number of idle connections that are kept open, over all hosts.
  private static let maxIdleConnections = 512

  /// The index of this handle in `CurlMultis`.
  let index: Int
  /// The number of attached handles. A handle stays attached after its completion until the
  /// completion was read.
  private(set) var attachedCount = 0
  /// True while curl's own code runs: transfers must not be added, removed or cancelled then.
  private(set) var isInsideCurl = false
  private(set) var hasCompletions = false
  /// Whether curl wants to be called now, independently of sockets: for new transfers or passed
  /// deadlines.
  private(set) var isTimeoutDue = false
  /// The error of the last socket that the system refused to create; curl does not report it.
  private(set) var socketFailure: Int32 = 0
  /// The time when the last transfer left, in the loop's milliseconds; nil while there are
  /// transfers.
  private(set) var emptySince: UInt64?

  private let multi: UnsafeMutableRawPointer
  private let loop: UnsafeMutablePointer<uv_loop_t>
  private let timer: UnsafeMutablePointer<uv_timer_t>
  private let guardsSignal: Bool
  /// Whether any exchange so far might have paused.
  private var hasSinks = false
  private let sockets: CurlSocketTable
  private let work: CurlWork
  let callGuard = StuckCallGuard()
  /// Whether `work` lists this handle.
  private var isNoted = false
  /// The maximum number of connections that curl keeps, including connections in use.
  private var connectionLimit = CurlMulti.maxIdleConnections
  /// The time at which curl wants to be called, and the time to which the timer is set. Both are in
  /// the loop's milliseconds.
  private var deadline = UInt64.max
  private var timerIsSetTo = UInt64.max
  private var isClosed = false

  init?(
    index: Int, loop: UnsafeMutablePointer<uv_loop_t>, sockets: CurlSocketTable, work: CurlWork,
    blocksSIGPIPE: Bool
  ) {
    guard let multi = curl_multi_init() else { return nil }
    self.index = index
    self.multi = multi
    self.loop = loop
    self.sockets = sockets
    self.work = work
    guardsSignal = blocksSIGPIPE
    timer = .allocate(capacity: 1)
    uv_timer_init(loop, timer)
    // Unretained, here and below: `close` is called before the last reference is released.
    let this = Unmanaged.passUnretained(self).toOpaque()
    timer.pointee.data = this
    ccurl_multi_set_pointer(multi, CURLMOPT_SOCKETDATA, this)
    ccurl_multi_set_socket_watcher(multi, CurlMulti.watchSocket)
    ccurl_multi_set_pointer(multi, CURLMOPT_TIMERDATA, this)
    ccurl_multi_set_timer_watcher(multi, CurlMulti.setTimer)
    ccurl_multi_set_long(multi, CURLMOPT_MAXCONNECTS, connectionLimit)
  }

  deinit {
    close()
  }

  // MARK: Transfers

  /// Starts `easy`; its request is sent with the next `performDue`.
  func add(_ easy: CurlEasy) -> CURLMcode {
    let code = callingCurl { curl_multi_add_handle(multi, easy.handle) }
    guard code == CURLM_OK else { return code }
    if easy.mayUseHTTP2 { callGuard.start() }
    attachedCount += 1
    if easy.mayPause { hasSinks = true }
    emptySince = nil
    // Above the limit, curl searches all connections after each transfer for one to close.
    if attachedCount * 2 > connectionLimit {
      connectionLimit *= 2
      ccurl_multi_set_long(multi, CURLMOPT_MAXCONNECTS, connectionLimit)
    }
    return code
  }

  /// Removes `easy`. If it has not finished, its connection or stream is closed immediately.
  func remove(_ easy: CurlEasy) {
    guard callingCurl({ curl_multi_remove_handle(multi, easy.handle) }) == CURLM_OK else { return }
    attachedCount -= 1
    if attachedCount == 0 { emptySince = uv_now(loop) }
  }

  /// Resumes an exchange whose input curl holds back at the request of `easy`.
  func resume(_ easy: CurlEasy) {
    // A failure belongs to the transfer, and curl reports it like any other.
    _ = callingCurl { curl_easy_pause(easy.handle, CURLPAUSE_CONT) }
  }

  /// Makes curl read for `easy`, even if nothing has arrived. For that, it pauses and resumes the
  /// transfer, because curl reads when a pause ends.
  func wake(_ easy: CurlEasy) {
    guard !easy.isPaused else { return }
    _ = callingCurl { curl_easy_pause(easy.handle, CURLPAUSE_RECV) }
    resume(easy)
  }

  /// Whether there is work that depends on no socket.
  var hasWork: Bool { isTimeoutDue || hasCompletions }

  private func note() {
    guard !isNoted else { return }
    isNoted = true
    work.multis.append(self)
  }

  /// Called when `work` no longer lists this handle.
  func isForgotten() { isNoted = false }

  /// Lets curl do work that does not depend on a socket, if there is any.
  func performDue() {
    guard isTimeoutDue, !isClosed else { return }
    isTimeoutDue = false
    perform(CURL_SOCKET_BAD, 0)
  }

  /// Reports every finished transfer. Each transfer is still attached, and `body` must remove it.
  func readCompletions(_ body: (CurlEasy, CURLcode) -> Void) {
    guard hasCompletions else { return }
    hasCompletions = false
    var left: Int32 = 0
    while !isClosed, let message = curl_multi_info_read(multi, &left) {
      guard message.pointee.msg == CURLMSG_DONE else { continue }
      let result = ccurl_message_result(message)
      guard let easy = CurlMulti.easy(of: message.pointee.easy_handle) else { continue }
      body(easy, result)
    }
  }

  /// Closes all connections. Every transfer must have been removed. Closing again has no effect.
  func close() {
    guard !isClosed else { return }
    isClosed = true
    callingCurl { _ = curl_multi_cleanup(multi) }
    callGuard.stop()
    sockets.removeAll(of: self)
    UVHandle.closeAndFree(timer)
  }

  // MARK: Calling curl

  fileprivate func perform(_ descriptor: curl_socket_t, _ events: Int32) {
    var running: Int32 = 0
    let isWatched = callGuard.isWatching
    if isWatched { callGuard.enter(descriptor) }
    callingCurl { _ = curl_multi_socket_action(multi, descriptor, events, &running) }
    if isWatched { callGuard.leave() }
    guard Int(running) < attachedCount else { return }
    hasCompletions = true
    note()
  }

  func socketIsReady(_ descriptor: curl_socket_t, _ events: Int32) {
    guard !isClosed else { return }
    perform(descriptor, events)
  }

  private func callingCurl<Result>(_ body: () -> Result) -> Result {
    let wasInside = isInsideCurl
    isInsideCurl = true
    defer { isInsideCurl = wasInside }
    return guardsSignal ? SignalGuard.without(SIGPIPE, body) : body()
  }

  // MARK: Sockets

  /// Creates a socket, see `CurlSocket`.
  fileprivate func openSocket(_ address: UnsafeMutablePointer<curl_sockaddr>) -> curl_socket_t {
    let descriptor = CLibrary.makeSocket(
      address.pointee.family, address.pointee.socktype, address.pointee.protocol)
    guard descriptor >= 0 else {
      socketFailure = errno
      return CURL_SOCKET_BAD
    }
    insert(descriptor)
    return descriptor
  }

  fileprivate func closeSocket(_ descriptor: curl_socket_t) -> Int32 {
    forget(descriptor)
    return LullLibC.close(descriptor)
  }

  @discardableResult
  private func insert(_ descriptor: curl_socket_t) -> CurlSocket {
    let socket = CurlSocket(descriptor: descriptor, multi: self)
    sockets.insert(socket)
    callGuard.opened(descriptor)
    return socket
  }

  /// Forgets a descriptor that will be closed or is closed already, because its number may be
  /// reused immediately.
  private func forget(_ descriptor: curl_socket_t) {
    sockets.remove(descriptor)
    callGuard.willClose(descriptor)
  }

  private func watchSocket(
    _ descriptor: curl_socket_t, _ what: Int32, for handle: UnsafeMutableRawPointer?
  ) -> Int32 {
    if what == CURL_POLL_REMOVE {
      guard let socket = socket(descriptor) else { return 0 }
      if hasSinks, CurlMulti.easy(of: handle)?.isHeldBack ?? false {
        socket.pause()
      } else if socket.isKept || CurlMulti.isKept(descriptor, by: handle) {
        socket.keep()
      } else {
        // If the socket's connection is not established, curl (7.88) first closes the socket and
        // then calls this function. The same applies to the sockets of its resolver.
        forget(descriptor)
      }
      return 0
    }
    var events: Int32 = 0
    if what & CURL_POLL_IN != 0 { events |= Int32(UV_READABLE.rawValue) }
    if what & CURL_POLL_OUT != 0 { events |= Int32(UV_WRITABLE.rawValue) }
    let socket = socket(descriptor) ?? insert(descriptor)
    if socket.mayBeSpokenTo == nil {
      socket.mayBeSpokenTo = CurlMulti.easy(of: handle)?.usesHTTP2InClear ?? false
    }
    return socket.watch(events, on: loop) ? 0 : -1
  }

  /// Returns the handle's object; nil for curl's internal handles.
  private static func easy(of handle: UnsafeMutableRawPointer?) -> CurlEasy? {
    var easy: UnsafeMutableRawPointer?
    guard let handle, ccurl_easy_get_pointer(handle, CURLINFO_PRIVATE, &easy) == CURLE_OK
    else { return nil }
    // The provider keeps every easy handle that it has added, and its private data is the object's
    // address.
    return easy.map { Unmanaged<CurlEasy>.fromOpaque($0).takeUnretainedValue() }
  }

  /// Returns the socket with that descriptor. Returns nil if the descriptor belonged to a socket of
  /// another multi handle, which curl has closed without a call.
  private func socket(_ descriptor: curl_socket_t) -> CurlSocket? {
    guard let socket = sockets[descriptor], socket.multi === self else { return nil }
    return socket
  }

  /// Whether the exchange of `handle` has left an established connection that uses `descriptor`.
  private static func isKept(
    _ descriptor: curl_socket_t, by handle: UnsafeMutableRawPointer?
  ) -> Bool {
    var kept = curl_socket_t(-1)
    guard let handle, ccurl_easy_get_socket(handle, &kept) == CURLE_OK else { return false }
    return kept == descriptor
  }

  // MARK: Timer

  private func setTimeout(_ milliseconds: Int) {
    isTimeoutDue = milliseconds == 0
    if isTimeoutDue { note() }
    guard milliseconds > 0 else {
      deadline = .max
      return
    }
    deadline = uv_now(loop) + UInt64(milliseconds)
    // The timer is only moved to an earlier time. If it fires too early, it is set again, but most
    // deadlines are cancelled before that.
    if deadline < timerIsSetTo { startTimer() }
  }

  private func startTimer() {
    let now = uv_now(loop)
    timerIsSetTo = deadline
    uv_timer_start(timer, CurlMulti.timerFired, deadline > now ? deadline - now : 0, 0)
  }

  private func timerHasFired() {
    timerIsSetTo = .max
    guard deadline != .max else { return }
    if uv_now(loop) < deadline {
      startTimer()
    } else {
      isTimeoutDue = true
      note()
      deadline = .max
      // The timer may have fired just before libuv waits for sockets; that wait must not happen
      // now.
      uv_stop(loop)
    }
  }

  // MARK: C callbacks

  private static let watchSocket: curl_socket_callback = { handle, descriptor, what, this, _ in
    guard let this else { return 0 }
    // `this` was set in `init`; curl makes no calls after `close`.
    return Unmanaged<CurlMulti>.fromOpaque(this).takeUnretainedValue()
      .watchSocket(descriptor, what, for: handle)
  }

  private static let setTimer: curl_multi_timer_callback = { _, milliseconds, this in
    guard let this else { return 0 }
    // `this` was set in `init`; curl makes no calls after `close`.
    Unmanaged<CurlMulti>.fromOpaque(this).takeUnretainedValue().setTimeout(milliseconds)
    return 0
  }

  private static let timerFired: uv_timer_cb = { timer in
    guard let this = timer?.pointee.data else { return }
    // `this` was set in `init`; a closed timer does not fire.
    Unmanaged<CurlMulti>.fromOpaque(this).takeUnretainedValue().timerHasFired()
  }

  /// The callback that opens the sockets of every easy handle that was added to this multi handle.
  /// The callback's data is the address of this object.
  static let open: curl_opensocket_callback = { this, _, address in
    guard let this, let address else { return CURL_SOCKET_BAD }
    // The provider sets `this` for all its easy handles; curl opens no sockets after `close`.
    return Unmanaged<CurlMulti>.fromOpaque(this).takeUnretainedValue().openSocket(address)
  }

  static let closer: curl_closesocket_callback = { this, descriptor in
    guard let this else { return LullLibC.close(descriptor) }
    // The provider sets `this` for all its easy handles; the last call comes from within `close`.
    return Unmanaged<CurlMulti>.fromOpaque(this).takeUnretainedValue().closeSocket(descriptor)
  }
}

/// Lists the multi handles of a provider that have work which depends on no socket, so that not all
/// handles have to be checked.
final class CurlWork {
  var multis: [CurlMulti] = []

  var isEmpty: Bool { !multis.contains { $0.hasWork } }

  /// Removes the handles that have no more work.
  func removeIdle() {
    multis.removeAll { multi in
      guard !multi.hasWork else { return false }
      multi.isForgotten()
      return true
    }
  }
}
