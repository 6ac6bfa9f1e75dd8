import LullCore
import LullHost

extension CallExchange {
  /// Loads pages and writes them as one list: the elements of those that are lists, the others as
  /// they are. Formats of lines are written page by page.
  func runPages(_ walk: PageWalk) -> Int32 {
    override(api.service)
    if options.isVerbose { trace(walk) }
    var elements: [UInt8] = []
    var count = 0
    var code: Int32 = 0
    do throws(ContentFilter.Problem) {
      let filter = try ContentFilter(host, options.filter)
      while count < options.pages ?? 1 {
        let step = walk.next()
        guard case .page(let entity) = step else {
          if count == 0, case .failed(let error) = step {
            code = write(.failure(error), nil, nil)
          } else {
            code = report(step)
          }
          break
        }
        count += 1
        let root: JSONText
        if case .json(let document) = entity.content, options.filter == nil {
          root = JSONText(document.root, spelledBy: spelling.bytes)
        } else {
          root = JSONText(try filter.json(of: entity.content, service: api.service).root)
        }
        if options.format == .ndjson || options.format == .lines {
          guard Output.write(text.bytes(of: root)) else { return 0 }
          continue
        }
        for element in root.lines {
          elements.append(UInt8(ascii: elements.isEmpty ? "[" : ","))
          element.write(to: &elements)
        }
      }
    } catch {
      Exit.complain(error.report)
      code = 1
    }
    if options.format != .ndjson, options.format != .lines, count > 0 {
      elements += elements.isEmpty ? "[]".utf8 : "]".utf8
      _ = Output.write(text.bytes(of: JSONText(valid: elements)))
    }
    host.runUntilIdle()
    return code
  }

  private func trace(_ walk: PageWalk) {
    let trace = ExchangeTrace(style)
    walk.onStart = { request in
      if let request { trace.show(sent: request) } else { trace.showNothingIsSent() }
    }
    walk.onAnswer = { trace.show($0, of: $1) }
  }

  private func report(_ step: PageWalk.Step) -> Int32 {
    switch step {
    case .page, .end: return 0
    case .failed(let error):
      Exit.complain(CallExchange.text(of: error))
      return CallExchange.exitCode(of: error)
    case .raised(let report):
      Exit.complain(report)
      return 1
    }
  }
}
