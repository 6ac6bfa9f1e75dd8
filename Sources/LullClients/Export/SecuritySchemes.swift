import LullCore

/// The security schemes of a document: one for each way in, by a name.
struct SecuritySchemes {
  private struct Scheme {
    let name: String
    let access: ExportedAccess
    /// Of all that use it.
    var scopes: [String]
  }

  private let prefix: String
  private var schemes: [Scheme] = []
  private(set) var problems: [ExportedAPI.LeftOut] = []

  /// - Parameter name: that of the API, which variables begin with.
  init(name: String) {
    let letters = name.uppercased().map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" }
    prefix = String(letters) + "_"
  }

  var isEmpty: Bool { schemes.isEmpty }

  /// The name of the scheme for a way in.
  mutating func name(for access: ExportedAccess) -> String {
    if let place = schemes.firstIndex(where: {
      $0.access.way == access.way && $0.access.variable == access.variable
    }) {
      schemes[place].scopes += access.scopes.filter { !schemes[place].scopes.contains($0) }
      return schemes[place].name
    }
    let wanted = wantedName(access)
    var name = wanted
    var number = 2
    while schemes.contains(where: { $0.name == name }) {
      name = "\(wanted)_\(number)"
      number += 1
    }
    schemes.append(Scheme(name: name, access: access, scopes: access.scopes))
    if case .key(_, let header, let start) = access.way, !start.isEmpty {
      problems.append(
        .init(
          "'\(start)' before the credential in the header \(header)",
          "keys have nothing before them in OpenAPI"))
    }
    return name
  }

  /// As the variable is called, without what is the API's and what says which part of a credential it is.
  private func wantedName(_ access: ExportedAccess) -> String {
    let usual =
      switch access.way {
      case .bearer: "token"
      case .basic: "basic"
      case .digest: "digest"
      case .key: "key"
      case .clientCredentials, .code: "oauth2"
      case .signature: "aws"
      }
    guard var name = access.variable, name.hasPrefix(prefix) else { return usual }
    name.removeFirst(prefix.count)
    for part in ["TOKEN", "PASSWORD", "KEY", "CLIENT_SECRET"] where name.hasSuffix(part) {
      name.removeLast(part.count)
      if name.hasSuffix("_") { name.removeLast() }
      break
    }
    let isPlain = name.utf8.allSatisfy { byte in
      Character(Unicode.Scalar(byte)).isLetter || Character(Unicode.Scalar(byte)).isNumber
        || byte == UInt8(ascii: "_")
    }
    return name.isEmpty || !isPlain ? usual : name.lowercased()
  }

  /// Writes them as members.
  func write(_ writer: inout JSONWriter) {
    for scheme in schemes {
      writer.write(key: scheme.name)
      writer.begin("{")
      func put(_ key: String, _ value: String) {
        writer.write(key: key)
        writer.write(value)
      }
      switch scheme.access.way {
      case .bearer, .basic, .digest:
        put("type", "http")
        put("scheme", "\(scheme.access.way)")
      case .key(let place, let name, let start):
        put("type", "apiKey")
        put("in", place.rawValue)
        put("name", name)
        if !start.isEmpty { put("description", "With '\(start)' before the key.") }
      case .signature:
        put("type", "apiKey")
        put("in", "header")
        put("name", "Authorization")
        // As Amazon's own documents have it.
        put("x-amazon-apigateway-authtype", "awsSigv4")
      case .clientCredentials(let url):
        writeFlow("clientCredentials", [("tokenUrl", url)], scheme.scopes, &writer)
      case .code(let authorization, let url):
        writeFlow(
          "authorizationCode", [("authorizationUrl", authorization), ("tokenUrl", url)],
          scheme.scopes, &writer)
      }
      writer.end("}")
    }
  }

  private func writeFlow(
    _ flow: String, _ urls: [(key: String, url: String)], _ scopes: [String],
    _ writer: inout JSONWriter
  ) {
    writer.write(key: "type")
    writer.write("oauth2")
    writer.write(key: "flows")
    writer.begin("{")
    writer.write(key: flow)
    writer.begin("{")
    for (key, url) in urls {
      writer.write(key: key)
      writer.write(url)
    }
    writer.write(key: "scopes")
    writer.begin("{")
    for scope in scopes {
      writer.write(key: scope)
      writer.write("")
    }
    writer.end("}")
    writer.end("}")
    writer.end("}")
  }

  /// One requirement, all schemes at once; and another one that will do.
  mutating func writeRequirements(
    _ access: [ExportedAccess], or least: [ExportedAccess]?, _ writer: inout JSONWriter
  ) {
    writer.begin("[")
    for access in access.isEmpty ? [] : [access] + (least.map { [$0] } ?? []) {
      writer.begin("{")
      for one in access {
        writer.write(key: name(for: one))
        writer.begin("[")
        for scope in one.scopes { writer.write(scope) }
        writer.end("]")
      }
      writer.end("}")
    }
    writer.end("]")
  }
}
