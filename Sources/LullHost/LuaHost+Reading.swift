import Glibc
import CLullBridge
import LullArguments
import LullCore

extension LuaHost {
  /// Settings whose strings are bytes: contents, the text that has an error of its own, and a URL.
  private static let binarySettings: Set<String> = [
    "body", "text", "data", "content", "cause", "base_url",
  ]

  /// Visits an options table whose keys must be known names; `owner` is what it is the value of.
  func forEachOption(
    of table: Int32, in state: OpaquePointer?, known: [String], owner: String? = nil,
    _ body: (String, lull_value) throws(Misuse) -> Void
  ) throws(Misuse) {
    try LuaTable(table, in: state).forEachField { key, value throws(Misuse) in
      guard let name = key.string else {
        let place = owner.map { " in '\($0)'" } ?? ""
        throw .message(
          "unknown setting of type \(key.typeName)\(place); settings have names")
      }
      do throws(Misuse) {
        guard known.contains(name) else { throw unknownSetting(name, among: known) }
        if !LuaHost.binarySettings.contains(name) { try value.requireText("'\(name)'") }
        try body(name, value)
      } catch {
        guard let checker, let place = LuaHost.place(of: state) else { throw error }
        // One that checks a file wants to hear of the others too.
        checker.note(
          error.text,
          at: SourcePlace(file: place.file, line: line(of: name, inCallAt: place) ?? place.line))
      }
    }
  }

  func unknownSetting(_ name: String, among known: [String]) -> Misuse {
    if let near = NearestName.suggestion(for: name, among: known) {
      return .message("unknown setting '\(name)' (did you mean '\(near)'?)")
    }
    guard known.count <= 16 else { return .message("unknown setting '\(name)'") }
    return .message("unknown setting '\(name)'; there are \(known.joined(separator: ", "))")
  }

  /// JSON text of the value at `index`, or where it has no JSON form.
  func encodeJSON(_ state: OpaquePointer?, _ index: Int32) -> Result<[UInt8], JSONProblem> {
    var result = lull_json_result()
    guard lull_json_encode(state, index, 0, &result) == 0 else {
      return .failure(problem(of: result))
    }
    defer {
      free(result.bytes)
      free(result.secrets)
    }
    guard result.secret_count == 0 else {
      return .failure(
        JSONProblem(text: "there is a Secret, which only the body of a request can hold"))
    }
    guard MemoryLedger.allows(result.length) else {
      return .failure(JSONProblem(text: "not enough memory"))
    }
    return .success(
      Array(UnsafeRawBufferPointer(start: result.bytes, count: result.length)))
  }

  /// A body of JSON text, in which secrets stand in the place of strings.
  func encodeJSONBody(_ state: OpaquePointer?, _ index: Int32) -> Result<RequestBody, JSONProblem> {
    var result = lull_json_result()
    guard lull_json_encode(state, index, 0, &result) == 0 else {
      return .failure(problem(of: result))
    }
    defer {
      free(result.bytes)
      free(result.secrets)
    }
    guard MemoryLedger.allows(result.length) else {
      return .failure(JSONProblem(text: "not enough memory"))
    }
    let text = UnsafeRawBufferPointer(start: result.bytes, count: result.length)
    let uses = UnsafeBufferPointer(start: result.secrets, count: result.secret_count)
    guard !uses.isEmpty else { return .success(.json(Array(text))) }
    var template = SecretTemplate()
    var start = 0
    for use in uses {
      guard let secret = handles.object(use.handle, .secret, as: SecretBox.self) else { continue }
      template.append(text[start..<use.start])
      template.append(secret.text, .json)
      start = use.end
    }
    template.append(text[start...])
    return .success(.secret(SecretBody(template, contentType: "application/json")))
  }

  private func problem(of result: lull_json_result) -> JSONProblem {
    if result.lacks_room != 0 { lull_memory_pass(bridge.pointer) }
    return withUnsafeBytes(of: result.problem) { raw in
      JSONProblem(text: String(escapingCut: raw.prefix { $0 != 0 }))
    }
  }

  struct JSONProblem: Error {
    let text: String
  }
}
