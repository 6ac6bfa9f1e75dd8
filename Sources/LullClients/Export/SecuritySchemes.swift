import LullCore

/// The security schemes of a document. Each access method has one scheme with a unique name.
struct SecuritySchemes {
  private struct Scheme {
    let name: String
    let access: ExportedAccess
    /// The scopes that any call with this scheme needs.
    var scopes: [String]
  }

  private let prefix: String
  private var schemes: [Scheme] = []
  private(set) var problems: [ExportedAPI.LeftOut] = []

  /// - Parameter name: The name of the API. The variables of its secrets begin with it.
  init(name: String) {
    let letters = name.uppercased().map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" }
    prefix = String(letters) + "_"
  }

  var isEmpty: Bool { schemes.isEmpty }

  /// Returns the name of the scheme for an access method.
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
          "in OpenAPI, keys have no prefix"))
    }
    return name
  }

  /// Returns the preferred name of a scheme: the variable's name without the prefix for the API,
  /// and without a suffix such as `TOKEN`.
  private func wantedName(_ access: ExportedAccess) -> String {
    let usual =
      switch access.way {
      case .bearer: "token"
      case .basic: "basic"
      case .digest: "digest"
      case .key: "key"
      case .clientCredentials, .code, .device: "oauth2"
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

  /// Writes each scheme as a member.
  func write(_ writer: inout JSONWriter) {
    for scheme in schemes {
      writer.writeObject(key: scheme.name) { write(scheme, &$0) }
    }
  }

  private func write(_ scheme: Scheme, _ writer: inout JSONWriter) {
    switch scheme.access.way {
    case .bearer, .basic, .digest:
      writer.write(key: "type", "http")
      writer.write(key: "scheme", "\(scheme.access.way)")
    case .key(let place, let name, let start):
      writer.write(key: "type", "apiKey")
      writer.write(key: "in", place.rawValue)
      writer.write(key: "name", name)
      if !start.isEmpty {
        writer.write(key: "description", "With '\(start)' before the key.")
      }
    case .signature:
      writer.write(key: "type", "apiKey")
      writer.write(key: "in", "header")
      writer.write(key: "name", "Authorization")
      // Amazon's own documents use this member.
      writer.write(key: "x-amazon-apigateway-authtype", "awsSigv4")
    case .clientCredentials(let url):
      writeFlow("clientCredentials", [("tokenUrl", url)], scheme.scopes, &writer)
    case .code(let authorization, let url):
      writeFlow(
        "authorizationCode", [("authorizationUrl", authorization), ("tokenUrl", url)],
        scheme.scopes, &writer)
    case .device(let device, let url):
      writeFlow(
        "deviceAuthorization", [("deviceAuthorizationUrl", device), ("tokenUrl", url)],
        scheme.scopes, &writer)
    }
  }

  private func writeFlow(
    _ flow: String, _ urls: [(key: String, url: String)], _ scopes: [String],
    _ writer: inout JSONWriter
  ) {
    writer.write(key: "type", "oauth2")
    writer.writeObject(key: "flows") { writer in
      writer.writeObject(key: flow) { writer in
        for (key, url) in urls { writer.write(key: key, url) }
        writer.writeObject(key: "scopes") { for scope in scopes { $0.write(key: scope, "") } }
      }
    }
  }

  /// Writes the `security` member: one requirement that lists all schemes, and an alternative with
  /// the smaller set that is sufficient.
  mutating func writeRequirements(
    _ access: [ExportedAccess], or least: [ExportedAccess]?, _ writer: inout JSONWriter
  ) {
    writer.writeList(key: "security") { writer in
      for access in access.isEmpty ? [] : [access] + (least.map { [$0] } ?? []) {
        writer.writeObject { for one in access { $0.write(key: name(for: one), one.scopes) } }
      }
    }
  }
}
