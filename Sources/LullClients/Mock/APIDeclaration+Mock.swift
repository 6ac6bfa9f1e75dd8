package import CLullBridge
package import LullCore
package import LullHost

/// What a call says for `lull mock`.
extension APIDeclaration {
  func function(
    _ key: String, _ value: lull_value, _ index: Int32, _ state: OpaquePointer?, _ service: Service
  ) throws(Misuse) -> Int64 {
    guard value.kind == Int32(LULL_FUNCTION) else {
      throw .message("'\(key)' must be a function (request, state), got \(value.described)")
    }
    let id = try kept.keep(state, index)
    kept.anchor(id, from: handles.handle(of: service))
    return id
  }

  /// Content, whatever it is.
  func example(
    _ value: lull_value, _ index: Int32, _ state: OpaquePointer?, of call: APICall
  ) throws(Misuse) -> MockAnswer {
    switch reading.json.text(of: state, index) {
    case .success(let bytes):
      var headers = Headers()
      headers["content-type"] = "application/json"
      return MockAnswer(status: call.usualStatus, headers: headers, body: bytes)
    case .failure(let problem): throw .message("'example' cannot be encoded: \(problem.text)")
    }
  }

  /// A list of answers.
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
          "'examples' must be a list of answers, each in braces of its own, got the field "
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
    var delay = 0.0
    var conditions: [(name: String, value: CallValue)] = []
    let result = try reading.answers.result(
      table: table, state, url: "", status: call.usualStatus, beside: ["delay", "when"]
    ) { name, value throws(Misuse) in
      let index = LuaTable.visitedIndex(in: state)
      switch name {
      case "delay": delay = try MockAnswer.delay(value)
      default: conditions = try self.conditions(value, index, state, of: call)
      }
    }
    var answer = try MockAnswer(result)
    answer.delay = delay
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
      let json = try? reading.json.text(of: state, LuaTable.visitedIndex(in: state)).get()
      do throws(Misuse) {
        conditions.append((name, try parameter.value(of: value, json: json, handles)))
      } catch {
        throw .message("'when': \(error.text)")
      }
    }
    return conditions.sorted { $0.name < $1.name }
  }
}

extension APICall {
  /// That of an answer which names none.
  package var usualStatus: Int { method == .post ? 201 : 200 }
}

extension MockAnswer {
  /// What a function `mock` has returned; nil if that is nil.
  package init?(returned results: RunResults, _ answers: NetworkAnswerReader) throws(Misuse) {
    if results[0].kind == Int32(LULL_NIL) { return nil }
    guard results[0].kind == Int32(LULL_TABLE) else {
      throw .message(
        "'mock' answers with a table such as { status = 200, json = … }, or with nil where "
          + "something else is to answer, got \(results[0].described)")
    }
    var delay = 0.0
    let result = try answers.result(
      table: results.index(0), results.state, url: "", beside: ["delay"]
    ) { _, value throws(Misuse) in delay = try MockAnswer.delay(value) }
    try self.init(result)
    self.delay = delay
  }

  /// What a function or an example has said.
  package init(_ result: NetworkResult) throws(Misuse) {
    let status = result.response?.status ?? 200
    guard (200...599).contains(status) else {
      throw .message("'status' must be that of a whole answer, from 200 to 599, got \(status)")
    }
    self.init(
      status: status, headers: result.response?.headers ?? Headers(), body: result.body ?? [])
  }

  /// A number of seconds.
  package static func delay(_ value: lull_value) throws(Misuse) -> Double {
    guard let seconds = value.double, (0...longestDelay).contains(seconds) else {
      throw .message("'delay' must be a number of seconds, 0 or more, got \(value.described)")
    }
    return seconds
  }
}
