import LullCore

extension CurlText {
  /// How curl is told who asks; nil where a header says it.
  ///
  /// - Parameter shown: name and password, in the place of masked ones.
  static func login(_ auth: Auth?, _ http: HTTPRequest, user shown: String?) -> [String]? {
    guard let auth, let login = auth.login else { return nil }
    // What was given for this request comes before what is configured.
    let own = http.headers["authorization"]
    guard own == nil || own == auth.maskedHeader else { return nil }
    let user = { (name: String, password: String) in
      "--user \(quoted(shown ?? "\(name):\(password)"))"
    }
    switch login {
    case .basic(let name, let hasPassword): return [user(name, hasPassword ? Masking.mark : "")]
    case .digest(let name): return ["--digest \(user(name, Masking.mark))"]
    case .netrc(let path, let isOptional):
      let option = isOptional ? "--netrc-optional" : "--netrc"
      return [
        path.map { "\(isOptional ? "--netrc-optional " : "")--netrc-file \(quoted($0))" } ?? option
      ]
    case .signature(let service, let region, let accessKey):
      // What is not said curl finds in the name of the host, too.
      var kind = "aws:amz"
      if let region { kind += ":\(region)" }
      if let region, let service { kind = "aws:amz:\(region):\(service)" }
      return ["--aws-sigv4 \(quoted(kind)) \(user(accessKey, Masking.mark))"]
    }
  }
}
