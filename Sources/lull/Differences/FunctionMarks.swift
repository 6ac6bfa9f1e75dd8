import LullClients
import LullCore
import LullHost

/// What functions of an API file do, as texts that are the same for the same: their tokens, and those of the local
/// functions of the same text that they name. (REV-04, REV-18)
final class FunctionMarks {
  private var texts: [ChunkSource: FunctionsOfText] = [:]

  /// Of functions that a setting has been given.
  func mark(of held: [AnyObject]) -> String {
    held.map { value in
      (value as? KeptValue)?.definitions.map { text(of: $0) }.joined(separator: "; ") ?? ""
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
    let functions = texts[source] ?? FunctionsOfText(FunctionMarks.bytes(of: source))
    texts[source] = functions
    return functions.tokens(ofFunctionsOn: definition.line)
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

/// The functions of a text of Lua.
private struct FunctionsOfText {
  private struct Function {
    /// From `function` to `end`.
    let tokens: Range<Int>
    /// Where the interpreter says that it is defined: on one of the lines from `function` to its parameters.
    let lines: ClosedRange<Int>
    /// nil if it is not a local function with a name.
    let name: String?
  }

  private let tokens: [LineToken]
  private let bytes: [UInt8]
  private var functions: [Function] = []

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    let tokens = LineToken.all(in: bytes)
    self.tokens = tokens
    var (line, position) = (1, 0)
    let lines = tokens.map { token in
      line += bytes[position..<token.range.lowerBound].count { $0 == 10 }
      position = token.range.lowerBound
      return line
    }
    var blocks: [(isFunction: Bool, place: Int)] = []
    for (place, token) in tokens.enumerated() where token.kind == .keyword {
      switch token.text {
      case "function", "do", "if", "repeat":
        blocks.append((token.isKeyword("function"), place))
      case "end", "until":
        guard let block = blocks.popLast(), block.isFunction else { continue }
        let list = tokens[block.place...place].firstIndex { $0.isSymbol("(") } ?? place
        functions.append(
          Function(
            tokens: block.place..<place + 1, lines: lines[block.place]...lines[list],
            name: FunctionsOfText.localName(ofFunctionAt: block.place, in: tokens)))
      default: break
      }
    }
  }

  /// The name in `local function name` and `local name <const> = function`.
  private static func localName(ofFunctionAt place: Int, in tokens: [LineToken]) -> String? {
    guard place > 0 else { return nil }
    if tokens[place - 1].isKeyword("local") { return tokens[place + 1].text }
    guard tokens[place - 1].isSymbol("=") else { return nil }
    var index = place - 2
    if index > 2, tokens[index].isSymbol(">") { index -= 3 }
    guard index > 0, tokens[index].kind == .name, tokens[index - 1].isKeyword("local") else {
      return nil
    }
    return tokens[index].text
  }

  /// The tokens of the function that is defined on a line, of all if there are several, and of the local functions
  /// that it names, and so on.
  func tokens(ofFunctionsOn line: Int) -> String {
    var taken = functions.indices.filter { functions[$0].lines.contains(line) }
    var next = 0
    while next < taken.count {
      let names = names(in: functions[taken[next]].tokens)
      next += 1
      taken += functions.indices.filter { index in
        functions[index].name.map { names.contains($0) } ?? false && !taken.contains(index)
      }
    }
    return taken.map { index in
      functions[index].tokens.map { String(escaping: bytes[tokens[$0].range]) }
        .joined(separator: " ")
    }.joined(separator: "; ")
  }

  /// Without those of fields.
  private func names(in range: Range<Int>) -> Set<String> {
    Set(
      range.filter { place in
        tokens[place].kind == .name
          && !(place > 0 && (tokens[place - 1].isSymbol(".") || tokens[place - 1].isSymbol(":")))
      }.map { tokens[$0].text })
  }
}
