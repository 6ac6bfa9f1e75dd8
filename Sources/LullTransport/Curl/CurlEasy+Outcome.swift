import CCurl
import LullLibC
import LullCore

/// The outcome of the exchange.
extension CurlEasy {
  /// Returns the error that describes curl's failure.
  func error(_ code: CURLcode, of transfer: CurlTransfer, at origin: Origin) -> TransportError {
    if let failure = reader?.failure { return failure }
    return CurlErrorMapping(
      origin: origin, limits: transfer.request.limits, options: transfer.request.options,
      elapsed: transfer.elapsed,
      wasConnected: size(CURLINFO_PRETRANSFER_TIME_T) > 0, wasLeftOut: wasLeftOut(code),
      hasSentAll: hasSentAll,
      isLaterHop: transfer.redirectCount + transfer.retryCount > 0,
      systemError: systemError(code),
      verification: code == CURLE_PEER_FAILED_VERIFICATION ? verification : 0,
      proxyStatus: long(CURLINFO_HTTP_CONNECTCODE), connectedPort: long(CURLINFO_PRIMARY_PORT),
      // Written by curl, ended by a zero byte, and cleared by `prepare`.
      detail: String(escapingCString: errorText), response: incoming.pointee
    ).error(code)
  }

  /// OpenSSL's reason to reject the certificate of the proxy or of the server behind it.
  private var verification: Int {
    let ofProxy = long(CURLINFO_PROXY_SSL_VERIFYRESULT)
    return ofProxy != 0 ? ofProxy : long(CURLINFO_SSL_VERIFYRESULT)
  }

  /// The system's error for a failed connection.
  private func systemError(_ code: CURLcode) -> Int32 {
    switch code {
    case CURLE_COULDNT_CONNECT:
      let said = Int32(long(CURLINFO_OS_ERRNO))
      // curl's number is 0 if the socket could not be created.
      return said != 0 ? said : multi?.socketFailure ?? 0
    // The resolver opens files and sockets, and does not report that it could not.
    case CURLE_COULDNT_RESOLVE_HOST: return DescriptorLimit.isReached ? EMFILE : 0
    default: return 0
    }
  }

  /// Whether a reused connection died before any part of the response arrived: the server closed it
  /// just before it was used again. The exchange must then be repeated on another connection.
  ///
  /// curl does not repeat requests that count against a limit: Lull sends these requests again
  /// after another admission. curl repeats all other requests itself. However, curl counts
  /// repetitions over all exchanges of a handle and gives up at every sixth repetition (7.88; only
  /// `curl_easy_reset` would reset the count).
  func diedOnKeptConnection(_ code: CURLcode) -> Bool {
    if code == CURLE_ABORTED_BY_CALLBACK, wasStoppedFromRepeating { return true }
    if wasLeftOut(code) { return true }
    // With HTTP/2, the code is CURLE_PARTIAL_FILE if the server closed the connection without
    // GOAWAY.
    let codes = [CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_GOT_NOTHING, CURLE_PARTIAL_FILE]
    guard codes.contains(code), status == 0, incoming.pointee.isRepeatable else { return false }
    return long(CURLINFO_NUM_CONNECTS) == 0
  }

  /// Whether the server closed the HTTP/2 connection without processing this request: the GOAWAY
  /// frame named an earlier request as the last one. (RFC 9113, 6.8) Only in this case, curl (7.88)
  /// returns CURLE_HTTP2 without an error text.
  func wasLeftOut(_ code: CURLcode) -> Bool {
    code == CURLE_HTTP2 && errorText.pointee == 0 && status == 0
      && incoming.pointee.failure == nil
  }

  /// Whether curl tried to send the request again. A request that is sent again needs another
  /// admission of its limit.
  private var wasStoppedFromRepeating: Bool {
    if case .notRepeated = incoming.pointee.failure { return incoming.pointee.mayBeRepeated }
    return false
  }

  /// Returns curl's `code`, corrected for cases in which curl is wrong about the end of a response.
  func verdict(_ code: CURLcode) -> CURLcode {
    guard code == CURLE_OK || hasWholeAnswer(despite: code) else { return code }
    // curl (7.88) treats a response as complete if its connection ends within the headers.
    guard hasWholeHead else { return CURLE_GOT_NOTHING }
    return incoming.pointee.endBody() ? CURLE_OK : CURLE_PARTIAL_FILE
  }

  var hasWholeHead: Bool { status >= 200 && incoming.pointee.isHeadComplete }

  /// Whether the response is complete although curl reports a failure.
  ///
  /// An HTTP/2 server may respond without reading the request body, and reset the stream after its
  /// response. curl (7.88) processes the end of the stream correctly, but then fails when it ends
  /// its own side of the stream. Only this stream error leaves the error text empty.
  private func hasWholeAnswer(despite code: CURLcode) -> Bool {
    if incoming.pointee.hasEndedWithHead { return code == CURLE_WRITE_ERROR }
    return code == CURLE_HTTP2_STREAM && errorText.pointee == 0 && hasWholeHead
      && incoming.pointee.failure == nil
  }

  /// The number of bytes sent and received so far, including heads as far as curl counts them.
  var movedBytes: Int { size(CURLINFO_SIZE_UPLOAD_T) + incoming.pointee.receivedSize }

  var hasSentAll: Bool { size(CURLINFO_SIZE_UPLOAD_T) >= (transfer?.payloadToSend?.byteCount ?? 0) }

  /// Whether any part of a response has arrived.
  var hasAnswer: Bool { incoming.pointee.receivedSize > 0 }

  /// Whether Lull stopped the transfer. If so, the server may still send data.
  var wasStopped: Bool { incoming.pointee.failure != nil }

  var usedHTTP2: Bool {
    long(CURLINFO_HTTP_VERSION) == CURL_HTTP_VERSION_2_0
  }

  var metrics: RequestTransferMetrics {
    let toSend = transfer?.payloadToSend?.byteCount ?? 0
    // Before the request is sent, curl still reports the numbers of the handle's previous exchange.
    guard incoming.pointee.isRequested else {
      return RequestTransferMetrics(requestBytesTotal: toSend)
    }
    let sent = size(CURLINFO_SIZE_UPLOAD_T)
    // The body of a redirect is not part of the progress.
    guard !isRedirect else {
      return RequestTransferMetrics(requestBytesSent: sent, requestBytesTotal: toSend)
    }
    let toReceive = size(CURLINFO_CONTENT_LENGTH_DOWNLOAD_T)
    return RequestTransferMetrics(
      requestBytesSent: sent, requestBytesTotal: toSend,
      responseBytesReceived: size(CURLINFO_SIZE_DOWNLOAD_T),
      responseBytesTotal: toReceive < 0 ? nil : toReceive)
  }

  func size(_ info: CURLINFO) -> Int {
    var value: curl_off_t = 0
    ccurl_easy_get_size(handle, info, &value)
    return value
  }

  func long(_ info: CURLINFO) -> Int {
    var value = 0
    ccurl_easy_get_long(handle, info, &value)
    return value
  }

  /// Returns the received response with its body, and removes the body from the handle.
  func report(of transfer: CurlTransfer) -> ArrivedResult {
    ArrivedResult(response: response(of: transfer), body: takeBody())
  }

  /// Whether an error response has a body that cannot be decoded.
  var hasUndecodableError: Bool {
    guard status >= 400, case .decoding? = incoming.pointee.failure else { return false }
    return true
  }

  /// Returns the final response as received, without its body.
  func response(of transfer: CurlTransfer) -> HTTPResponse {
    let isTimed = transfer.request.options?.recordsTimings ?? false
    return HTTPResponse(
      status: status, headers: incoming.pointee.headers(), url: transfer.request.url,
      elapsed: transfer.elapsed, timings: isTimed ? timings(of: transfer) : nil)
  }
}
