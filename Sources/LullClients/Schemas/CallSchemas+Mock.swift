import LullCore
import LullSchemas

/// What `lull mock` takes from schemas.
extension CallSchemas {
  /// An answer that fits the schema of a call's success; nil if it has none, or nothing is found that fits.
  package func example(of call: APICall) -> (status: Int, body: [UInt8])? {
    if case .some(let known) = examples[call.name] { return known }
    let made = makeExample(of: call)
    examples[call.name] = .some(made)
    return made
  }

  private func makeExample(of call: APICall) -> (status: Int, body: [UInt8])? {
    do throws(SchemaProblem) {
      if case .document(let document)? = call.schema {
        return answer(call.usualStatus, try SchemaExample.value(of: document.root))
      }
      guard let file = try openedFile() else { return nil }
      if case .definition(let name)? = call.schema {
        let pointer = "#/$defs/\(JSONPointer.escaped(name))"
        return answer(call.usualStatus, try SchemaExample.value(pointer, in: file))
      }
      let statuses = try file.call(call.name)?["responses"]?.pairs.map(\.key) ?? []
      let exact = statuses.compactMap { Int($0) }.filter { (200..<300).contains($0) }.min()
      guard
        let key = exact.map({ "\($0)" })
          ?? ["2XX", "2xx", "default"].first(where: statuses.contains)
      else { return nil }
      let pointer = "#/calls/\(JSONPointer.escaped(call.name))/responses/\(key)"
      return answer(exact ?? call.usualStatus, try SchemaExample.value(pointer, in: file))
    } catch {
      return nil
    }
  }

  private func answer(_ status: Int, _ value: JSONValue?) -> (status: Int, body: [UInt8])? {
    guard let value, let body = try? value.encode() else { return nil }
    return (status, body)
  }

  /// What is wrong with a parameter, in words; nil if nothing is, or nothing is known.
  package func objection(to value: CallValue, for name: String, of call: String) -> String? {
    let text: [UInt8]?
    switch value {
    case .string(let string): text = try? JSONValue.string(string).encode()
    case .number(let number): text = try? JSONValue.double(number).encode()
    case .integer(let number): text = try? JSONValue.int(number).encode()
    case .boolean(let bool): text = try? JSONValue.bool(bool).encode()
    case .json(let bytes): text = bytes
    default: text = nil
    }
    do throws(SchemaProblem) {
      guard let text, let document = try? JSONDocument(parsing: text),
        let file = try openedFile(), try file.call(call)?["parameters"]?[name] != nil
      else { return nil }
      let pointer =
        "#/calls/\(JSONPointer.escaped(call))/parameters/\(JSONPointer.escaped(name))"
      let found = try validator(pointer, file, isOfAnswer: false).violations(
        of: document.root, limit: 1)
      return found.first.map { "the parameter '\(name)' of call '\(call)' does not fit: \($0)" }
    } catch {
      // It is told by lull check.
      return nil
    }
  }

  /// Whether a request for the call has to have a body, though none of its parameters is required.
  package func requiresBody(_ call: String) -> Bool {
    // What is wrong with the file is told by lull check.
    (try? openedFile()?.call(call)?["body_required"]?.bool) == true
  }

  /// What is wrong with a body that a client has sent, in words; nil if nothing is, or nothing is known.
  package func objection(toBody bytes: [UInt8], of call: String) -> String? {
    do throws(SchemaProblem) {
      guard let file = try openedFile(), try file.call(call)?["body"] != nil else { return nil }
      let document: JSONDocument
      do throws(JSONError) {
        document = try JSONDocument(parsing: bytes)
      } catch {
        return "the body of call '\(call)' is not JSON: \(error)"
      }
      let pointer = "#/calls/\(JSONPointer.escaped(call))/body"
      let found = try validator(pointer, file, isOfAnswer: false).violations(
        of: document.root, limit: 1)
      return found.first.map { "the body of call '\(call)' does not fit: \($0)" }
    } catch {
      // It is told by lull check.
      return nil
    }
  }
}
