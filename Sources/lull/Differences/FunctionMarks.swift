import LullClients
import LullCore
import LullHost
import LullLuaSource

/// Fingerprints of functions in an API file, which are equal for equal code. Each consists of the
/// tokens of the function and of the local functions of the same file that it uses. (REV-04,
/// REV-18)
final class FunctionMarks {
  private var texts: [ChunkSource: FunctionTexts] = [:]

  /// The fingerprint of the functions in a setting.
  func mark(of held: [AnyObject]) -> String {
    held.map { value in
      (value as? StoredValue)?.definitions.map { text(of: $0) }.joined(separator: "; ") ?? ""
    }.joined(separator: "\n")
  }

  /// The fingerprint of the stages of a pipeline, independent of their source lines.
  func mark(of pipeline: Pipeline, _ fingerprint: Int) -> String {
    var marks = ["\(fingerprint)"]
    for stage in pipeline.comparedStages {
      marks.append(stage.name)
      for part in stage.parts {
        switch part {
        case .described(let text): marks.append(text)
        case .functions(let holder): marks += [holder.functionUse, mark(of: holder.heldFunctions)]
        }
      }
    }
    return marks.joined(separator: "\n")
  }

  /// The fingerprint of the function that finds the next page of a call.
  func mark(ofPages call: APICall, _ text: String) -> String {
    text + "\n" + (call.pagesDefinition.map { self.text(of: $0) } ?? "")
  }

  private func text(of definition: TraceFrame) -> String {
    let source = definition.source
    let functions = texts[source] ?? FunctionTexts(FunctionMarks.bytes(of: source))
    texts[source] = functions
    return functions.tokens(ofFunctionsOn: definition.line)
      .map { tokens in tokens.map { String(escaping: $0) }.joined(separator: " ") }
      .joined(separator: "; ")
  }

  /// The bytes of the source. Empty if the source is not available.
  private static func bytes(of source: ChunkSource) -> [UInt8] {
    switch source {
    case .file(let path): (try? TextFile.read(path).get()) ?? []
    case .text(let text): text
    case .named, .unknown: []
    }
  }
}
