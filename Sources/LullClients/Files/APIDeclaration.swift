import CLullBridge
import LullArguments
import LullCore
import LullHost
import LullLuaSource
import LullSystem

/// Converts the result of an API file to an `APIFile`.
struct APIDeclaration {
  static let fileKeys = [
    "service", "calls", "description", "environments", "schemas", "mock", "graphql",
  ]
  static let callKeys =
    [
      "path", "method", "params", "description", "columns", "rows", "pages", "headers", "body",
      "body_required", "content_type", "mock", "example", "examples", "schema",
      "response_type", "safe",
    ] + DeclaredGraphQL.keys
  static let parameterKeys = [
    "type", "default", "required", "description", "option", "place", "name", "list", "style",
    "explode", "reserved", "whole",
  ]
  static let types = ["string", "number", "integer", "boolean", "json", "object", "file"]

  let handles: ObjectHandles
  let stored: StoredValues
  let reading: ScriptReading
  let text: DeclaredText
  /// The checker, if the file is only inspected. Otherwise nil.
  let checker: APIFileChecker?
  /// The requested environment. nil for none.
  let wish: EnvironmentWish?
  let reader: SettingReader
  /// Returns whether a service already belongs to an API that was loaded earlier.
  let isTaken: (Service) -> Bool

  var path: String { text.path }
  var name: String { text.name }
  var places: DeclarationPlaces { text.places }

  /// - Parameter wish: The requested environment. One from `LULL_ENV` applies only if the file
  ///   declares environments.
  init(
    _ text: DeclaredText, _ handles: ObjectHandles, _ stored: StoredValues,
    _ reading: ScriptReading,
    checker: APIFileChecker?, wish: EnvironmentWish?,
    reader: SettingReader, isTaken: @escaping (Service) -> Bool
  ) {
    self.text = text
    self.handles = handles
    self.stored = stored
    self.reading = reading
    self.checker = checker
    self.wish = wish.flatMap { $0.isNamed || text.places.has("environments") ? $0 : nil }
    self.reader = reader
    self.isTaken = isTaken
  }

  /// The name of the file with the requested environment's variables, as written in the source. nil
  /// for none.
  var variablesFile: String? {
    wish.flatMap { places.literal(of: ["environments", $0.name, "env_file"]) }
  }

  func read(
    _ value: lull_value, _ index: Int32, _ state: OpaquePointer?, _ files: APIFiles
  ) throws(APIFileProblem) -> APIFile {
    if let service = handles.object(value, .service, as: Service.self) {
      if let wish { throw .missing(missing(wish, among: [])) }
      try checkOwner(of: service)
      return APIFile(name: name, path: path, service: service)
    }
    if let module = module(value, index, state) {
      throw .module(SourcePlace(file: path, line: places.lineOfResult), module)
    }
    guard value.kind == Int32(LULL_TABLE) else {
      throw problem(
        [],
        "an API file returns a service, or { service =, calls =, description = }, not "
          + value.described)
    }
    var service: Service?
    var wrongService: String?
    var description: String?
    var schemas: String?
    // Calls are read after the service, whatever their order in the table, because they need it.
    var calls = DeclaredCalls(nil)
    var haveSchemas = false
    try visit(index, state, Self.fileKeys, at: []) { key, value throws(Misuse) in
      switch key {
      case "service":
        service = handles.object(value, .service, as: Service.self)
        guard service != nil else {
          let text = "'service' must be a service, got \(value.described)"
          wrongService = text
          throw .message(text)
        }
      case "description": description = try value.text(key)
      case "environments":
        guard value.kind == Int32(LULL_TABLE) else {
          throw .message("'environments' must be a table, got \(value.described)")
        }
      case "schemas": schemas = try schemasPath(value)
      case "graphql": text.graphQL.schemaPath = try schemaFile(value)
      // The mock function is read later: the service holds it, and may come later in the table.
      case "mock": break
      default:
        guard value.kind == Int32(LULL_TABLE) else {
          throw .message("'calls' must be a table, got \(value.described)")
        }
      }
    }
    guard let service else {
      throw problem(
        wrongService == nil ? [] : ["service"], wrongService ?? "an API file needs a 'service'")
    }
    try checkOwner(of: service)
    var failure: APIFileProblem?
    var environments: [String] = []
    // Environments are read before calls, because they determine the base URL of the calls.
    try visit(index, state, Self.fileKeys, at: []) { key, value throws(Misuse) in
      guard key == "environments", value.kind == Int32(LULL_TABLE) else { return }
      let table = LuaTable.visitedIndex(in: state)
      do throws(APIFileProblem) {
        environments = try self.environments(table, state, service)
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
    if let wish, environments.isEmpty { throw .missing(missing(wish, among: [])) }
    try visit(index, state, Self.fileKeys, at: []) { key, value throws(Misuse) in
      // A value that is not a table was reported above.
      guard key == "calls", value.kind == Int32(LULL_TABLE) else { return }
      let table = LuaTable.visitedIndex(in: state)
      do throws(APIFileProblem) {
        calls = try self.calls(table, state, service, files)
        if schemas == nil { haveSchemas = try self.haveSchemas(table, state) }
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
    var mock: Int64?
    try visit(index, state, Self.fileKeys, at: []) { key, value throws(Misuse) in
      guard key == "mock" else { return }
      mock = try function(key, value, LuaTable.visitedIndex(in: state), state, service)
    }
    if haveSchemas || schemas != nil {
      service.schemas = CallSchemas(calls, path: schemas, base: service.baseURL)
    }
    return APIFile(
      name: name, path: path, service: service, environments: environments,
      description: description, calls: calls, mock: mock)
  }

  // MARK: Parts

  /// Reads a list of one or more strings.
  func strings(
    _ value: lull_value, _ index: Int32, _ state: OpaquePointer?, _ name: String
  ) throws(Misuse) -> [String] {
    let expected = "'\(name)' must be a list of strings"
    guard value.kind == Int32(LULL_TABLE) else {
      throw .message("\(expected), got \(value.described)")
    }
    var texts: [(position: Int64, text: String)] = []
    try LuaTable(index, in: state).forEachField { key, element throws(Misuse) in
      guard key.kind == Int32(LULL_INTEGER), let text = element.text else {
        throw .message(expected)
      }
      try element.requireText("a string of '\(name)'")
      texts.append((key.integer, text))
    }
    return texts.sorted { $0.position < $1.position }.map(\.text)
  }

  /// Visits each setting in a table. An error is reported with its line. If there are several, the
  /// first one in the file is reported.
  func visit(
    _ table: Int32, _ state: OpaquePointer?, _ known: [String], at: [String], prefix: String = "",
    _ body: (String, lull_value) throws(Misuse) -> Void
  ) throws(APIFileProblem) {
    var failure: APIFileProblem?
    let visited = Result { () throws(Misuse) in
      try LuaTable(table, in: state).forEachField { key, value throws(Misuse) in
        let name = key.string
        do throws(Misuse) {
          guard let name else {
            throw .message(
              "unknown setting of type \(key.typeName); settings have names")
          }
          guard known.contains(name) else { throw .unknownSetting(name, among: known) }
          try body(name, value)
        } catch {
          let problem = problem(at + (name.map { [$0] } ?? []), prefix + error.text)
          if !note(problem) { failure = problem.first(of: failure) }
        }
      }
    }
    if let failure { throw failure }
    if case .failure(let misuse) = visited { throw problem(at, prefix + misuse.text) }
  }

  /// Returns whether a checker has recorded the problem. If so, reading continues.
  func note(_ problem: APIFileProblem) -> Bool {
    guard let checker, case .declaration(let place, let text) = problem else {
      return false
    }
    checker.note(text, at: place)
    return true
  }

  func problem(_ keys: [String], _ text: String) -> APIFileProblem {
    let line = keys.isEmpty ? places.lineOfResult : places.line(of: keys)
    return .declaration(SourcePlace(file: path, line: line), text)
  }

  /// Returns whether a name can be used as an option after `--` and as a placeholder in braces.
  static func isName(_ name: String) -> Bool {
    guard let first = name.first, first != "-" else { return false }
    return name.allSatisfy { $0.isLetter || $0.isNumber || "_-.".contains($0) }
  }
}
