import LullCore
import LullHost

extension CallExchange {
  /// Loads pages and writes them as one list: the elements of those that are lists, the others as
  /// they are. Formats of lines are written page by page.
  func runPages(_ walk: PageWalk) -> Int32 {
    override(api.service)
    var elements: [UInt8] = []
    var count = 0
    var code: Int32 = 0
    do throws(ContentFilter.Problem) {
      let filter = try ContentFilter(host, options.filter)
      while count < options.pages ?? 1 {
        let step = walk.next()
        guard case .page(let entity) = step else {
          code = report(step)
          break
        }
        count += 1
        let root: JSONElement
        if case .json(let document) = entity.content, options.filter == nil {
          root = document.root
        } else {
          root = try filter.json(of: entity.content, service: api.service).root
        }
        if options.format == .ndjson || options.format == .lines {
          guard Output.write(text.bytes(of: .json(root))) else { return 0 }
          continue
        }
        for element in root.kind == .array ? Array(root.elements) : [root] {
          elements.append(UInt8(ascii: elements.isEmpty ? "[" : ","))
          element.encode(into: &elements)
        }
      }
    } catch {
      Exit.complain(error.report)
      code = 1
    }
    if options.format != .ndjson, options.format != .lines, count > 0 {
      elements += elements.isEmpty ? "[]".utf8 : "]".utf8
      if let document = try? JSONDocument(parsing: elements) {
        _ = Output.write(text.bytes(of: .json(document.root)))
      }
    }
    host.runUntilIdle()
    return code
  }

  private var text: ContentText {
    ContentText(format: options.format, columns: options.columns, style: style)
  }

  private func report(_ step: PageWalk.Step) -> Int32 {
    switch step {
    case .page, .end: return 0
    case .failed(let error):
      Exit.complain("lull: \(error.longDescription)\n")
      return CallExchange.exitCode(of: error)
    case .raised(let report):
      Exit.complain(report)
      return 1
    }
  }
}
