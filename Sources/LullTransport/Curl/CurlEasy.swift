import CCurl
import LullCore
import LullLibC

/// A curl easy handle with the response that it receives, used for one exchange after another.
///
/// Permanent options are set once. The other options are set only if they differ from the options
/// of the previous exchange. Home thread only.
final class CurlEasy {
  let handle: UnsafeMutableRawPointer
  /// The exchange that the handle carries.
  private(set) var transfer: CurlTransfer?
  /// The multi handle that the exchange runs on.
  private(set) var multi: CurlMulti?
  /// The number of the exchange's place in its `HostQueue`.
  private(set) var queuePlace = 0
  /// Whether the last request was sent on a new connection; see `noteRefusal`.
  private var isOnNewConnection = false
  /// The number of connections that had been made for this exchange when the last request was sent.
  private var connectCount = 0
  /// The response, to which curl's callbacks write directly, without an object lookup per line and
  /// piece.
  let incoming: UnsafeMutablePointer<IncomingResponse>
  /// The route of the handle's connections; nil for an ordinary handle.
  let route: CurlRoute?
  let jar: CurlJar?
  /// The watch of the current hop; nil for none.
  var watch: ExchangeWatch?
  /// The record of the current hop; nil if its traffic is not observed.
  var wire: WireRecord?
  /// The list that contains the address to connect to. curl reads it until another list is set.
  var addressList: UnsafeMutablePointer<curl_slist>?
  /// The only line of `addressList`.
  var addressLine: String?
  /// Reads the body of the current hop; nil if it is in memory or missing.
  private(set) var reader: BodyReader?
  /// The index of this handle in the pool.
  var place = 0

  /// Whether the callbacks for reading bodies are set.
  private var readsBodies = false
  /// The options that curl has now.
  private var method = RequestMethod.get
  private(set) var sendsBody = false
  private var headers = RequestHeaders()
  private var headersAreForBody = false
  /// Whether the options contain secrets, which must be removed after the request was sent.
  private var holdsSecrets = false
  private var headerList: UnsafeMutablePointer<curl_slist>?
  private var target = CurlTarget()
  /// Whether curl has ever had a URL, and whether its current URL is `target` instead of a text.
  private var hasURL = false
  private var goesByTarget = false
  private var timeout = 0
  private var connectTimeout = 0
  private var isTLS = false
  /// The multi handle that opens and closes the sockets of this handle. It may have been released.
  private var socketData: UnsafeMutableRawPointer?

  /// Whether the server may choose HTTP/2, or must use it.
  var mayUseHTTP2: Bool {
    let version = route?.connection.httpVersion
    return version == .http2 || (isTLS && version != .http1)
  }

  /// Whether the connections of the handle use HTTP/2 from the start, without TLS.
  var usesHTTP2InClear: Bool { mayUseHTTP2 && !isTLS }

  /// The least buffer size for HTTP/2 in bytes: curl's limit for a head, plus its read size.
  ///
  /// If a head does not fit, curl (7.88) pauses and does not resume: it processes neither the rest
  /// of the head nor the end of the stream before the server sends something else.
  private static let leastForHTTP2 = (128 + 32) << 10

  /// curl's read size, unless a larger one is needed.
  private let receiveBufferSize: Int
  private let userAgent: String
  private let share: CurlShare
  /// The buffer to which curl writes its explanation of a failure.
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
    // Unretained: the provider keeps every handle until it has left curl.
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
    // Dot segments are sent as in the URL that was checked, logged and matched.
    set(CURLOPT_PATH_AS_IS, 1)
    set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
    setText(CURLOPT_PROTOCOLS_STR, "http,https")
    set(CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_2TLS)
    trust(authorities)
    // Enables curl's cookie engine, without a file.
    if jar != nil { setText(CURLOPT_COOKIEFILE, "") }
    // This setting for all hosts makes curl ignore the proxies of the environment.
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

  /// Whether there is a connection, so that the request is being sent.
  var isConnected: Bool { incoming.pointee.isRequested }

  // The response so far.
  var status: Int { incoming.pointee.status }
  var isRedirect: Bool { incoming.pointee.isRedirect }
  var location: String? { incoming.pointee.location }
  /// A message about the body for the log; nil for none.
  var remark: String? { incoming.pointee.remark() }

  // MARK: Preparing

  /// Prepares the handle for the current hop of `transfer`. Returns false if memory runs out in
  /// curl.
  ///
  /// - Parameters:
  ///   - resolved: The transfer's request with the texts of its secrets; nil if it has no secrets.
  ///   - reader: Reads the request body while it is sent; nil if the body is not streamed.
  ///   - place: The number of the transfer's place in its `HostQueue`.
  func prepare(
    for transfer: CurlTransfer, sending resolved: HTTPRequest?, reading reader: BodyReader?,
    to origin: Origin, at place: Int, in multi: CurlMulti
  ) -> Bool {
    self.transfer = transfer
    // The parts are read separately, because a whole request is expensive to copy.
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
      // For a HEAD that is sent with a body, curl expects a response body.
      endsWithHead: method == .head && body != nil,
      refusesEventStreams: (method == .get || transfer.request.sendsQuery)
        && transfer.request.options?.sink == nil,
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
      // With TLS, curl waits for a first connection that may carry all exchanges. Without TLS,
      // HTTP/2 is not negotiated.
      set(CURLOPT_PIPEWAIT, isTLS ? 1 : 0)
      setReceiveBuffer()
    }
    set(&timeout, CURLOPT_TIMEOUT_MS, transfer.remainingTime)
    set(&connectTimeout, CURLOPT_CONNECTTIMEOUT_MS, transfer.request.limits.connectTimeout)
    guard setMethod(method, body) else { return false }
    return setHeaders(resolved?.headers ?? transfer.request.headers, withBody: body != nil)
  }

  /// Whether the request is sent again if a reused connection turns out to be closed: if its method
  /// is idempotent, or if it has an idempotency key.
  ///
  /// A request with another method may have been processed before the server closed the connection
  /// (RFC 9110, 9.2.2). The server recognises a repetition only by a key. See `noteRefusal` for an
  /// exception.
  private func isRepeatable(_ transfer: CurlTransfer) -> Bool {
    let request = transfer.request
    return request.method == .get || request.isIdempotent
      || request.headers["idempotency-key"] != nil || request.headers["x-idempotency-key"] != nil
  }

  /// Lets curl repeat a request that the server has refused without processing it. (RFC 9113, 8.7)
  /// Called each time the request is sent.
  ///
  /// curl (7.88) repeats requests for two reasons and does not report which one applies. On a new
  /// connection, the reason is always a REFUSED_STREAM. On a reused connection, the reason may also
  /// be that the connection has ended. In that case, curl writes an error text if it was an HTTP/2
  /// connection.
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

  /// Releases the exchange and the data that it sent.
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

  /// Whether the receiver of the body may pause the transfer.
  var mayPause: Bool { incoming.pointee.hasSink }

  /// Whether curl holds back input.
  var isHeldBack: Bool { incoming.pointee.isHeldBack }

  /// Whether reading is paused because the receiver of the body is full.
  var isPaused: Bool { incoming.pointee.isFull }

  /// Resumes reading. Input that curl has held back is processed within this call.
  func resume() {
    guard incoming.pointee.goesOn() else { return }
    multi?.resume(self)
  }

  /// Returns the response body and removes it from the handle.
  func takeBody() -> [UInt8] {
    incoming.pointee.takeBody()
  }

  private func setURL(_ url: String, of origin: Origin) -> Bool {
    // The text is set too, because curl uses it to repeat a request.
    guard setText(CURLOPT_URL, url) else { return false }
    // A URL that is used once need not be parsed, and secrets must not be kept.
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
    // Unretained: the multi handle outlives every connection and closes them when it is closed.
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
      // Of curl's three methods, this is the one that handles the body correctly. The name of the
      // method is set separately.
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
    // curl copies the body.
    guard MemoryLedger.allows(body.count) else { return false }
    ccurl_easy_set_size(handle, CURLOPT_POSTFIELDSIZE_LARGE, body.count)
    return body.withUnsafeBytes { bytes in
      // curl copies as many bytes as set above; for an empty body it needs any valid address.
      let address = bytes.baseAddress ?? UnsafeRawPointer(errorText)
      return ccurl_easy_set_pointer(handle, CURLOPT_COPYPOSTFIELDS, address) == CURLE_OK
    }
  }

  /// Makes curl request the body by callbacks. curl does this if no bytes are set, and none are set
  /// between two exchanges.
  private func setBody(_ body: StreamedBody) -> Bool {
    if !readsBodies {
      readsBodies = true
      // Unretained: the provider keeps every handle until it has left curl.
      let this = Unmanaged.passUnretained(self).toOpaque()
      setPointer(CURLOPT_READDATA, this)
      setPointer(CURLOPT_SEEKDATA, this)
      ccurl_easy_set_reader(handle, CurlCallbacks.bodyWanted)
      ccurl_easy_set_seeker(handle, CurlCallbacks.bodyWantedFrom)
    }
    return ccurl_easy_set_size(handle, CURLOPT_POSTFIELDSIZE_LARGE, body.byteCount) == CURLE_OK
  }

  /// Reads a part of the request body into `buffer`. Returns the number of bytes, or nil to stop
  /// sending. The time for reading from disk does not count as time in curl.
  func read(into buffer: UnsafeMutableRawBufferPointer) -> Int? {
    guard let reader, let multi else { return nil }
    return multi.callGuard.pausing { reader.read(into: buffer) }
  }

  // MARK: Options

  private func setHeaders(_ headers: RequestHeaders, withBody: Bool) -> Bool {
    // Comparing is cheap, and most exchanges of a service send the same headers.
    guard headerList == nil || withBody != headersAreForBody || headers != self.headers else {
      return true
    }
    let list = HeaderList.make(
      headers, withBody: withBody, withCookies: jar == nil, userAgent: userAgent)
    guard let list else { return false }
    if jar != nil {
      // curl then sends these cookies in one header with those of the jar.
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

  /// Sets a timeout of curl, in milliseconds, if it differs from `current`. Very large values mean
  /// no timeout.
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
    // If Swift passed the string as a pointer, it would first copy the string.
    return value.withCString { ccurl_easy_set_string(handle, option, $0) == CURLE_OK }
  }

  @discardableResult
  func setPointer(_ option: CURLoption, _ value: UnsafeMutableRawPointer?) -> Bool {
    ccurl_easy_set_pointer(handle, option, value) == CURLE_OK
  }
}

/// Detects whether the server has ended a TLS connection with the close_notify alert.
///
/// Used when the head is complete and the body ends with its connection. Without the alert, the
/// body may have been truncated in transit. (RFC 9112, 9.8)
final class CloseNotice {
  private let notice: OpaquePointer

  /// Watches the current connection of a curl handle. Returns nil without TLS, or if libcurl uses a
  /// TLS library other than OpenSSL, which does not report the alert.
  init?(of handle: UnsafeMutableRawPointer) {
    guard let notice = ccurl_close_notice_watch(handle) else { return nil }
    self.notice = notice
  }

  deinit { ccurl_close_notice_release(notice) }

  var hasCome: Bool { ccurl_close_notice_came(notice) != 0 }
}
