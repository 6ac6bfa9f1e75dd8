import CCurl
import LullCore

extension CurlEasy {
  /// Returns the durations of the phases of the last exchange.
  ///
  /// curl measures from the start of the hop to the end of each phase. The result contains the
  /// duration of each phase.
  func timings(of transfer: CurlTransfer) -> TransferTimings {
    let isReused = long(CURLINFO_NUM_CONNECTS) == 0
    let dns = size(CURLINFO_NAMELOOKUP_TIME_T)
    let connect = size(CURLINFO_CONNECT_TIME_T)
    let tls = size(CURLINFO_APPCONNECT_TIME_T)
    func phase(_ start: Int, _ end: Int) -> Double { Double(max(0, end - start)) / 1e6 }
    return TransferTimings(
      dns: isReused ? 0 : phase(0, dns), connect: isReused ? 0 : phase(dns, connect),
      tls: isReused ? 0 : phase(connect, tls),
      firstByte: phase(size(CURLINFO_PRETRANSFER_TIME_T), size(CURLINFO_STARTTRANSFER_TIME_T)),
      total: transfer.elapsed, isReused: isReused, httpVersion: httpVersion,
      remoteAddress: remoteAddress, redirectCount: transfer.redirectCount)
  }

  private var httpVersion: String? {
    switch long(CURLINFO_HTTP_VERSION) {
    case Int(CURL_HTTP_VERSION_1_0): "1.0"
    case Int(CURL_HTTP_VERSION_1_1): "1.1"
    case Int(CURL_HTTP_VERSION_2_0): "2"
    case Int(CURL_HTTP_VERSION_3): "3"
    default: nil
    }
  }

  private var remoteAddress: String? {
    guard let address = text(CURLINFO_PRIMARY_IP), !address.isEmpty else { return nil }
    let port = long(CURLINFO_PRIMARY_PORT)
    return address.contains(":") ? "[\(address)]:\(port)" : "\(address):\(port)"
  }

  private func text(_ info: CURLINFO) -> String? {
    var value: UnsafeMutableRawPointer?
    ccurl_easy_get_pointer(handle, info, &value)
    // The memory belongs to the handle. The text ends with a zero byte and is copied immediately.
    return value.map { String(escapingCString: $0.assumingMemoryBound(to: CChar.self)) }
  }
}
