import LullCore
import LullTransport

/// The options that only `lull.auth.oauth2_device` and `lull.auth.oauth2_code` have.
struct OAuth2LoginOptions {
  static let keys = ["name", "revocation_url"]
  static let deviceKey = "device_url"
  static let portKey = "port"
  static let codeKeys = ["authorization_url", "issuer", portKey, "redirect_path"]

  private let given: OAuth2Options
  /// The name of the file that contains the call, or nil if it is unknown.
  private let file: String?

  init(_ given: OAuth2Options, file: String?) {
    self.given = given
    self.file = file
  }

  func login(_ kind: OAuth2Options.Kind) throws(Misuse) -> OAuth2Login {
    try _ = endpoint("token_url")
    let way: OAuth2Login.Way
    if kind == .device {
      way = .device(url: try endpoint(OAuth2LoginOptions.deviceKey))
    } else {
      var code = OAuth2Login.Code(authorizationURL: try endpoint("authorization_url"))
      code.issuer = given.texts["issuer"]
      code.port = given.port
      if let path = given.texts["redirect_path"] { code.path = try OAuth2LoginOptions.path(path) }
      way = .code(code)
    }
    let name = try self.name
    var login = OAuth2Login(way, name: name, command: command(name))
    if given.texts["revocation_url"] != nil {
      login.revocationURL = try endpoint("revocation_url")
    }
    return login
  }

  /// Returns the URL in the option with that key. The URL is an endpoint that receives a user's
  /// credentials, so it must use TLS or be on this machine.
  private func endpoint(_ key: String) throws(Misuse) -> String {
    let text = try given.needed(key)
    guard let url = ResourceURL(absolute: text), OAuth2Login.isSafe(url), !text.contains("#") else {
      throw .message(
        "'\(key)' must be an https URL without a fragment, or an http URL of this machine, got "
          + "'\(LogText.url(text))'")
    }
    return url.percentEncoded
  }

  private static func path(_ text: String) throws(Misuse) -> String {
    guard OAuth2Login.isPath(text) else {
      throw .message(
        "'redirect_path' must be a path such as \"/callback\", got '\(LogText.part(text, limit: 80))'"
      )
    }
    return text
  }

  // MARK: Name and command

  /// The value of the option `name`. Without that option, it is the name of the file that contains
  /// the call.
  private var name: String {
    get throws(Misuse) {
      guard let name = given.texts["name"] ?? fileName else {
        throw .message("'name' is required outside an API file: tokens are stored under that name")
      }
      guard OAuth2Login.isName(name) else {
        let source = given.texts["name"] == nil ? "the file's name" : "'name'"
        throw .message(
          "\(source) must have only letters, digits, '-', '_' and '.', since it names the token "
            + "file, got '\(LogText.part(name, limit: 80))'"
            + (given.texts["name"] == nil ? "; set 'name'" : ""))
      }
      return name
    }
  }

  private var fileName: String? {
    guard let last = file?.split(separator: "/").last.map(String.init) else { return nil }
    return last.hasSuffix(".lua") ? String(last.dropLast(4)) : last
  }

  /// Returns the shell command with which a user logs in. The argument of the command is the name
  /// of the API if `lull` finds the file by that name, and otherwise the path of the file.
  private func command(_ name: String) -> String {
    var words = ["lull", "login"]
    if let file, let fileName {
      let folder = file.hasSuffix(".lua") ? String(file.dropLast(fileName.utf8.count + 4)) : ""
      let isAPI = folder == "apis/" || folder.hasSuffix("/lull/apis/")
      let word = isAPI ? fileName : file
      words.append(OAuth2LoginOptions.quoted(word.hasPrefix("-") ? "./" + word : word))
      if name != fileName { words += ["--name", name] }
    } else {
      words.append(name)
    }
    return words.joined(separator: " ")
  }

  /// Returns a text as one word of a shell command, quoted if necessary.
  private static func quoted(_ word: String) -> String {
    let isPlain = word.utf8.allSatisfy { byte in
      byte >= 0x80 || Character(Unicode.Scalar(byte)).isLetter
        || Character(Unicode.Scalar(byte)).isNumber || "/._-+:@%,=~".utf8.contains(byte)
    }
    return isPlain ? word : "'" + word.replacing("'", with: "'\\''") + "'"
  }
}
