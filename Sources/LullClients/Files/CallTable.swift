import CLullBridge
import LullCore
import LullHost
import LullLuaSource

/// The source of an API file. Used only for line numbers in messages and for the order of keys,
/// which a Lua table does not preserve.
struct DeclaredText {
  /// The path of the file as shown in messages.
  let path: String
  let name: String
  let places: DeclarationPlaces
  let layout: DeclaredLayout
  let graphQL: GraphQLFiles

  init(_ source: [UInt8], path: String, name: String) {
    self.path = path
    self.name = name
    places = DeclarationPlaces(source)
    layout = DeclaredLayout(source)
    graphQL = GraphQLFiles(besides: path)
  }
}

/// The table of calls that an API file returned.
///
/// A call is read from the table when it is used. Home thread only.
final class CallTable {
  /// The names of all calls whose names are valid. The calls themselves may be invalid.
  let names: Set<String>
  private let table: StoredValue
  private let text: DeclaredText
  private weak var files: APIFiles?
  private weak let service: Service?

  init(
    _ names: Set<String>, _ table: StoredValue, _ text: DeclaredText, _ files: APIFiles,
    _ service: Service
  ) {
    self.names = names
    self.table = table
    self.text = text
    self.files = files
    self.service = service
  }

  /// The names of the calls in file order.
  var order: [String] {
    let lines = names.map { (line: text.places.line(of: ["calls", $0]), name: $0) }
    return lines.sorted { ($0.line, $0.name) < ($1.line, $1.name) }.map(\.name)
  }

  /// Reads the calls with the given names.
  func read(_ wanted: Set<String>) -> [String: DeclaredCalls.Reading] {
    let problem: APIFileProblem
    do throws(APIFileProblem) {
      return try visit { files, service, index, state throws(APIFileProblem) in
        try files.declaration(of: text).readings(of: wanted, index, state, service)
      }
    } catch {
      problem = error
    }
    return Dictionary(uniqueKeysWithValues: wanted.map { ($0, .failure(problem)) })
  }

  /// Returns the properties of all calls that lists show. Calls are omitted if they must be read
  /// completely to find these properties.
  func listed() -> [String: ListedCall] {
    let listed = try? visit { _, _, index, state throws(APIFileProblem) in
      CallTable.listed(index, state)
    }
    return listed ?? [:]
  }

  private static func listed(_ index: Int32, _ state: OpaquePointer?) -> [String: ListedCall] {
    var listed: [String: ListedCall] = [:]
    // If memory runs out, the remaining calls are read completely later.
    try? LuaTable(index, in: state).forEachField { key, value throws(Misuse) in
      guard let name = key.string, value.kind == Int32(LULL_TABLE) else { return }
      listed[name] = try ListedCall(name, LuaTable.visitedIndex(in: state), state)
    }
    return listed
  }

  private func visit<Value>(
    _ body: (APIFiles, Service, Int32, OpaquePointer?) throws(APIFileProblem) -> Value
  ) throws(APIFileProblem) -> Value {
    guard let files, let service else { throw .missing("the API has ended") }
    return try files.visit(table) { results throws(APIFileProblem) in
      // The table has been freed together with its service.
      guard results[0].kind == Int32(LULL_TABLE) else { throw .missing("the API has ended") }
      return try body(files, service, results.index(0), results.state)
    }
  }
}

extension ListedCall {
  /// Reads the properties of a call that lists show. nil if the call must be read completely. That
  /// is necessary if the call is invalid, if it has functions or a GraphQL operation, or if a
  /// placeholder of its path may contain slashes.
  fileprivate init?(_ name: String, _ index: Int32, _ state: OpaquePointer?) throws(Misuse) {
    var path: String?
    var description: String?
    var method: RequestMethod? = .get
    var isPlain = true
    try LuaTable(index, in: state).forEachField { key, value throws(Misuse) in
      switch key.string {
      case "path": path = try? value.text("path")
      case "description":
        description = try? value.text("description")
        if description == nil { isPlain = false }
      case "method": method = value.string.flatMap { RequestMethod(rawValue: $0) }
      case "params":
        if value.kind == Int32(LULL_TABLE), try ListedCall.mayBeOpen(state) { isPlain = false }
      case "graphql", "graphql_file": isPlain = false
      default: if value.kind == Int32(LULL_FUNCTION) { isPlain = false }
      }
    }
    guard isPlain, let path, !path.isEmpty, let method else { return nil }
    self.init(
      name: name, method: method, path: path, description: description, openPlaces: [],
      operation: nil)
  }

  /// Returns whether one of the parameters in the visited table has the setting `reserved`.
  private static func mayBeOpen(_ state: OpaquePointer?) throws(Misuse) -> Bool {
    var isFound = false
    try LuaTable(LuaTable.visitedIndex(in: state), in: state).forEachField {
      _, value throws(Misuse) in
      guard value.kind == Int32(LULL_TABLE) else { return }
      try LuaTable(LuaTable.visitedIndex(in: state), in: state).forEachField {
        key, _ throws(Misuse) in
        if key.string == "reserved" { isFound = true }
      }
    }
    return isFound
  }
}
