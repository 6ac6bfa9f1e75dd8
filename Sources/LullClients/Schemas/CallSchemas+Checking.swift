import LullCore
import LullSchemas

/// Checks schemas for `lull check`.
extension CallSchemas {
  /// Returns the problems of all schemas in use, each with the name of its call. The name is nil
  /// for a problem of the whole file. A problem in a shared schema is reported once.
  func problems(of calls: [APICall]) -> [(call: String?, text: String)] {
    var problems: [(call: String?, text: String)] = []
    for call in calls {
      guard let schema = call.schema else { continue }
      do throws(SchemaProblem) {
        _ = try validator(of: schema)
      } catch {
        problems.append((call.name, "\(error)"))
      }
    }
    let opened: SchemaFile?
    do throws(SchemaProblem) {
      opened = try openedFile()
    } catch {
      return problems + [(nil, "\(error)")]
    }
    guard let opened else { return problems }
    let damages = opened.problems()
    problems += damages.map { (nil, "\($0)") }
    let declared = Set(calls.map(\.name))
    for name in opened.calls where !declared.contains(name) {
      problems.append((nil, "\(path ?? ""): has a schema for '\(name)', which is not a call"))
    }
    let pointers = calls.flatMap { call in
      CallSchemas.pointers(of: call.name, in: opened).map { (call: call.name, pointer: $0) }
    }
    for (place, problem) in SchemaValidator.problems(at: pointers.map(\.pointer), in: opened)
    where !damages.contains(problem) {
      problems.append((pointers[place].call, "\(problem)"))
    }
    return problems
  }

  /// Returns the JSON pointers of all schemas that the schemas file has for a call.
  private static func pointers(of call: String, in file: SchemaFile) -> [String] {
    guard let entry = try? file.call(call) else { return [] }
    let start = "#/calls/\(JSONPointer.escaped(call))"
    var pointers = ["responses", "parameters"].flatMap { group in
      (entry[group]?.pairs ?? []).map { "\(start)/\(group)/\(JSONPointer.escaped($0.key))" }
    }
    if entry["body"] != nil { pointers.append("\(start)/body") }
    return pointers
  }
}
