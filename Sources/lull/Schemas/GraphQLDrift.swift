import LullClients
import LullCore
import LullGraphQL
import LullHost
import LullSchemas
import LullSystem

/// `lull drift API --schema SCHEMA`: compares the GraphQL operations of an API with a newer schema.
struct GraphQLDrift {
  private struct Finding {
    let change: GraphQLChange
    let document: GraphQLOperations.Document

    var tier: DriftFinding.Tier {
      switch change.severity {
      case .breaking: .breaking
      case .changed: .changed
      case .added: .added
      }
    }

    var calls: String { document.calls(at: change.place).joined(separator: ", ") }
    var place: String { document.shown(change.place) }
  }

  /// The name or path of the API.
  let word: String
  let source: GraphQLSource
  /// The lowest tier that makes the command fail.
  let limit: DriftFinding.Tier?
  let format: OutputFormat
  let guardsFormulas: Bool

  func run() -> Int32 {
    do throws(CommandFailure) {
      guard let path = APIFileLocator.file(of: word) else {
        throw CommandFailure(code: 3, message: "lull: \(APIFileLocator.missing(word))\n")
      }
      let operations = try GraphQLOperations(ofFile: path)
      guard !operations.documents.isEmpty || !operations.problems.isEmpty else {
        throw CommandFailure(
          code: 3, message: "lull: \(path) has no calls with GraphQL operations to compare\n")
      }
      return source.read { compare(operations, with: $0) }
    } catch {
      return error.tell()
    }
  }

  private func compare(_ operations: GraphQLOperations, with newer: GraphQLSource.Schema) -> Int32 {
    for note in newer.notes + operations.problems {
      Exit.complain("lull: \(ControlCharacters.shownInLine(note))\n")
    }
    let findings = operations.documents.flatMap { document in
      newer.schema.changes(since: operations.schema, in: document.document).map {
        Finding(change: $0, document: document)
      }
    }.enumerated().sorted {
      ($0.element.tier, $0.offset) < ($1.element.tier, $1.offset)
    }.map(\.element)
    if format == .table {
      _ = Output.write(findings.map(text).joined())
    } else {
      show(findings)
    }
    tell(findings, operations)
    if let limit, findings.contains(where: { $0.tier <= limit }) { return 7 }
    return operations.problems.isEmpty && !operations.documents.isEmpty ? 0 : 3
  }

  // MARK: Output

  private static let widest = 100

  /// The tier, the place and the message, and the line with a caret below it.
  private func text(of finding: Finding) -> String {
    let head =
      "\(finding.place): \(finding.tier.rawValue): \(finding.change.message) (\(finding.calls))"
    var result = ControlCharacters.shownInLine(head) + "\n"
    let place = finding.change.place
    let line = finding.document.document.line(place.line)
    guard line.unicodeScalars.count <= GraphQLDrift.widest else { return result }
    let shown = { (text: String) in
      ControlCharacters.shownInLine(text.replacing("\t", with: "  "))
    }
    let before = TextWidth.of(shown(String(line.unicodeScalars.prefix(place.column - 1))))
    let number = "\(place.line + finding.document.start.lines)"
    result += "  \(number) | \(shown(line))\n"
    let gutter = String(repeating: " ", count: number.count)
    return result + "  \(gutter) | \(String(repeating: " ", count: before))^\n"
  }

  private func show(_ findings: [Finding]) {
    let rows = findings.map { finding in
      JSONValue.object([
        .init("tier", .string(finding.tier.rawValue)),
        .init("change", .string(finding.change.kind.rawValue)),
        .init("call", .string(finding.calls)), .init("place", .string(finding.place)),
        .init("message", .string(finding.change.message)),
      ])
    }
    guard let bytes = try? JSONValue.array(rows).encode() else { return }
    let text = ContentText(
      format: format, columns: [], style: .forStandardOutput(), guardsFormulas: guardsFormulas)
    _ = Output.write(text.bytes(of: JSONText(valid: bytes)))
  }

  private func tell(_ findings: [Finding], _ operations: GraphQLOperations) {
    let tiers: [DriftFinding.Tier] = [.breaking, .changed, .added]
    let counts = tiers.compactMap { tier in
      let count = findings.count { $0.tier == tier }
      return count == 0 ? nil : "\(count) \(tier.rawValue)"
    }
    let calls = operations.documents.reduce(0) { $0 + $1.calls.count }
    Exit.complain(
      "lull: \(calls == 1 ? "1 operation" : "\(calls) operations") compared: "
        + (counts.isEmpty ? "no changes" : counts.joined(separator: ", ")) + "\n")
  }
}
