import CLullBridge
import LullArguments
import LullCore
import LullHost
import LullSystem

/// Reads the calls that an API file declares.
extension APIDeclaration {
  /// Returns the calls declared in a table. A call is read when it is used. If there is a checker,
  /// all calls are read immediately, and only calls without errors are returned.
  func calls(
    _ table: Int32, _ state: OpaquePointer?, _ service: Service, _ files: APIFiles
  ) throws(APIFileProblem) -> DeclaredCalls {
    var names = try callNames(table, state)
    var calls: [String: APICall] = [:]
    if checker != nil {
      calls = try readings(of: names, table, state, service).compactMapValues { try? $0.get() }
      names = Set(calls.keys)
    }
    do throws(Misuse) {
      let table = try stored.storedValue(state, table, for: service)
      return DeclaredCalls(CallTable(names, table, text, files, service), calls)
    } catch {
      throw .missing(error.text)
    }
  }

  private func callNames(_ table: Int32, _ state: OpaquePointer?) throws(APIFileProblem)
    -> Set<String>
  {
    var names: Set<String> = []
    var failure: APIFileProblem?
    let visited = Result { () throws(Misuse) in
      try LuaTable(table, in: state).forEachField { key, _ throws(Misuse) in
        if let name = key.string, APIDeclaration.isCallName(key) {
          names.insert(name)
          return
        }
        let problem = problem(
          key.string.map { ["calls", $0] } ?? ["calls"],
          "call names must be printable and must not begin with '-', got " + key.described)
        if !note(problem) { failure = problem.first(of: failure) }
      }
    }
    if let failure { throw failure }
    if case .failure(let misuse) = visited { throw problem(["calls"], misuse.text) }
    return names
  }

  /// Reads the calls with these names. For an invalid call, the result is its error.
  func readings(
    of names: Set<String>, _ table: Int32, _ state: OpaquePointer?, _ service: Service
  ) throws(APIFileProblem) -> [String: DeclaredCalls.Reading] {
    var readings: [String: DeclaredCalls.Reading] = [:]
    let visited = Result { () throws(Misuse) in
      try LuaTable(table, in: state).forEachField { key, value throws(Misuse) in
        guard readings.count < names.count, let name = key.string, names.contains(name) else {
          return
        }
        do throws(APIFileProblem) {
          readings[name] = .success(try call(name, value, state, service))
        } catch {
          if !note(error) { readings[name] = .failure(error) }
        }
      }
    }
    if case .failure(let misuse) = visited { throw problem(["calls"], misuse.text) }
    return readings
  }

  private func call(
    _ name: String, _ value: lull_value, _ state: OpaquePointer?, _ service: Service
  ) throws(APIFileProblem) -> APICall {
    let at = ["calls", name]
    guard value.kind == Int32(LULL_TABLE) else {
      throw problem(at, "call '\(name)' must be a table, got \(value.described)")
    }
    let table = LuaTable.visitedIndex(in: state)
    var call = APICall(name: name)
    var wrongPath: String?
    var declared: [DeclaredParameter] = []
    var graphQL = DeclaredGraphQL()
    var given: Set<String> = []
    try visit(table, state, Self.callKeys, at: at, prefix: "call '\(name)': ") {
      key, value throws(Misuse) in
      let index = LuaTable.visitedIndex(in: state)
      given.insert(key)
      switch key {
      case "path":
        do throws(Misuse) {
          call.path = try value.text(key)
        } catch {
          wrongPath = error.text
          throw error
        }
      case "description": call.description = try value.text(key)
      case "method": call.method = try MethodReader.method(try value.text(key))
      case "rows": call.rows = try rows(value)
      case "columns": call.columns = try strings(value, index, state, key)
      case "headers":
        guard value.kind == Int32(LULL_TABLE) else {
          throw .message("'headers' must be a table, got \(value.described)")
        }
        try reading.headers.edits(table: index, in: state, allowsSecrets: true)
          .apply(to: &call.headers)
      case "body":
        let text = try value.text(key)
        guard let form = APICall.BodyForm(rawValue: text) else {
          let forms = APICall.BodyForm.allCases.map { "\"\($0.rawValue)\"" }
          throw .message("'body' must be \(WordList.text(forms)), got '\(text)'")
        }
        call.bodyForm = form
      case "body_required":
        guard let flag = value.bool else {
          throw .message("'body_required' must be true or false, got \(value.described)")
        }
        call.requiresBody = flag
      case "safe":
        guard let flag = value.bool else {
          throw .message("'safe' must be true or false, got \(value.described)")
        }
        call.isSafe = flag
      case "content_type":
        let text = try value.text(key)
        guard !text.isEmpty else { throw .message("'content_type' must not be empty") }
        if let problem = Headers.valueProblem(text.utf8) {
          throw .message("'content_type' \(problem)")
        }
        call.contentType = text
      case "response_type":
        let text = try value.text(key)
        guard let type = ResponseType(rawValue: text) else {
          let types = ResponseType.allCases.map { "\"\($0.rawValue)\"" }
          throw .message("'response_type' must be \(WordList.text(types)), got '\(text)'")
        }
        call.responseType = type
      case "pages":
        call.pages = try pages(value, index, state, service)
        graphQL.relay = call.pages?.relay
      case "graphql", "graphql_file", "operation":
        try read(key, value, into: &graphQL)
      case "schema": call.schema = try schema(value, index, state)
      case "mock": call.mock.function = try function(key, value, index, state, service)
      // An example is read later, when the parameters are known.
      case "example", "examples": break
      default:
        guard value.kind == Int32(LULL_TABLE) else {
          throw .message("'params' must be a table, got \(value.described)")
        }
      }
    }
    try self.graphQL(graphQL, of: &call, given: given, at: at)
    guard !call.path.isEmpty else {
      throw wrongPath.map { problem(at + ["path"], "call '\(name)': \($0)") }
        ?? problem(at, "call '\(name)' needs a 'path'")
    }
    // An error in a parameter is reported for the call, whose name precedes the message.
    var failure: APIFileProblem?
    try visit(table, state, Self.callKeys, at: at, prefix: "call '\(name)': ") {
      key, value throws(Misuse) in
      guard key == "params", value.kind == Int32(LULL_TABLE) else { return }
      try LuaTable(LuaTable.visitedIndex(in: state), in: state).forEachField {
        key, value throws(Misuse) in
        do throws(Misuse) {
          declared.append(try parameter(key, value, state, of: name, call.graphQL))
        } catch {
          let problem = problem(
            at + ["params", key.string ?? ""], "call '\(name)': \(error.text)")
          if !note(problem) { failure = problem.first(of: failure) }
        }
      }
    }
    if let failure { throw failure }
    if let text = APICall.problem(withPlacesIn: call.path) {
      throw problem(at + ["path"], "call '\(name)': \(text)")
    }
    if let graphQL = call.graphQL {
      declared = try variables(of: graphQL, declared, call, at: at)
    }
    call.parameters = try arranged(declared, of: call, at: at)
    try checkWireNames(call.parameters, of: call, at: at)
    if call.requiresBody, let text = APIDeclaration.objection(toRequiredBodyOf: call) {
      let problem = problem(at + ["body_required"], "call '\(name)': \(text)")
      if !note(problem) { throw problem }
    }
    if call.isSafe, call.method != .post, call.graphQL == nil {
      let problem = problem(
        at + ["safe"],
        "call '\(name)': 'safe' declares that a POST only reads, and cannot be used with "
          + "\(call.method)")
      if !note(problem) { throw problem }
    }
    if call.isSafe, call.bodyForm == .multipart {
      let problem = problem(
        at + ["safe"],
        "call '\(name)': 'safe' cannot be used with a multipart form: a query sends JSON, a form "
          + "or a raw body")
      if !note(problem) { throw problem }
    }
    if call.contentType != nil, [.form, .multipart].contains(call.bodyForm) {
      let problem = problem(
        at + ["content_type"],
        "call '\(name)': 'content_type' is for JSON and raw bodies: forms set their own")
      if !note(problem) { throw problem }
    }
    try visit(table, state, Self.callKeys, at: at, prefix: "call '\(name)': ") {
      key, value throws(Misuse) in
      let index = LuaTable.visitedIndex(in: state)
      switch key {
      case "example": call.mock.example = try example(value, index, state, of: call)
      case "examples": call.mock.examples = try examples(value, index, state, of: call)
      default: break
      }
    }
    inspect(call, of: service, at: at)
    return call
  }

  /// Returns why a request of the call can't have an empty body. nil if the body can be empty.
  private static func objection(toRequiredBodyOf call: APICall) -> String? {
    if let whole = call.wholeParameter {
      return "'body_required' is for a body of fields: set 'required = true' for the parameter "
        + "'\(whole.name)' instead"
    }
    return call.bodyForm == .raw
      ? "'body_required' is for JSON and forms: a raw body is a parameter with 'whole = true'" : nil
  }

  /// Reads the path of the rows: field names separated by dots.
  private func rows(_ value: lull_value) throws(Misuse) -> String {
    let path = try value.text("rows")
    let names = path.split(separator: ".", omittingEmptySubsequences: false)
    guard !names.contains(where: \.isEmpty) else {
      throw .message(
        "'rows' must be field names separated by dots, such as \"data.items\", got '\(path)'")
    }
    return path
  }

  private func pages(
    _ value: lull_value, _ index: Int32, _ state: OpaquePointer?, _ service: Service
  ) throws(Misuse) -> LuaPages.Options? {
    if let isPaged = value.bool { return isPaged ? LuaPages.Options() : nil }
    if value.string == "relay" {
      var options = LuaPages.Options()
      options.relay = ""
      return options
    }
    guard value.kind == Int32(LULL_TABLE) else {
      throw .message(
        "'pages' must be true, a table of the options of 'resource:pages', or \"relay\", got "
          + value.described)
    }
    let options = try LuaPages.Options(
      index, state, reading.options, stored, allowsRelay: true)
    if let function = options.function {
      stored.anchor(function, from: handles.handle(of: service))
    }
    return options
  }

  /// Returns whether a name can be used on a command line and in a list of calls.
  private static func isCallName(_ key: lull_value) -> Bool {
    do throws(Misuse) { try key.requireText("a name") } catch { return false }
    return key.string.map(isCallName) ?? false
  }

  static func isCallName(_ name: String) -> Bool {
    guard let first = name.utf8.first, first != UInt8(ascii: "-") else { return false }
    if name.utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) { return true }
    return name.unicodeScalars.allSatisfy {
      !ControlCharacters.contains($0) && !["\n", "\t", "\u{2028}", "\u{2029}"].contains($0)
    }
  }
}

extension APIDeclaration {
  /// Returns a description of a file's result if the file is a module. nil if the file is an API,
  /// or is meant to be an API. Modules are in the same folder as the API files that load them.
  ///
  /// A module returns a function, or a table that is not empty and has no sign of an API: it has no
  /// service under any name, no 'service' or 'calls', and no table with a similar name.
  func module(_ value: lull_value, _ index: Int32, _ state: OpaquePointer?) -> String? {
    if value.kind == Int32(LULL_FUNCTION) { return "a function" }
    guard value.kind == Int32(LULL_TABLE) else { return nil }
    var isAPI = false
    var isEmpty = true
    let visited = Result { () throws(Misuse) in
      try LuaTable(index, in: state).forEachField { key, field throws(Misuse) in
        isEmpty = false
        isAPI = isAPI || handles.object(field, .service, as: Service.self) != nil
        guard let name = key.string else { return }
        isAPI = isAPI || name == "service" || name == "calls"
        guard field.kind == Int32(LULL_TABLE) else { return }
        isAPI = isAPI || NearestName.suggestion(for: name, among: ["service", "calls"]) != nil
      }
    }
    guard case .success = visited, !isAPI, !isEmpty else { return nil }
    return "a table without a 'service'"
  }
}
