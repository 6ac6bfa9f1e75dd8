import CLullBridge
import LullCore

/// A text with secrets in it, as Lua holds it: `lull.secret{…}`, or what `..` made of one.
final class SecretBox {
  let text: SecretText

  init(_ text: SecretText) {
    self.text = text
  }
}

/// What `lull.auth.…` gives, for the setting `auth`.
final class AuthBox {
  let auth: Auth

  init(_ auth: Auth) {
    self.auth = auth
  }
}

extension LuaHost {
  /// The secret a value is; nil for anything else.
  func secret(_ value: lull_value) -> SecretText? {
    handles.object(value, .secret, as: SecretBox.self)?.text
  }

  static let secretKeys = ["env", "file", "command", "name", "origins"]

  /// `lull.secret{ env = … }`, `{ file = … }` or `{ command = … }`; reads nothing yet.
  func makeSecret(_ call: Call) throws(Misuse) {
    guard !isSandboxed || isInspecting else {
      throw .message("lull.secret is not available in the sandbox")
    }
    var source: Secret.Source?
    var name: String?
    var origins: [String] = []
    try forEachOption(of: call.index(0), in: call.state, known: LuaHost.secretKeys) {
      key, value throws(Misuse) in
      let index = LuaTable.visitedIndex(in: call.state)
      switch key {
      case "name": name = try text(ofSecret: value, key)
      case "origins": origins = try self.origins(call, value, index)
      default:
        guard source == nil else {
          throw .message("a secret has one source: 'env', 'file' or 'command'")
        }
        source = try self.source(call, key, value, index)
      }
    }
    guard let source else {
      throw .message("a secret needs one of 'env', 'file', 'command'")
    }
    var secret = Secret(source, name: name, origins: origins)
    if isInspecting {
      // Of what is only looked at nothing is read, whoever asks for it: its own networking may.
      secret = Secret(.literal(Inspection.secret), name: secret.name, origins: origins)
    }
    call.return(values.of(SecretBox(SecretText(secret)), .secret))
  }

  private func source(_ call: Call, _ key: String, _ value: lull_value, _ index: Int32)
    throws(Misuse) -> Secret.Source
  {
    switch key {
    case "env":
      let name = try text(ofSecret: value, key)
      guard !name.contains("=") else {
        throw .message("'env' must be the name of a variable, not its value")
      }
      return .environment(name)
    case "file": return .file(try text(ofSecret: value, key))
    default:
      guard value.kind == Int32(LULL_TABLE) else {
        return .shell(try text(ofSecret: value, key))
      }
      let words = try strings(call, value, index, key)
      guard !words.isEmpty else { throw .message("'command' must not be an empty list") }
      return .command(words)
    }
  }

  func text(ofSecret value: lull_value, _ key: String) throws(Misuse) -> String {
    let expected = "'\(key)' must be a string that is not empty, got"
    guard let text = value.string else {
      throw .message("\(expected) \(value.typeName)")
    }
    guard !text.isEmpty else { throw .message("\(expected) an empty string") }
    guard !text.utf8.contains(0) else {
      throw .message("'\(key)' must be a string without zero bytes")
    }
    try value.requireText("'\(key)'")
    return text
  }

  private func strings(_ call: Call, _ value: lull_value, _ index: Int32, _ key: String)
    throws(Misuse) -> [String]
  {
    var words: [(Int64, String)] = []
    guard value.kind == Int32(LULL_TABLE) else {
      throw .message("'\(key)' must be a list of strings, got \(value.typeName)")
    }
    try LuaTable(index, in: call.state).forEachField { position, element throws(Misuse) in
      guard position.kind == Int32(LULL_INTEGER), let word = element.text,
        !word.utf8.contains(0)
      else { throw .message("'\(key)' must be a list of strings") }
      try element.requireText("a string of '\(key)'")
      words.append((position.integer, word))
    }
    return words.sorted { $0.0 < $1.0 }.map(\.1)
  }

  private func origins(_ call: Call, _ value: lull_value, _ index: Int32) throws(Misuse)
    -> [String]
  {
    var origins: [String] = []
    for text in try strings(call, value, index, "origins") {
      guard let url = ResourceURL(absolute: text), ["http", "https"].contains(url.scheme),
        !url.host.isEmpty
      else {
        throw .message("'origins' must be URLs such as \"https://api.example.com\", got '\(text)'")
      }
      origins.append(url.origin)
    }
    return origins
  }

  /// `auth = lull.auth.bearer(…)`, or false for none.
  func authChange(_ value: lull_value) throws(Misuse) -> (inout Configuration) -> Void {
    if let box = handles.object(value, .auth, as: AuthBox.self) { return { $0.auth = box.auth } }
    guard value.bool == false || value.kind == Int32(LULL_NIL) else {
      throw .message(
        "'auth' must be what a function of lull.auth gives, or false, got "
          + value.typeName)
    }
    return { $0.auth = nil }
  }

  /// What of a text that is not to be seen a script has given: a secret, or a string in its place.
  func credential(_ call: Call, _ position: Int) throws(Misuse) -> SecretText {
    if let text = secret(call.raw(position)) { return text }
    guard let text = call.raw(position).string, !text.isEmpty else {
      throw .argument(
        position + 1,
        "Secret or string expected, got \(call.raw(position).described)")
    }
    // What it is, is not for a message.
    guard call.raw(position).isValidUTF8 else {
      throw .argument(position + 1, "not valid UTF-8")
    }
    checker?.look(atCredential: text, "the secret of an 'auth'")
    return SecretText(Secret(.literal(text)))
  }
}
