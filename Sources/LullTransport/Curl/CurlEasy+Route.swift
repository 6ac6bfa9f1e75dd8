import CCurl
import LullCore

extension CurlEasy {
  /// Sets the permanent options of a handle with a route. Returns false if memory runs out.
  func set(_ route: CurlRoute) -> Bool {
    let connection = route.connection
    if let file = connection.certificateAuthorities {
      trust(CertificateAuthorities(onlyFile: file))
      // Replaces the system's certificates.
      setText(CURLOPT_CAPATH, nil)
      setText(CURLOPT_PROXY_CAPATH, nil)
    }
    if !connection.verifiesServer {
      set(CURLOPT_SSL_VERIFYPEER, 0)
      set(CURLOPT_SSL_VERIFYHOST, 0)
    }
    if let certificate = connection.clientCertificate {
      setText(CURLOPT_SSLCERT, certificate)
      setText(CURLOPT_SSLKEY, connection.clientKey ?? certificate)
      // Without a password OpenSSL would ask for it on the terminal.
      setText(CURLOPT_KEYPASSWD, "")
    }
    if let path = connection.unixSocket {
      setText(CURLOPT_UNIX_SOCKET_PATH, path)
      setText(CURLOPT_PROXY, "")
    }
    switch connection.proxy {
    case .environment: break
    case .none: setText(CURLOPT_PROXY, "")
    case .url(let url):
      guard let proxy = ProxyAddress(url) else { return false }
      setText(CURLOPT_PROXY, proxy.url)
      setText(CURLOPT_NOPROXY, "")
    }
    if let hosts = connection.hostsWithoutProxy {
      setText(CURLOPT_NOPROXY, CurlEasy.withASCIINames(hosts))
    }
    switch connection.httpVersion {
    case nil: break
    case .http1: set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1))
    case .http2:
      if route.hasPriorKnowledge {
        set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE))
        // curl (7.88) cannot reuse such a connection.
        set(CURLOPT_FRESH_CONNECT, 1)
        set(CURLOPT_FORBID_REUSE, 1)
      }
    case .http3: set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_3))
    }
    return true
  }

  /// Sets the trusted certificates for servers and for proxies with TLS.
  func trust(_ authorities: CertificateAuthorities) {
    if let file = authorities.file {
      setText(CURLOPT_CAINFO, file)
      setText(CURLOPT_PROXY_CAINFO, file)
    }
    if let directory = authorities.directory {
      setText(CURLOPT_CAPATH, directory)
      setText(CURLOPT_PROXY_CAPATH, directory)
    }
  }

  /// Returns a list of hosts with international names in their ASCII form.
  private static func withASCIINames(_ hosts: String) -> String {
    guard hosts.utf8.contains(where: { $0 >= 0x80 }) else { return hosts }
    let names = hosts.split { $0 == "," || $0 == " " }.map { host -> String in
      let dot = host.hasPrefix(".") ? "." : ""
      let name = try? HostName.canonical(Array(host.dropFirst(dot.count).utf8))
      return name.map { dot + $0 } ?? String(host)
    }
    return names.joined(separator: ",")
  }

  /// If the route has an address for the current hop's host, makes curl connect to that address.
  /// Returns false if memory runs out.
  ///
  /// The `CURLOPT_CONNECT_TO` entry contains no host name, so that curl does not have to match one.
  /// curl's option to fill the DNS cache is not used either, because that cache is shared with
  /// exchanges without these options.
  func setAddress(for origin: Origin, _ route: CurlRoute) -> Bool {
    let address = CurlRoute.address(for: origin, in: route.connection)
    let line = address.map { "::\($0.urlHost):\($0.port.map(String.init) ?? origin.port)" }
    guard line != addressLine else { return true }
    var list: UnsafeMutablePointer<curl_slist>?
    if let line {
      // curl copies the line.
      list = curl_slist_append(nil, line)
      guard list != nil else { return false }
    }
    ccurl_easy_set_list(handle, CURLOPT_CONNECT_TO, list)
    curl_slist_free_all(addressList)
    addressList = list
    addressLine = line
    return true
  }
}
