import LullClients
import LullCore
import LullHost
import LullLuaSource

/// What functions of an API file do, as texts that are the same for the same: their tokens, and those of the local
/// functions of the same text that they name. (REV-04, REV-18)
final class FunctionMarks {
  private var texts: [ChunkSource: FunctionTexts] = [:]

  /// Of functions that a setting has been given.
  func mark(of held: [AnyObject]) -> String {
    held.map { value in
      (value as? StoredValue)?.definitions.map { text(of: $0) }.joined(separator: "; ") ?? ""
    }.joined(separator: "\n")
  }

  /// Of what is done at its stages, wherever that stands.
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

  /// Of what tells the next page of a call.
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

  /// Nothing where the text is not known.
  private static func bytes(of source: ChunkSource) -> [UInt8] {
    switch source {
    case .file(let path): (try? TextFile.read(path).get()) ?? []
    case .text(let text): text
    case .named, .unknown: []
    }
  }
}
