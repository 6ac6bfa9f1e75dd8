import CCurl
import LullLibC
import LullCore

/// What became of the exchange.
extension CurlEasy {
  /// What curl knows about a failure.
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
      // Written by curl, ended by a zero byte, and emptied by `prepare`.
      detail: String(escapingCString: errorText), response: incoming.pointee
    ).error(code)
  }

  /// OpenSSL's reason against the certificate of the proxy or, behind it, of the server.
  private var verification: Int {
    let ofProxy = long(CURLINFO_PROXY_SSL_VERIFYRESULT)
    return ofProxy != 0 ? ofProxy : long(CURLINFO_SSL_VERIFYRESULT)
  }

  /// What the system said of a connection that was not made.
  private func systemError(_ code: CURLcode) -> Int32 {
    switch code {
    case CURLE_COULDNT_CONNECT:
      let said = Int32(long(CURLINFO_OS_ERRNO))
      // Nothing, if there was not even a socket to connect.
      return said != 0 ? said : multi?.socketFailure ?? 0
    // The resolver reads files and opens sockets, and does not say that it could not.
    case CURLE_COULDNT_RESOLVE_HOST: return DescriptorLimit.isReached ? EMFILE : 0
    default: return 0
    }
  }

  /// Whether a kept connection died before anything of the answer came: the server ended it just
  /// when it was to be used again, and the exchange is to be repeated on another one.
  ///
  /// What counts against a limit is not repeated by curl, but once it has another place. Otherwise
  /// curl repeats by itself in this case, but counts repetitions over all exchanges of a handle and
  /// gives up at every sixth (7.88; only `curl_easy_reset` would set the count back).
  func diedOnKeptConnection(_ code: CURLcode) -> Bool {
    if code == CURLE_ABORTED_BY_CALLBACK, wasStoppedFromRepeating { return true }
    if wasLeftOut(code) { return true }
    // Of HTTP/2 it is CURLE_PARTIAL_FILE, if the server closed the connection without GOAWAY.
    let codes = [CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_GOT_NOTHING, CURLE_PARTIAL_FILE]
    guard codes.contains(code), status == 0, incoming.pointee.isRepeatable else { return false }
    return long(CURLINFO_NUM_CONNECTS) == 0
  }

  /// Whether the server ended the HTTP/2 connection and left this request out: GOAWAY named an earlier
  /// one as the last that it looks at. (RFC 9113, 6.8) curl (7.88) has no text for that error, and
  /// this code for no other failure without one.
  func wasLeftOut(_ code: CURLcode) -> Bool {
    code == CURLE_HTTP2 && errorText.pointee == 0 && status == 0
      && incoming.pointee.failure == nil
  }

  /// Whether curl was about to send the request once more, which takes another place of its limit.
  private var wasStoppedFromRepeating: Bool {
    if case .notRepeated = incoming.pointee.failure { return incoming.pointee.mayBeRepeated }
    return false
  }

  /// curl's `code`, put right where curl is mistaken about how an answer ended.
  func verdict(_ code: CURLcode) -> CURLcode {
    guard code == CURLE_OK || hasWholeAnswer(despite: code) else { return code }
    // A connection that ends among the headers makes a complete answer for curl (7.88).
    guard hasWholeHead else { return CURLE_GOT_NOTHING }
    return incoming.pointee.endBody() ? CURLE_OK : CURLE_PARTIAL_FILE
  }

  var hasWholeHead: Bool { status >= 200 && incoming.pointee.isHeadComplete }

  /// Whether the answer is there as a whole although curl reports a failure.
  ///
  /// A server may answer over HTTP/2 without reading the request's body, and reset the stream after
  /// its answer. curl (7.88) then has handled the end of the stream without complaint, but stumbles
  /// over it once more when it wants to end its own side; of all stream errors only this one leaves
  /// the error text empty.
  private func hasWholeAnswer(despite code: CURLcode) -> Bool {
    if incoming.pointee.hasEndedWithHead { return code == CURLE_WRITE_ERROR }
    return code == CURLE_HTTP2_STREAM && errorText.pointee == 0 && hasWholeHead
      && incoming.pointee.failure == nil
  }

  /// Bytes sent and received so far, heads included as far as curl counts them.
  var movedBytes: Int { size(CURLINFO_SIZE_UPLOAD_T) + incoming.pointee.receivedSize }

  var hasSentAll: Bool { size(CURLINFO_SIZE_UPLOAD_T) >= (transfer?.payloadToSend?.byteCount ?? 0) }

  /// Whether anything of an answer is here.
  var hasAnswer: Bool { incoming.pointee.receivedSize > 0 }

  /// Whether it was stopped from here, so that the server may go on sending.
  var wasStopped: Bool { incoming.pointee.failure != nil }

  var usedHTTP2: Bool {
    long(CURLINFO_HTTP_VERSION) == CURL_HTTP_VERSION_2_0
  }

  var metrics: RequestTransferMetrics {
    let toSend = transfer?.payloadToSend?.byteCount ?? 0
    // Until then curl counts what the handle has carried before.
    guard incoming.pointee.isRequested else {
      return RequestTransferMetrics(requestBytesTotal: toSend)
    }
    let sent = size(CURLINFO_SIZE_UPLOAD_T)
    // What a redirect says besides is not what is waited for.
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

  /// What has come, the body given away.
  func report(of transfer: CurlTransfer) -> ArrivedResult {
    ArrivedResult(response: response(of: transfer), body: takeBody())
  }

  /// Whether an answer with the status of an error has a body that is not in its coding.
  var hasUndecodableError: Bool {
    guard status >= 400, case .decoding? = incoming.pointee.failure else { return false }
    return true
  }

  /// What has come of the final response, without its body.
  func response(of transfer: CurlTransfer) -> HTTPResponse {
    let isTimed = transfer.request.options?.recordsTimings ?? false
    return HTTPResponse(
      status: status, headers: incoming.pointee.headers(), url: transfer.request.url,
      elapsed: transfer.elapsed, timings: isTimed ? timings(of: transfer) : nil)
  }
}
