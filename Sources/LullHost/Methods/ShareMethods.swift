import CLullBridge
import LullCore
import LullTransport

extension Method {
  static let shareKeys = ["url", "password", "namespace", "secret", "ca_file"]

  static let shareMethods: [Method] = [
    .function("share", "t") { call throws(Misuse) in
      try call.permissions.refuseUnlessInspecting("lull.share")
      let share = try share(call)
      do throws(ShareError) {
        // Whoever only looks at a file shares nothing.
        if call.permissions.isInspecting {
          try SharedLimits.check(share)
        } else {
          try SharedLimits.share(share, on: call.pump)
        }
      } catch {
        throw .message(error.description)
      }
    }
  ]

  /// `{ url =, password =, namespace =, secret =, ca_file = }`
  private static func share(_ call: Call) throws(Misuse) -> Share {
    var share = Share(url: "")
    try call.reading.options.forEach(of: call.index(0), in: call.state, known: shareKeys) {
      name, value throws(Misuse) in
      switch name {
      case "password": share.password = try credential(call, value, name, of: "lull.share")
      case "secret": share.secret = try credential(call, value, name, of: "lull.share")
      case "namespace": share.namespace = try value.nonEmptyText(name)
      case "ca_file": share.certificateAuthorities = try value.nonEmptyText(name)
      default: share.url = try value.nonEmptyText(name)
      }
    }
    guard !share.url.isEmpty else {
      throw .message("'url' is missing: where the server is, such as redis://127.0.0.1:6379")
    }
    return share
  }

  /// What it is, is not for a message.
  static func credential(
    _ call: Call, _ value: lull_value, _ name: String, of function: String
  ) throws(Misuse) -> SecretText {
    if let text = call.handles.secret(value) { return text }
    guard value.string != nil else {
      throw .message("'\(name)' must be a secret or a string, got \(value.typeName)")
    }
    let text = try value.nonEmptyText(name)
    call.permissions.checker?.look(atCredential: text, "the \(name) of \(function)")
    return SecretText(Secret(.literal(text)))
  }
}
