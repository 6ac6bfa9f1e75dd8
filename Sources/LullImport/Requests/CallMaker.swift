import LullCore

/// Creates a call from requests that differ only in their values.
struct CallMaker {
  let requests: [ParsedRequest]
  /// Whether the requests were recorded. Otherwise they were written by a user.
  let isRecorded: Bool
  let variables: VariableNames
  /// Whether placeholders are names of environment variables, as in shell commands.
  let hasShellBlanks: Bool
  private(set) var notes: [String] = []

  private var keys = UniqueNames()
  private var parameters: [ImportedParameter] = []

  init(
    _ requests: [ParsedRequest], isRecorded: Bool, variables: VariableNames, hasShellBlanks: Bool
  ) {
    self.requests = requests
    self.isRecorded = isRecorded
    self.variables = variables
    self.hasShellBlanks = hasShellBlanks
  }

  /// Creates the call. The caller sets its name.
  mutating func call() -> ImportedCall {
    let first = requests.first ?? ParsedRequest()
    var call = ImportedCall(name: "", method: first.method, path: "")
    call.description = first.description
    call.tags = first.tags
    call.path = takePath(first)
    takeQuery(&call)
    takeBody(&call)
    call.isSafe = first.method == "POST" && requests.allSatisfy(\.isSafe)
    takeHeaders(&call)
    call.parameters = parameters
    return call
  }

  /// A function that returns the name of the environment variable for a credential.
  private var secrets: (_ name: String, _ value: String) -> String {
    { [variables, hasShellBlanks] name, value in
      if hasShellBlanks, let blank = Blank.name(value) { return blank }
      return variables.variable(for: Blank.name(value) ?? name)
    }
  }

  private mutating func add(
    _ name: String, _ place: ImportedParameter.Place, _ values: [[String]], saysPlace: Bool
  ) {
    let seen = ParsedValues(
      name: name, place: place, values: values, isSecret: requests[0].isSecret(name))
    let (key, secrets) = (keys.key(for: seen.name), self.secrets)
    var parameter = seen.parameter(key: key, isRecorded: isRecorded, notes: &notes) {
      secrets(seen.name, $0)
    }
    parameter.saysPlace = saysPlace
    parameters.append(parameter)
  }

  /// Returns the names in several lists, in order of first use and without duplicates.
  private static func names(_ lists: [[(name: String, value: String)]]) -> [String] {
    var names: [String] = []
    var known: Set<String> = []
    for (name, _) in lists.joined() where known.insert(name).inserted { names.append(name) }
    return names
  }

  private var puts: Bool { !["GET", "HEAD", "DELETE", "OPTIONS"].contains(requests[0].method) }

  // MARK: Path and query

  private mutating func takePath(_ request: ParsedRequest) -> String {
    let template = PathTemplate(request.path)
    var names = template.names()[...]
    var text = ""
    for segment in template.segments {
      text += "/"
      switch segment {
      case .text(let literal):
        text += literal.replacing("{", with: "%7B").replacing("}", with: "%7D")
      case .place(let value):
        let key = keys.name(for: names.popFirst() ?? "id")
        text += "{\(key)}"
        var parameter = ImportedParameter(key: key, place: .path)
        parameter.isRequired = true
        let known = value.flatMap { Blank.name($0) }.flatMap { request.blankValues[$0] } ?? value
        if let value = known, !ParsedValues.isHarmlessSegment(value) {
          if Blank.name(value) == nil, !isRecorded {
            notes.append(
              "the path segment '\(key)' looks like a token, so it must be passed with the call")
          }
        } else if let value = known {
          parameter.kind = ParsedValues.kind(of: [value])
          if isRecorded, parameter.kind == .integer {
            // The values at this position in other requests may not be numbers.
            let all = requests.flatMap { PathTemplate($0.path).values }
            parameter.kind = ParsedValues.kind(of: all)
          }
          if !isRecorded {
            ParsedValues.setStandard(of: &parameter, [value])
            parameter.isRequired = false
          }
        }
        parameters.append(parameter)
      case .mixed(let mixed):
        text += Blank.replacing(
          in: mixed.replacing("{", with: "%7B").replacing("}", with: "%7D")
        ) { name in
          let key = keys.key(for: name)
          var parameter = ImportedParameter(key: key, place: .path)
          parameter.isRequired = true
          parameters.append(parameter)
          return "{\(key)}"
        }
      }
    }
    return text.isEmpty ? "/" : text
  }

  private mutating func takeQuery(_ call: inout ImportedCall) {
    let lists: [[(name: String, value: String)]] = requests.map { request in
      request.query.map { (name: $0.name, value: $0.value ?? "") }
    }
    var flags: [String] = []
    for name in CallMaker.names(lists) {
      let isFlag = requests.allSatisfy { request in
        request.query.contains { $0.name == name && $0.value == nil }
          && !request.query.contains { $0.name == name && $0.value != nil }
      }
      if isFlag || name.isEmpty {
        flags.append(name)
        continue
      }
      add(
        name, .query, lists.map { list in list.filter { $0.name == name }.map(\.value) },
        saysPlace: puts)
    }
    let literal = requests[0].literalQuery.map {
      $0.replacing("{", with: "%7B").replacing("}", with: "%7D")
    }
    let written = flags.filter { !$0.isEmpty }.map { PercentText.escaped($0) } + literal
    if !written.isEmpty { call.path += "?" + written.joined(separator: "&") }
  }

  // MARK: Body

  private mutating func takeBody(_ call: inout ImportedCall) {
    let bodies = requests.compactMap(\.body)
    guard let first = bodies.first else { return }
    switch first {
    case .fields:
      takeFields(
        requests.map { request in
          if case .fields(let fields)? = request.body { fields } else { [] }
        })
      if hasFields { call.body = .form }
    case .parts:
      takeParts()
      if hasFields { call.body = .multipart }
    case .file(let path):
      call.body = .raw
      call.contentType = type
      var parameter = whole(.file)
      parameter.description = CallMaker.example(path)
      parameters.append(parameter)
    case .whole:
      if requests[0].bodyType.hasSuffix("json"), takeJSON(&call) { return }
      call.body = .raw
      call.contentType = type
      takeText()
    }
  }

  /// Whether the body has any fields. A form without fields can't be sent.
  private var hasFields: Bool { parameters.contains { $0.place == .body } }

  /// Returns the description of a file parameter. It names an example, because such a parameter has
  /// no default.
  private static func example(_ path: String?) -> String? {
    path.map { "Such as \(Blank.shown($0))" }
  }

  /// The content type of the first request that has a body.
  private var type: String? {
    requests.first { $0.body != nil }?.header("content-type").map { Blank.shown($0) }
  }

  private mutating func whole(_ kind: ImportedParameter.Kind) -> ImportedParameter {
    var parameter = ImportedParameter(key: keys.name(for: "body"), place: .body)
    parameter.kind = kind
    parameter.isWhole = true
    parameter.saysPlace = true
    parameter.isRequired = requests.allSatisfy { $0.body != nil }
    return parameter
  }

  private mutating func takeText() {
    var parameter = whole(.string)
    if !isRecorded, case .whole(let text?)? = requests[0].body {
      if ParsedValues.isHarmless(text), text.utf8.count < 2000 {
        parameter.standard = .string(text)
        parameter.isRequired = false
      } else {
        notes.append(
          "the body has placeholders, is long or may have a credential, so it must be passed "
            + "with the call")
      }
    }
    parameters.append(parameter)
  }

  private mutating func takeFields(_ lists: [[(name: String, value: String)]]) {
    for name in CallMaker.names(lists) {
      add(
        name, .body, lists.map { list in list.filter { $0.name == name }.map(\.value) },
        saysPlace: !puts)
    }
  }

  private mutating func takeParts() {
    let lists: [[ParsedRequest.Part]] = requests.map { request in
      if case .parts(let parts)? = request.body { parts } else { [] }
    }
    for name in CallMaker.names(lists.map { list in list.map { (name: $0.name, value: "") } }) {
      guard !name.isEmpty else {
        notes.append("a form part without a name is left out")
        continue
      }
      let parts = lists.map { list in list.filter { $0.name == name } }
      if parts.joined().contains(where: { $0.isFile }) {
        var parameter = ImportedParameter(key: keys.key(for: name), place: .body)
        if parameter.key != name { parameter.name = name }
        parameter.kind = .file
        parameter.saysPlace = !puts
        parameter.isList = parts.contains { $0.count > 1 }
        parameter.isRequired = parts.allSatisfy { !$0.isEmpty }
        parameter.description = CallMaker.example(parts.joined().compactMap(\.value).first)
        parameters.append(parameter)
      } else {
        add(name, .body, parts.map { $0.map { $0.value ?? Blank.text(name) } }, saysPlace: !puts)
        if let type = parts.joined().compactMap(\.type).first {
          notes.append(
            "form part '\(LogText.part(name, limit: 40))': "
              + "the type '\(LogText.part(Blank.shown(type), limit: 60))' is not imported")
        }
      }
    }
  }

  // MARK: JSON

  /// Reads the bodies as JSON.
  ///
  /// - Returns: Whether all bodies are JSON. If not, nothing was read.
  private mutating func takeJSON(_ call: inout ImportedCall) -> Bool {
    var documents: [ParsedJSON] = []
    for request in requests {
      guard let body = request.body else { continue }
      guard case .whole(let text?) = body, let document = ParsedJSON(text) else { return false }
      documents.append(document)
    }
    let isOptional = documents.count < requests.count
    if let type, requests[0].bodyType != "application/json" {
      call.headers.append(("Content-Type", .plain(type)))
    }
    guard documents.allSatisfy(\.isPlainObject) else {
      var parameter = whole(.json)
      if !isRecorded, documents.count == 1 { documents[0].setStandard(of: &parameter) }
      parameters.append(parameter)
      return true
    }
    var names: [String] = []
    for (name, _) in documents.flatMap(\.members) where !names.contains(name) { names.append(name) }
    for name in names {
      let members = documents.map { $0.member(name) }
      let (key, secrets) = (keys.key(for: name), self.secrets)
      var parameter = ParsedJSON.parameter(
        name, members, key: key, isRecorded: isRecorded, isOptional: isOptional, notes: &notes
      ) { secrets(name, $0) }
      parameter.saysPlace = !puts
      parameters.append(parameter)
    }
    return true
  }

  // MARK: Headers

  private mutating func takeHeaders(_ call: inout ImportedCall) {
    for name in requests[0].unsent.sorted() {
      call.headers.append((name == "accept" ? "Accept" : "Content-Type", .nothing))
    }
    let lists = requests.map { request in
      ParsedHeaders.kept(request).map { (name: $0.name.lowercased(), value: $0.value) }
    }
    for name in CallMaker.names(lists) {
      let spelled =
        requests.lazy.flatMap(\.headers).first { $0.name.lowercased() == name }?.name ?? name
      let values = lists.map { list in list.filter { $0.name == name }.map(\.value) }
      let isSame = values.allSatisfy { $0 == values[0] }
      guard isSame, values[0].count == 1, let value = values[0].first else {
        add(spelled, .header, values, saysPlace: true)
        continue
      }
      if let (before, blank) = Blank.atEnd(of: value), hasShellBlanks {
        call.headers.append((spelled, .secret(prefix: before, variable: blank)))
      } else if Blank.isIn(value) {
        add(spelled, .header, values, saysPlace: true)
      } else if ParsedValues.isHarmless(value, called: name) {
        call.headers.append((spelled, .plain(value)))
      } else {
        call.headers.append(
          (spelled, .secret(prefix: "", variable: variables.variable(for: spelled))))
      }
    }
  }
}

extension PathTemplate {
  /// The values in the segments that are parameters.
  var values: [String] {
    segments.compactMap { segment in
      if case .place(let value) = segment { value } else { nil }
    }
  }
}
