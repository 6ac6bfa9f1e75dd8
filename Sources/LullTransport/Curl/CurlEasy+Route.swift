import CCurl
import LullCore

extension CurlEasy {
  /// Sets what never changes of a handle that is not an ordinary one; false if memory runs out.
  func set(_ route: CurlRoute) -> Bool {
    let connection = route.connection
    if let file = connection.certificateAuthorities {
      setText(CURLOPT_CAINFO, file)
      // Instead of the system's, not beside them.
      setText(CURLOPT_CAPATH, nil)
    }
    if !connection.verifiesServer {
      set(CURLOPT_SSL_VERIFYPEER, 0)
      set(CURLOPT_SSL_VERIFYHOST, 0)
    }
    if let certificate = connection.clientCertificate {
      setText(CURLOPT_SSLCERT, certificate)
      setText(CURLOPT_SSLKEY, connection.clientKey ?? certificate)
      // Without one OpenSSL asks for it on the terminal.
      setText(CURLOPT_KEYPASSWD, "")
    }
    switch connection.proxy {
    case .environment: break
    case .none: setText(CURLOPT_PROXY, "")
    case .url(let url):
      setText(CURLOPT_PROXY, url)
      setText(CURLOPT_NOPROXY, "")
    }
    if let hosts = connection.hostsWithoutProxy { setText(CURLOPT_NOPROXY, hosts) }
    switch connection.httpVersion {
    case nil: break
    case .http1: set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1))
    case .http2:
      if route.hasPriorKnowledge {
        set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE))
        set(CURLOPT_PIPEWAIT, 1)
      }
    case .http3: set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_3))
    }
    return setAddresses(connection.addresses)
  }

  /// Other places to connect to. Not curl's way to fill the cache of looked-up addresses: that is
  /// shared with exchanges that know nothing of these.
  private func setAddresses(_ addresses: [String: String]) -> Bool {
    var list: UnsafeMutablePointer<curl_slist>?
    for (key, value) in addresses {
      guard let from = HostAndPort(key), let to = HostAndPort(value) else { continue }
      let address = HostAndPort(host: to.host, port: nil).description
      let line =
        HostAndPort(host: from.host, port: nil).description
        + ":\(from.port.map { "\($0)" } ?? ""):\(address):\(to.port.map { "\($0)" } ?? "")"
      // curl copies the line.
      guard let longer = curl_slist_append(list, line) else {
        curl_slist_free_all(list)
        return false
      }
      list = longer
    }
    guard list != nil else { return true }
    ccurl_easy_set_list(handle, CURLOPT_CONNECT_TO, list)
    addressList = list
    return true
  }
}
