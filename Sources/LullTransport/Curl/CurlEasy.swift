import CCurl
import LullCore
import LullLibC

/// A curl easy handle with the response it receives, used for one exchange after the other.
///
/// What never changes is set once; of the rest only what differs from the exchange before. Home
/// thread only.
final class CurlEasy {
  let handle: UnsafeMutableRawPointer
  /// Whose exchange it carries.
  private(set) var transfer: CurlTransfer?
  /// Where it does so.
  private(set) var multi: CurlMulti?
  /// The place in the transfer's queue.
  private(set) var queuePlace = 0
  /// Of the request that went out last; see `noteRefusal`.
  private var isOnNewConnection = false
  /// Connections made for this exchange so far, by then.
  private var connectCount = 0
  /// curl's callbacks write here directly: no object is looked up per line and piece.
  let incoming: UnsafeMutablePointer<IncomingResponse>
  /// nil for an ordinary one.
  let route: CurlRoute?
  let jar: CurlJar?
  /// Of the present hop; nil if nobody asked for it.
  var watch: ExchangeWatch?
  /// Of the present hop; nil if nobody watches what goes over the wire.
  var wire: WireRecord?
  /// curl reads it until it is told of another one.
  var addressList: UnsafeMutablePointer<curl_slist>?
  /// The one line in it.
  var addressLine: String?
  /// Reads the body of the present hop; nil for one that is bytes, or none.
  private(set) var reader: BodyReader?
  /// The pool's note of where it keeps this handle.
  var place = 0

  /// Whether curl knows whom to ask for bodies that are read.
  private var readsBodies = false
  /// What is set at present.
  private var method = RequestMethod.get
  private(set) var sendsBody = false
  private var headers = RequestHeaders()
  private var headersAreForBody = false
  /// Whether what is set holds secrets, to be taken out as soon as it has been sent.
  private var holdsSecrets = false
  private var headerList: UnsafeMutablePointer<curl_slist>?
  private var target = CurlTarget()
  /// Whether curl was given a URL before, and whether it goes by `target`.
  private var hasURL = false
  private var goesByTarget = false
  private var timeout = 0
  private var connectTimeout = 0
  private var isTLS = false
  /// Who opens and closes its sockets: a multi handle, which may be gone.
  private var socketData: UnsafeMutableRawPointer?

  /// Whether the server may choose HTTP/2, or has to speak it.
  var mayUseHTTP2: Bool {
    let version = route?.connection.httpVersion
    return version == .http2 || (isTLS && version != .http1)
  }

  /// Whether its connections speak HTTP/2 from the start, without TLS.
  var usesHTTP2InClear: Bool { mayUseHTTP2 && !isTLS }

  /// What HTTP/2 needs, bytes: curl's limit of a head and what it reads from a connection at once.
  ///
  /// A head that does not fit makes curl (7.88) pause, and forget that it has: neither the rest of the
  /// head nor the end of the stream is looked at before the server says something else.
  private static let leastForHTTP2 = (128 + 32) << 10

  /// What curl reads at once where nothing demands more.
  private let receiveBufferSize: Int
  private let userAgent: String
  private let share: CurlShare
  /// curl writes its explanation of a failure here.
  let errorText: UnsafeMutablePointer<CChar>

  init?(
    userAgent: String, authorities: CertificateAuthorities, share: CurlShare,
    receiveBufferSize: Int, hasProxyVariables: Bool, route: CurlRoute? = nil, jar: CurlJar? = nil
  ) {
    guard let handle = curl_easy_init() else { return nil }
    self.handle = handle
    self.route = route
    self.jar = jar
    errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
    errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    incoming = .allocate(capacity: 1)
    incoming.initialize(to: IncomingResponse())
    self.userAgent = userAgent
    self.receiveBufferSize = receiveBufferSize
    self.share = jar?.share ?? share
    // Unretained: the provider keeps every handle it uses until it is out of curl.
    let this = Unmanaged.passUnretained(self).toOpaque()
    setPointer(CURLOPT_PRIVATE, this)
    setPointer(CURLOPT_ERRORBUFFER, UnsafeMutableRawPointer(errorText))
    setPointer(CURLOPT_WRITEDATA, incoming)
    setPointer(CURLOPT_HEADERDATA, incoming)
    setPointer(CURLOPT_PREREQDATA, this)
    ccurl_easy_set_writer(handle, CURLOPT_WRITEFUNCTION, CurlCallbacks.bodyArrived)
    ccurl_easy_set_writer(handle, CURLOPT_HEADERFUNCTION, CurlCallbacks.lineArrived)
    ccurl_easy_set_prerequest(handle, CurlCallbacks.requestGoesOut)
    ccurl_easy_set_opener(handle, CurlMulti.open)
    ccurl_easy_set_closer(handle, CurlMulti.closer)
    if let share = self.share.handle { setPointer(CURLOPT_SHARE, share) }
    set(CURLOPT_NOSIGNAL, 1)
    set(CURLOPT_NOPROGRESS, 1)
    // Cancelling must not wait for a name server; the resolver's thread ends on its own.
    set(CURLOPT_QUICK_EXIT, 1)
    set(CURLOPT_FOLLOWLOCATION, 0)
    // Dot segments go out as they stand in the URL that was checked, logged and matched.
    set(CURLOPT_PATH_AS_IS, 1)
    set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
    setText(CURLOPT_PROTOCOLS_STR, "http,https")
    set(CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_2TLS)
    trust(authorities)
    // Turns curl's engine on; the name of no file.
    if jar != nil { setText(CURLOPT_COOKIEFILE, "") }
    // For all hosts: curl then does not look at the environment.
    if !hasProxyVariables { setText(CURLOPT_NOPROXY, "*") }
    if let route, !set(route) { return nil }
    setReceiveBuffer()
  }

  deinit {
    curl_easy_cleanup(handle)
    curl_slist_free_all(headerList)
    curl_slist_free_all(addressList)
    errorText.deallocate()
    incoming.deinitialize(count: 1)
    incoming.deallocate()
  }

  /// Whether there is a connection, so that the request goes out.
  var isConnected: Bool { incoming.pointee.isRequested }

  // What has arrived so far.
  var status: Int { incoming.pointee.status }
  var isRedirect: Bool { incoming.pointee.isRedirect }
  var location: String? { incoming.pointee.location }
  /// What is worth saying of the body; nil if nothing is.
  var remark: String? { incoming.pointee.remark() }

  // MARK: Before

  /// Sets everything up for the present hop of `transfer`, which is at that place of its queue; false
  /// if curl refuses (memory).
  ///
  /// - Parameters:
  ///   - resolved: the transfer's request with texts in place of secrets; nil if it has none.
  ///   - reader: of its body, where that is read while it is sent.
  func prepare(
    for transfer: CurlTransfer, sending resolved: HTTPRequest?, reading reader: BodyReader?,
    to origin: Origin, at place: Int, in multi: CurlMulti
  ) -> Bool {
    self.transfer = transfer
    // Part by part: a request is large to copy.
    let method = resolved?.method ?? transfer.request.method
    let body = if let resolved { resolved.payloadToSend } else { transfer.payloadToSend }
    self.reader = reader
    holdsSecrets = transfer.request.secrets != nil
    queuePlace = place
    self.multi = multi
    connectCount = 0
    setSockets(of: multi)
    errorText.pointee = 0
    incoming.pointee.start(
      maxBodySize: transfer.request.limits.maxBodySize,
      expectsBody: transfer.request.method != .head,
      keepsRedirects: transfer.request.options.map { $0.redirects == .answer } ?? false,
      // Sent as a HEAD with a body, it has for curl an answer with one.
      endsWithHead: method == .head && body != nil,
      refusesEventStreams: method == .get && transfer.request.options?.sink == nil,
      isRepeatable: isRepeatable(transfer),
      tlsHandle: needsCloseNotice(transfer, at: origin) ? handle : nil,
      sending: transfer.request.options?.sending, sendsBytes: (body?.byteCount ?? 0) > 0,
      sink: transfer.request.options?.sink,
      url: transfer.request.url, callGuard: multi.callGuard)
    guard setURL(origin.wireURL(resolved?.url ?? transfer.request.url), of: origin) else {
      return false
    }
    if let route, !setAddress(for: origin, route) { return false }
    if origin.isTLS != isTLS {
      isTLS = origin.isTLS
      // Worth waiting for a first connection that may carry all; without TLS there is no HTTP/2.
      set(CURLOPT_PIPEWAIT, isTLS ? 1 : 0)
      setReceiveBuffer()
    }
    set(&timeout, CURLOPT_TIMEOUT_MS, transfer.remainingTime)
    set(&connectTimeout, CURLOPT_CONNECTTIMEOUT_MS, transfer.request.limits.connectTimeout)
    guard setMethod(method, body) else { return false }
    return setHeaders(resolved?.headers ?? transfer.request.headers, withBody: body != nil)
  }

  /// Whether the request is sent once more when a kept connection turns out to have ended.
  ///
  /// Else not, since the server may have done what it was asked for (RFC 9110, 9.2.2), and knows a
  /// request that it has seen before only by a key. See `noteRefusal` for the exception.
  private func isRepeatable(_ transfer: CurlTransfer) -> Bool {
    let request = transfer.request
    return request.method == .get || RetryPolicy.idempotentMethods.contains(request.method)
      || request.headers["idempotency-key"] != nil || request.headers["x-idempotency-key"] != nil
  }

  /// Lets curl repeat a request that the server has refused unread. (RFC 9113, 8.7) Called whenever
  /// the request goes out.
  ///
  /// curl (7.88) repeats requests for two reasons and does not tell which. On a new connection it is
  /// always a REFUSED_STREAM. On a kept one it may also be that the connection has ended, for which
  /// curl writes an error text if it was one of HTTP/2.
  func noteRefusal() {
    if incoming.pointee.isRequested {
      let speaksHTTP2 = transfer?.queue?.speaksHTTP2 ?? false
      incoming.pointee.wasRefusedUnread =
        isOnNewConnection || speaksHTTP2 && errorText.pointee == 0
    }
    let count = long(CURLINFO_NUM_CONNECTS)
    isOnNewConnection = count > connectCount
    connectCount = count
  }

  private func needsCloseNotice(_ transfer: CurlTransfer, at origin: Origin) -> Bool {
    origin.isTLS && transfer.request.options?.allowsTruncatedBodies != true
  }

  /// Lets go of the exchange and of what it sent.
  func finish() {
    transfer = nil
    multi = nil
    watch = nil
    reader = nil
    incoming.pointee.letGoOfBody()
    if sendsBody { setPointer(CURLOPT_COPYPOSTFIELDS, nil) }
    if holdsSecrets { forgetSecrets() }
  }

  private func forgetSecrets() {
    holdsSecrets = false
    setText(CURLOPT_URL, nil)
    if jar != nil { setText(CURLOPT_COOKIE, nil) }
    ccurl_easy_set_list(handle, CURLOPT_HTTPHEADER, nil)
    curl_slist_free_all(headerList)
    headerList = nil
    headers = RequestHeaders()
  }

  /// Whether somebody takes the body who may have enough for a while.
  var mayPause: Bool { incoming.pointee.hasSink }

  /// Whether curl has been told to keep what comes.
  var isHeldBack: Bool { incoming.pointee.isHeldBack }

  /// Whether it reads nothing since what takes the body has had enough for now.
  var isPaused: Bool { incoming.pointee.isFull }

  /// Goes on reading. What curl has kept back is taken within this call.
  func resume() {
    guard incoming.pointee.goesOn() else { return }
    multi?.resume(self)
  }

  /// Gives away the response's body.
  func takeBody() -> [UInt8] {
    incoming.pointee.takeBody()
  }

  private func setURL(_ url: String, of origin: Origin) -> Bool {
    // The text too, by which curl repeats a request.
    guard setText(CURLOPT_URL, url) else { return false }
    // What is used once only need not be taken apart, nor secrets be kept.
    let parts = hasURL && !holdsSecrets ? target.parts(of: url, at: origin) : nil
    hasURL = true
    guard parts != nil || goesByTarget else { return true }
    goesByTarget = parts != nil
    return setPointer(CURLOPT_CURLU, UnsafeMutableRawPointer(parts))
  }

  private func setReceiveBuffer() {
    let least = mayUseHTTP2 ? CurlEasy.leastForHTTP2 : 0
    set(CURLOPT_BUFFERSIZE, max(receiveBufferSize, least))
  }

  private func setSockets(of multi: CurlMulti) {
    // Unretained: the multi handle outlives every connection, closing them when it is closed.
    let sockets = Unmanaged.passUnretained(multi).toOpaque()
    guard sockets != socketData else { return }
    socketData = sockets
    setPointer(CURLOPT_OPENSOCKETDATA, sockets)
    setPointer(CURLOPT_CLOSESOCKETDATA, sockets)
  }

  private func setMethod(_ method: RequestMethod, _ body: RequestPayload?) -> Bool {
    let hadBody = sendsBody
    if method != self.method || hadBody != (body != nil) {
      self.method = method
      sendsBody = body != nil
      // Of curl's three kinds the one that treats the body right; the name goes beside it.
      let kind = sendsBody ? CURLOPT_POST : method == .head ? CURLOPT_NOBODY : CURLOPT_HTTPGET
      guard set(kind, 1) else { return false }
      let isKindsOwn = method == (sendsBody ? .post : .get) || method == .head && !sendsBody
      guard
        isKindsOwn
          ? setText(CURLOPT_CUSTOMREQUEST, nil)
          : setText(CURLOPT_CUSTOMREQUEST, method.rawValue)
      else { return false }
    }
    switch body {
    case .bytes(let bytes)?: return setBody(bytes)
    case .streamed(let stream)?: return setBody(stream)
    case nil: return true
    }
  }

  private func setBody(_ body: [UInt8]) -> Bool {
    // Of which curl makes a copy.
    guard MemoryLedger.allows(body.count) else { return false }
    ccurl_easy_set_size(handle, CURLOPT_POSTFIELDSIZE_LARGE, body.count)
    return body.withUnsafeBytes { bytes in
      // curl copies as many bytes as it was told above; of an empty body it needs some address.
      let address = bytes.baseAddress ?? UnsafeRawPointer(errorText)
      return ccurl_easy_set_pointer(handle, CURLOPT_COPYPOSTFIELDS, address) == CURLE_OK
    }
  }

  /// Has curl ask for the body, as it does where no bytes are set: none are, between two exchanges.
  private func setBody(_ body: StreamedBody) -> Bool {
    if !readsBodies {
      readsBodies = true
      // Unretained, as above.
      let this = Unmanaged.passUnretained(self).toOpaque()
      setPointer(CURLOPT_READDATA, this)
      setPointer(CURLOPT_SEEKDATA, this)
      ccurl_easy_set_reader(handle, CurlCallbacks.bodyWanted)
      ccurl_easy_set_seeker(handle, CurlCallbacks.bodyWantedFrom)
    }
    return ccurl_easy_set_size(handle, CURLOPT_POSTFIELDSIZE_LARGE, body.byteCount) == CURLE_OK
  }

  /// The next bytes of the body, what the disk takes not being curl's time; nil: nothing more is sent.
  func read(into buffer: UnsafeMutableRawBufferPointer) -> Int? {
    guard let reader, let multi else { return nil }
    return multi.callGuard.pausing { reader.read(into: buffer) }
  }

  // MARK: Options

  private func setHeaders(_ headers: RequestHeaders, withBody: Bool) -> Bool {
    // Comparing costs one look at the bytes; most exchanges of a service send the same headers.
    guard headerList == nil || withBody != headersAreForBody || headers != self.headers else {
      return true
    }
    let list = HeaderList.make(
      headers, withBody: withBody, withCookies: jar == nil, userAgent: userAgent)
    guard let list else { return false }
    if jar != nil {
      // So that they stand in one header with those of the jar.
      let cookies = headers.values("cookie")
      setText(CURLOPT_COOKIE, cookies.isEmpty ? nil : cookies.joined(separator: "; "))
    }
    ccurl_easy_set_list(handle, CURLOPT_HTTPHEADER, list)
    curl_slist_free_all(headerList)
    headerList = list
    self.headers = headers
    headersAreForBody = withBody
    return true
  }

  /// Sets a limit in milliseconds if it is new; what is too long to count means none.
  private func set(_ current: inout Int, _ option: CURLoption, _ seconds: Double) {
    let isFinite = seconds < 2_000_000
    let milliseconds = isFinite ? max(1, Int((max(0, seconds) * 1000).rounded(.up))) : 0
    guard milliseconds != current else { return }
    current = milliseconds
    // For connecting, 0 would mean curl's default of five minutes.
    let unlimited = option == CURLOPT_CONNECTTIMEOUT_MS ? 2_000_000_000 : 0
    set(option, isFinite ? milliseconds : unlimited)
  }

  @discardableResult
  func set(_ option: CURLoption, _ value: Int) -> Bool {
    ccurl_easy_set_long(handle, option, value) == CURLE_OK
  }

  @discardableResult
  func setText(_ option: CURLoption, _ value: String?) -> Bool {
    guard let value else { return ccurl_easy_set_string(handle, option, nil) == CURLE_OK }
    // A string given for a pointer would be copied first.
    return value.withCString { ccurl_easy_set_string(handle, option, $0) == CURLE_OK }
  }

  @discardableResult
  func setPointer(_ option: CURLoption, _ value: UnsafeMutableRawPointer?) -> Bool {
    ccurl_easy_set_pointer(handle, option, value) == CURLE_OK
  }
}

/// Whether the server has announced the end of a TLS connection by the alert close_notify.
///
/// Made for a body that ends with its connection, when its head is complete. Without the alert the body
/// may have been cut by anything between here and the server. (RFC 9112, 9.8)
final class CloseNotice {
  private let notice: OpaquePointer

  /// Watches the connection that a curl handle uses at present; nil without TLS, or if libcurl uses a
  /// TLS library other than OpenSSL, which does not report the alert.
  init?(of handle: UnsafeMutableRawPointer) {
    guard let notice = ccurl_close_notice_watch(handle) else { return nil }
    self.notice = notice
  }

  deinit { ccurl_close_notice_release(notice) }

  var hasCome: Bool { ccurl_close_notice_came(notice) != 0 }
}
