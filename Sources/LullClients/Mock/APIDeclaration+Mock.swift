import CLullBridge
import LullCore
import LullHost

/// Reads the settings of calls and files for `lull mock`.
extension APIDeclaration {
  func function(
    _ key: String, _ value: lull_value, _ index: Int32, _ state: OpaquePointer?, _ service: Service
  ) throws(Misuse) -> Int64 {
    guard value.kind == Int32(LULL_FUNCTION) else {
      throw .message("'\(key)' must be a function (request, state), got \(value.described)")
    }
    let id = try stored.keep(state, index)
    stored.anchor(id, from: handles.handle(of: service))
    return id
  }

  /// Reads the example response of a call, which may be any content.
  func example(
    _ value: lull_value, _ index: Int32, _ state: OpaquePointer?, of call: APICall
  ) throws(Misuse) -> MockAnswer {
    switch reading.json.text(of: state, index) {
    case .success(let bytes):
      var answer = MockAnswer(status: call.usualStatus)
      answer.put(json: bytes)
      return answer
    case .failure(let problem): throw .message("'example' cannot be encoded: \(problem.text)")
    }
  }

  /// Reads the list of a call's example responses.
  func examples(
    _ value: lull_value, _ index: Int32, _ state: OpaquePointer?, of call: APICall
  ) throws(Misuse) -> [MockExample] {
    guard value.kind == Int32(LULL_TABLE) else {
      throw .message(
        "'examples' must be a list such as { { json = …, when = { … } } }, got \(value.described)")
    }
    var examples: [(position: Int64, example: MockExample)] = []
    try LuaTable(index, in: state).forEachField { key, value throws(Misuse) in
      guard key.kind == Int32(LULL_INTEGER) else {
        throw .message(
          "'examples' must be a list of responses, each in its own braces, got the field "
            + key.described)
      }
      guard value.kind == Int32(LULL_TABLE) else {
        throw .message("example \(key.integer) must be a table, got \(value.described)")
      }
      do throws(Misuse) {
        let example = try self.example(LuaTable.visitedIndex(in: state), state, of: call)
        examples.append((key.integer, example))
      } catch {
        throw .message("example \(key.integer): \(error.text)")
      }
    }
    return examples.sorted { $0.position < $1.position }.map(\.example)
  }

  private func example(
    _ table: Int32, _ state: OpaquePointer?, of call: APICall
  ) throws(Misuse) -> MockExample {
    var conditions: [(name: String, value: CallValue)] = []
    let answer = try MockAnswer(
      table: table, state, reading, status: call.usualStatus, beside: ["when"]
    ) { value throws(Misuse) in
      conditions = try self.conditions(value, LuaTable.visitedIndex(in: state), state, of: call)
    }
    return MockExample(answer: answer, conditions: conditions)
  }

  private func conditions(
    _ value: lull_value, _ table: Int32, _ state: OpaquePointer?, of call: APICall
  ) throws(Misuse) -> [(name: String, value: CallValue)] {
    guard value.kind == Int32(LULL_TABLE) else {
      throw .message("'when' must be a table of parameters, got \(value.described)")
    }
    var conditions: [(name: String, value: CallValue)] = []
    try LuaTable(table, in: state).forEachField { key, value throws(Misuse) in
      let name = key.string ?? key.described
      guard let parameter = call.parameters.first(where: { $0.name == name }) else {
        throw .message("'when': \(call.unknown(name).message)")
      }
      guard parameter.kind != .file else {
        throw .message("'when': parameter '\(name)' is a file, which cannot be compared")
      }
      let index = LuaTable.visitedIndex(in: state)
      do throws(Misuse) {
        conditions.append((name, try values.value(value, index, state, for: parameter)))
      } catch {
        throw .message("'when': \(error.text)")
      }
    }
    return conditions.sorted { $0.name < $1.name }
  }
}

extension APICall {
  /// The default status of the call's responses in `lull mock`.
  package var usualStatus: Int { method == .post && !isSafe && graphQL == nil ? 201 : 200 }
}

/// The responses that `lull mock` sends for a call. Nothing else uses them.
package struct CallMock {
  /// The ID of the script function that answers. The service holds the function.
  package var function: Int64?
  /// The response that the setting `example` describes, which has only content.
  package var example: MockAnswer?
  package var examples: [MockExample] = []
}

/// One of several example responses. It applies to requests with certain parameters.
package struct MockExample {
  package var answer: MockAnswer
  /// The parameters that a request must have. Empty if the response applies to all requests.
  package var conditions: [(name: String, value: CallValue)] = []

  /// Returns whether the response applies to a request with these parameters.
  package func fits(_ values: [String: CallValue]) -> Bool {
    conditions.allSatisfy { name, value in
      guard let given = values[name] else { return false }
      return MockExample.comparable(given) == MockExample.comparable(value)
    }
  }

  private static func comparable(_ value: CallValue) -> [UInt8] {
    // In JSON, 1 and true differ from "1" and "true". In a query they do not, so compare texts.
    var bytes: [UInt8] = []
    switch value {
    case .json(let text): bytes = text
    case .list(let elements): CallValue.list(elements.map { .string($0.text) }).write(to: &bytes)
    case .object(let members):
      CallValue.object(members.map { .init($0.name, .string($0.value.text)) }).write(to: &bytes)
    default: return Array(value.text.utf8)
    }
    guard let document = try? JSONDocument(parsing: bytes) else { return bytes }
    return CanonicalJSON(isExact: true).bytes(of: JSONText(document.root, spelledBy: bytes))
  }
}
