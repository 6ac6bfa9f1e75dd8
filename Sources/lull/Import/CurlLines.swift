import LullClients
import LullCore
import LullHost
import LullSystem

/// A curl command line for each call of an API. Credentials and required parameters become shell
/// variables.
struct CurlLines {
  struct Line {
    let call: APICall
    /// The command line. `nil` if curl can't make the call.
    var text: String?
    var variables: [String] = []
    var leftOut: [ExportedAPI.LeftOut] = []
    /// Settings that curl can't express, one sentence each.
    var omissions: [String] = []
  }

  let name: String
  let description: String?
  let origin: String

  func text(_ lines: [Line]) -> (text: String, count: Int, leftOut: [ExportedAPI.LeftOut]) {
    var text = CurlLines.comment("Exported by: \(origin)")
    if let description { text += CurlLines.comment(description) }
    text += CurlLines.comment(
      "Variables are inserted unescaped: escape each value for the URL or JSON it is used in.")
    for line in lines {
      guard let command = line.text else { continue }
      let words = line.call.description.map { ": \($0)" } ?? ""
      text += "\n" + CurlLines.comment(line.call.name + words)
      if !line.variables.isEmpty {
        text += CurlLines.comment("Set before use: " + line.variables.joined(separator: ", "))
      }
      text += command
    }
    return (text, lines.count { $0.text != nil }, lines.flatMap(\.leftOut) + omissions(lines))
  }

  /// The settings of all lines that curl can't express, without duplicates.
  private func omissions(_ lines: [Line]) -> [ExportedAPI.LeftOut] {
    var sentences: [String] = []
    var names: [String: [String]] = [:]
    for line in lines {
      for sentence in line.omissions {
        if names[sentence] == nil { sentences.append(sentence) }
        names[sentence, default: []].append("'\(line.call.name)'")
      }
    }
    return sentences.map { sentence in
      let calls = names[sentence] ?? []
      let shown = calls.prefix(5).joined(separator: ", ")
      let rest = calls.count > 5 ? " and \(calls.count - 5) more" : ""
      return .init("a part of call\(calls.count == 1 ? "" : "s") \(shown)\(rest)", sentence)
    }
  }

  /// Returns the text on one line.
  private static func comment(_ text: String) -> String {
    let line = text.split { $0.isNewline }.joined(separator: " ")
    return "# " + ControlCharacters.shown(in: line) + "\n"
  }

  // MARK: One call

  /// Creates the command line of a call with its required parameters. Optional parameters without a
  /// default are omitted.
  static func line(for call: APICall, of api: APIFile, _ auth: Auth?) -> Line {
    var line = Line(call: call)
    func leave(_ reason: String) -> Line {
      line.leftOut.append(.init("call '\(call.name)'", reason))
      return line
    }
    var call = call
    var variables = ShellVariables()
    var values: [String: CallValue] = [:]
    for parameter in call.parameters
    where parameter.isRequired && parameter.standard == nil
      // A credential would be visible in a path, or inside a compound value.
      || parameter.place == .path && parameter.hasWrittenCredential
      || parameter.nestsWrittenCredential
    {
      values[parameter.name] = value(of: parameter, in: call, &variables)
    }
    if call.bodyForm == .raw, call.wholeParameter?.kind == .file, call.contentType == nil {
      call.contentType = "application/octet-stream"
    }
    let request: CallRequest
    do throws(APICall.Misfit) {
      request = try call.request(of: api.service, try call.complete(values))
    } catch {
      return leave(error.message)
    }
    var http: HTTPRequest
    switch request.built() {
    case .success(let built): http = built
    case .failure(let error): return leave(error.description)
    }
    let prefix = CurlLines.prefix(of: api.name)
    if let auth, auth.stage != nil, auth.login == nil, http.headers["authorization"] == nil {
      http.headers.add("authorization", SecretText("Bearer ") + CurlLines.secret(prefix + "TOKEN"))
    }
    var user: String?
    if let auth { user = CurlLines.user(of: auth, prefix, &variables) }
    let secrets = secrets(of: call, http, auth)
    guard let text = unmasked(CurlText(http, nil, auth, user: user).text, secrets, &variables)
    else { return leave("the call has a text that looks like the placeholder of a secret") }
    if text.contains(Masking.mark) {
      line.leftOut.append(
        .init(
          "a credential of call '\(call.name)'",
          "the credential is written in the file; '\(Masking.mark)' is exported instead"))
    }
    line.omissions = CurlText.omissions(http, auth)
    line.text = variables.written(text)
    line.variables = variables.names
    return line
  }

  private static func prefix(of name: String) -> String {
    String(name.uppercased().map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" }) + "_"
  }

  /// A secret whose mask is replaced by a variable.
  private static func secret(_ variable: String) -> SecretText {
    SecretText(Secret(.literal(""), name: variable))
  }

  /// A placeholder for a required parameter.
  private static func value(
    of parameter: CallParameter, in call: APICall, _ variables: inout ShellVariables
  ) -> CallValue {
    let single: CallValue
    let isWord = !parameter.isRepeated && ![.file, .json].contains(parameter.kind)
    if isWord, parameter.place != .path,
      parameter.place == .cookie || CredentialName.names(parameter.wireName)
    {
      // Any other text would be masked, because of the parameter's name.
      return .secret(secret(variables.mark(for: parameter.name)))
    }
    let mark = variables.mark(for: parameter.name, isFile: parameter.kind == .file)
    switch parameter.kind {
    case .string, .choice, .file: single = .string(mark)
    case .number, .integer, .boolean:
      // In JSON, without quotes.
      let isJSON = parameter.place == .body && call.bodyForm == .json
      single = isJSON ? .json(Array(mark.utf8)) : .string(mark)
    case .json: single = .json(Array(mark.utf8))
    case .object:
      let name = variables.mark(forFieldOf: parameter.name)
      return .object([.init(name, .string(mark))])
    }
    return parameter.isList ? .list([single]) : single
  }

  /// The user name and password for curl. An unknown name or password becomes a variable.
  private static func user(
    of auth: Auth, _ prefix: String, _ variables: inout ShellVariables
  ) -> String? {
    let secrets = auth.identity.secrets.map(\.name)
    switch auth.login {
    case .basic(let name, false)?:
      let user = CredentialMask.isMasked(name) ? secrets.first : nil
      return (user.map { variables.mark(forCredential: $0) } ?? name) + ":"
    case .basic(let name, true)?, .digest(let name)?:
      if CredentialMask.isMasked(name), secrets.count > 1 {
        return variables.mark(forCredential: secrets[0]) + ":"
          + variables.mark(forCredential: secrets[secrets.count - 1])
      }
      let password = secrets.last ?? prefix + "PASSWORD"
      let start =
        password.hasSuffix("PASSWORD") ? String(password.dropLast("PASSWORD".count)) : prefix
      // A value from the environment is empty here, or is a placeholder.
      let isKnown = !name.isEmpty && name != "secret" && !CredentialMask.isMasked(name)
      let user = isKnown ? name : variables.mark(forCredential: start + "USER")
      return user + ":" + variables.mark(forCredential: password)
    case .signature?:
      return variables.mark(forCredential: "AWS_ACCESS_KEY_ID") + ":"
        + variables.mark(forCredential: "AWS_SECRET_ACCESS_KEY")
    case .netrc?, nil: return nil
    }
  }

  /// The names of all secrets that the request sends.
  private static func secrets(of call: APICall, _ http: HTTPRequest, _ auth: Auth?) -> Set<String> {
    var texts = http.headers.texts.map(\.text)
    for parameter in call.parameters {
      if case .secret(let text)? = parameter.standard { texts.append(text) }
    }
    if let auth { texts.append(auth.identity) }
    return Set(texts.flatMap(\.secrets).map(\.name))
  }

  /// Replaces the masks of secrets with placeholders for variables.
  ///
  /// Returns `nil` if the text contains a mask with any other name. Such a mask is literal text of
  /// the API file, where no variable may be inserted.
  private static func unmasked(
    _ text: String, _ secrets: Set<String>, _ variables: inout ShellVariables
  ) -> String? {
    var result = ""
    let text = CredentialMask.decodedMasks(text)
    var rest = text[...]
    while let start = rest.firstRange(of: "‹secret "),
      let end = rest[start.upperBound...].firstIndex(of: "›")
    {
      let name = String(rest[start.upperBound..<end])
      guard secrets.contains(name) || variables.isMark(name) else { return nil }
      result += rest[..<start.lowerBound] + variables.mark(forCredential: name)
      rest = rest[rest.index(after: end)...]
    }
    return result + rest
  }
}
