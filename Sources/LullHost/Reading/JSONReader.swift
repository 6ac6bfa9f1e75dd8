import CLullBridge
import LullLibC
import LullCore

/// Encodes script values as JSON.
package struct JSONReader {
  private let bridge: BridgeRuntime
  private let handles: ObjectHandles

  init(_ bridge: BridgeRuntime, _ handles: ObjectHandles) {
    self.bridge = bridge
    self.handles = handles
  }

  /// The reason why a value has no JSON form, and where in the content that value is.
  package struct Problem: Error {
    package let text: String
  }

  /// Returns the JSON text of the value at a stack index.
  package func text(of state: OpaquePointer?, _ index: Int32) -> Result<[UInt8], Problem> {
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
        Problem(text: "it contains a Secret, which is only allowed in the body of a request"))
    }
    guard MemoryLedger.allows(result.length) else {
      return .failure(Problem(text: "not enough memory"))
    }
    return .success(
      Array(UnsafeRawBufferPointer(start: result.bytes, count: result.length)))
  }

  /// Returns a request body with the JSON text of the value at a stack index. The strings inside
  /// the value may be secrets.
  func body(of state: OpaquePointer?, _ index: Int32) -> Result<RequestBody, Problem> {
    var result = lull_json_result()
    guard lull_json_encode(state, index, 0, &result) == 0 else {
      return .failure(problem(of: result))
    }
    defer {
      free(result.bytes)
      free(result.secrets)
    }
    guard MemoryLedger.allows(result.length) else {
      return .failure(Problem(text: "not enough memory"))
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

  private func problem(of result: lull_json_result) -> Problem {
    if result.lacks_room != 0 { lull_memory_pass(bridge.pointer) }
    return withUnsafeBytes(of: result.problem) { raw in
      Problem(text: String(escapingCut: raw.prefix { $0 != 0 }))
    }
  }
}
