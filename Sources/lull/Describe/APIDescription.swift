import LullArguments
import LullClients
import LullCore
import LullHost
import LullSchemas
import LullSystem

/// An API as `lull describe` and `lull skill` describe it. The API file is inspected in the
/// sandbox. Secrets are shown by name, and nothing comes from this machine's environment.
///
/// Behaviours: DSC-06 to DSC-09.
struct APIDescription {
  /// The API as the user typed it, possibly with an environment.
  let word: String
  let api: ExportedAPI

  /// Inspects the API. If there is no such API, throws with the message `missing` and the exit code
  /// of wrong usage.
  init(of word: String, missing: @autoclosure () -> String) throws(CommandFailure) {
    guard let path = APIFileLocator.file(of: word) else {
      throw CommandFailure(code: 2, message: "lull: \(missing())\n")
    }
    self.word = word
    api = try APIExport.described(path, APIName(word).environment)
  }

  func call(_ name: String) throws(CommandFailure) -> ExportedAPI.Call {
    if let call = api.calls.first(where: { $0.call.name == name }) { return call }
    let text = APIFile.unknownCall(name, of: word, among: api.calls.map(\.call.name))
    throw CommandFailure(code: 2, message: "lull: \(ControlCharacters.shownInLine(text))\n")
  }

  // MARK: Parts

  /// The parameters of a call as options of its command line, without credentials.
  static func parameters(of call: APICall, in api: String) -> [(CallParameter, Argument)] {
    let arguments = CallPage.spec(of: call, in: api).arguments
    return zip(call.parameters, arguments).map { parameter, argument in
      var argument = argument
      if parameter.hasWrittenCredential {
        argument.standardText = nil
        argument.choices = []
      }
      return (parameter, argument)
    }
  }

  /// A command line that makes the call, with sample values for the parameters that it requires.
  func example(of call: APICall) -> String {
    var words = ["lull", "call", word, call.name]
    for (parameter, argument) in APIDescription.parameters(of: call, in: word)
    where argument.isRequired && parameter.standard == nil {
      guard let value = sample(of: parameter, argument, in: call) else {
        words.append(argument.shown)
        continue
      }
      words += value.hasPrefix("-") ? ["\(argument.shown)=\(value)"] : [argument.shown, value]
    }
    return words.map { CurlText.quoted($0) }.joined(separator: " ")
  }

  /// A sample value for a parameter on the command line. `nil` if the option needs no value.
  private func sample(
    of parameter: CallParameter, _ argument: Argument, in call: APICall
  ) -> String? {
    switch parameter.kind {
    case .boolean: parameter.isList ? "true" : nil
    case .choice(let words): words.first
    case .integer: "\(parameter.integers.first ?? 1)"
    case .number: "1.5"
    case .object: "name=value"
    case .json: parameter.isWhole ? sampleBody(of: call) ?? "{}" : "{}"
    case .string, .file: argument.shownPlaceholder
    }
  }

  /// JSON that matches the schema of the body. `nil` if the body has no schema.
  private func sampleBody(of call: APICall) -> String? {
    do throws(SchemaProblem) {
      guard let file = api.schemas, try file.call(call.name)?["body"] != nil else { return nil }
      let pointer = "#/calls/\(JSONPointer.escaped(call.name))/body"
      guard let bytes = try? SchemaExample.value(pointer, in: file)?.encode() else { return nil }
      return String(decoding: bytes, as: UTF8.self)
    } catch {
      return nil
    }
  }

  /// All credentials that the API's calls use, without duplicates.
  var credentials: [ExportedAccess] {
    api.calls.flatMap(\.access).reduce(into: []) { all, access in
      if !all.contains(access) { all.append(access) }
    }
  }

  // MARK: For programs

  var document: [UInt8] {
    CommandDescription.document("api") { writer in
      writeAPI(&writer)
      writer.writeList(key: "calls") { writer in
        for call in api.calls { writer.writeObject { write(call, &$0) } }
      }
    }
  }

  func document(of call: ExportedAPI.Call) -> [UInt8] {
    CommandDescription.document("call") { writer in
      writer.writeObject(key: "api") { writeAPI(&$0) }
      write(call, &writer)
    }
  }

  private func writeAPI(_ writer: inout JSONWriter) {
    writer.write(key: "name", word)
    if let description = api.description { writer.write(key: "description", description) }
    if let url = api.baseURL { writer.write(key: "base_url", url) }
    writer.writeList(key: "environments") { writer in
      for environment in api.environments {
        writer.writeObject { writer in
          writer.write(key: "name", environment.name)
          if let url = environment.url { writer.write(key: "base_url", url) }
        }
      }
    }
  }

  private func write(_ exported: ExportedAPI.Call, _ writer: inout JSONWriter) {
    let call = exported.call
    writer.write(key: "name", call.name)
    if let description = call.description { writer.write(key: "description", description) }
    writer.write(key: "method", call.method.rawValue)
    writer.write(key: "safe", call.isSafe || call.method.isSafe)
    writer.write(key: "path", Masking.url(call.path))
    if let graphQL = call.graphQL {
      writer.writeObject(key: "graphql") { writer in
        writer.write(key: "kind", graphQL.kind)
        if let name = graphQL.name { writer.write(key: "operation", name) }
      }
    }
    writer.writeList(key: "parameters") { writer in
      for (parameter, argument) in APIDescription.parameters(of: call, in: word) {
        writer.writeObject { APIDescription.write(parameter, argument, &$0) }
      }
    }
    if call.hasBody { writer.writeObject(key: "body") { APIDescription.writeBody(of: call, &$0) } }
    writer.write(key: "pages", call.hasPages)
    if !call.columns.isEmpty { writer.write(key: "columns", call.columns) }
    if let type = call.responseType { writer.write(key: "response_type", type.rawValue) }
    writer.writeList(key: "credentials") { writer in
      for access in exported.access { writer.writeObject { access.write(login: word, &$0) } }
    }
    if exported.least != nil { writer.write(key: "credentials_optional", true) }
    writer.write(key: "example", example(of: call))
  }

  private static func write(
    _ parameter: CallParameter, _ argument: Argument, _ writer: inout JSONWriter
  ) {
    writer.write(key: "name", parameter.name)
    writer.write(key: "option", argument.shown)
    if let negation = argument.negation { writer.write(key: "negation", negation) }
    writer.write(key: "place", parameter.place.rawValue)
    writer.write(key: "sent_as", parameter.wireName)
    writer.write(key: "type", typeName(of: parameter))
    writer.write(key: "list", parameter.isList)
    writer.write(key: "required", argument.isRequired && parameter.standard == nil)
    if let standard = parameter.shownDefault { writer.write(key: "default", raw: standard) }
    if case .secret(let text)? = parameter.standard, let secret = text.secrets.first {
      writer.write(key: "secret", secret.name)
    }
    if !parameter.integers.isEmpty {
      writer.writeList(key: "choices") { for number in parameter.integers { $0.write(number) } }
    } else if !argument.choices.isEmpty {
      writer.write(key: "choices", argument.choices)
    }
    if let text = parameter.description { writer.write(key: "description", text) }
  }

  /// The type of a parameter, as an API file names it. A choice of words has the type string.
  static func typeName(of parameter: CallParameter) -> String {
    switch parameter.kind {
    case .choice: "string"
    case .json: "json"
    default: parameter.kind.name
    }
  }

  private static func writeBody(of call: APICall, _ writer: inout JSONWriter) {
    writer.write(key: "form", call.bodyForm.rawValue)
    if let type = call.contentType { writer.write(key: "content_type", type) }
    let needsField = call.parameters.contains {
      $0.place == .body && $0.isRequired && $0.standard == nil
    }
    writer.write(key: "required", call.requiresBody || needsField)
    if let whole = call.wholeParameter { writer.write(key: "parameter", whole.name) }
  }

  // MARK: For people

  var text: String {
    var rows: [(String, String)] = []
    if let url = api.baseURL { rows.append(("Base URL", url)) }
    let environments = api.environments.map { $0.name + ($0.url.map { " (\($0))" } ?? "") }
    if !environments.isEmpty { rows.append(("Environments", environments.joined(separator: ", "))) }
    for access in credentials { rows.append(("Credentials", access.text)) }
    var text = word + (api.description.map { ": \($0)" } ?? "") + "\n"
    for (name, value) in rows {
      text += "  \(name)\(String(repeating: " ", count: 14 - name.count))\(value)\n"
    }
    text += "\n" + CallPage.list(of: api.calls.map(\.call))
    return text + "\nlull describe \(word) CALL shows the parameters of a call.\n"
  }

  func text(of exported: ExportedAPI.Call) -> String {
    let call = exported.call
    var spec = CallPage.spec(of: call, in: word)
    spec.arguments = APIDescription.parameters(of: call, in: word).map(\.1)
    spec.examples = [example(of: call)]
    spec.notes = "\(spec.name) --help shows the options of requests."
    return ArgumentHelp.text(of: spec, showsHelp: false)
  }
}

extension ExportedAccess {
  /// Writes the type, the scopes and the source of the credentials as members of an object.
  ///
  /// - Parameter login: The name of the API in the command `lull login API`.
  fileprivate func write(login api: String, _ writer: inout JSONWriter) {
    switch way {
    case .bearer: writer.write(key: "type", "bearer")
    case .basic: writer.write(key: "type", "basic")
    case .digest: writer.write(key: "type", "digest")
    case .signature: writer.write(key: "type", "aws-sigv4")
    case .key(let place, let name, _):
      writer.write(key: "type", "key")
      writer.write(key: "place", place.rawValue)
      writer.write(key: "name", name)
    case .clientCredentials(let tokenURL):
      writer.write(key: "type", "client_credentials")
      writer.write(key: "token_url", tokenURL)
    case .code(let authorizationURL, let tokenURL):
      writer.write(key: "type", "code")
      writer.write(key: "authorization_url", authorizationURL)
      writer.write(key: "token_url", tokenURL)
    case .device(let deviceURL, let tokenURL):
      writer.write(key: "type", "device")
      writer.write(key: "device_url", deviceURL)
      writer.write(key: "token_url", tokenURL)
    }
    if !scopes.isEmpty { writer.write(key: "scopes", scopes) }
    if let secret {
      writer.write(key: "secret", secret.name)
      writer.write(key: "source", secret.kind.rawValue)
    }
    if needsLogin { writer.write(key: "login", "lull login \(CurlText.quoted(api))") }
  }

  /// The credentials in one phrase: the kind and the source.
  var text: String {
    let form =
      switch way {
      case .bearer: "bearer token"
      case .basic: "user name and password (Basic)"
      case .digest: "user name and password (Digest)"
      case .signature: "AWS Signature v4 with the keys in the environment"
      case .key(.query, let name, _): "query parameter \(name)"
      case .key(let place, let name, _): "\(place.rawValue) \(name)"
      case .clientCredentials: "OAuth 2.0 client credentials"
      case .code, .device: "OAuth 2.0 login"
      }
    guard let secret else { return form }
    let source =
      switch secret.kind {
      case .environment: "environment variable \(secret.name)"
      case .file: "secret \(secret.name), read from a file"
      case .command: "secret \(secret.name), the output of a command"
      case .literal: "secret \(secret.name)"
      }
    return "\(form) (\(source))"
  }
}

extension Secret {
  fileprivate enum Kind: String {
    case environment
    case file
    case command
    case literal
  }

  fileprivate var kind: Kind {
    switch meant ?? source {
    case .environment: .environment
    case .file: .file
    case .command, .shell: .command
    case .literal: .literal
    }
  }
}
