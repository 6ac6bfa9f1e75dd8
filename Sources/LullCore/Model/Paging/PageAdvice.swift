/// The advice in an error message on how to request the next page.
enum PageAdvice {
  case cursor(field: String, parameter: String)
  case lastRow(field: String, rows: String, more: String?)
  /// Number the pages with this query parameter.
  ///
  /// - Parameter first: The number of the first page.
  case page(String, first: Int)
  case offset(String)
  /// Read this header, which only a function of the script can do, into the query parameter.
  case header(String, parameter: String)
  case unknown
}

extension PageProgress.Words {
  /// Returns the advice to name the field that contains the list.
  func itemsAdvice(_ way: NextPage) -> String {
    let option = if case .offset = way { "offset" } else { "page" }
    switch style {
    case .command: return "name the field of the list with --rows"
    case .script: return "name the field of the list with 'items' of '\(option)'"
    case .call:
      return "name the field of the list with 'items' of '\(option)' in 'pages' of the call"
    case .swift: return "name the field of the list with 'items:'"
    }
  }

  /// Returns the advice on the option to use, in the syntax of the command, an API file, Lua or
  /// Swift.
  func text(_ advice: PageAdvice) -> String {
    switch style {
    case .command:
      switch advice {
      case .cursor(let field, let parameter): return "pass --cursor \(field)=\(parameter)"
      case .lastRow(let field, _, _):
        return "pass --cursor \(field)=PARAM for a parameter that takes the last row's \(field)"
      case .page(let parameter, let first):
        return "pass --page \(parameter)" + (first == 1 ? "" : " \(parameter)==\(first)")
      case .offset(let parameter): return "pass --offset \(parameter)"
      case .header(let name, let parameter):
        return "no option reads a header; in a script, pages{ next = function } can read "
          + "'\(name)' into '\(parameter)'"
      case .unknown: return "pass --cursor FIELD=PARAM, --page PARAM or --offset PARAM"
      }
    case .script, .call:
      let way =
        switch advice {
        case .cursor(let field, let parameter):
          "cursor = { param = \"\(parameter)\", field = \"\(field)\" }"
        case .lastRow(let field, let rows, let more):
          "cursor = { param = …, field = \"\(field)\", items = \"\(rows)\""
            + (more.map { ", more = \"\($0)\" }" } ?? " }")
        case .page(let parameter, let first):
          "page = { param = \"\(parameter)\"" + (first == 1 ? " }" : ", first = \(first) }")
        case .offset(let parameter): "offset = { param = \"\(parameter)\" }"
        case .header(let name, let parameter): Self.function(name, parameter)
        case .unknown:
          "cursor = { param = …, field = … }, page = { param = … } or offset = { param = … }"
        }
      return style == .call ? "declare it in 'pages' of the call: \(way)" : "pass \(way)"
    case .swift:
      switch advice {
      case .cursor(let field, let parameter):
        return "pass .cursor(parameter: \"\(parameter)\", field: \"\(field)\")"
      case .lastRow(let field, let rows, _):
        return "pass .cursor(parameter: …, field: \"\(field)\", items: \"\(rows)\")"
      case .page(let parameter, let first):
        return "pass .numbered(parameter: \"\(parameter)\""
          + (first == 1 ? ")" : ", first: \(first))")
      case .offset(let parameter): return "pass .offset(parameter: \"\(parameter)\")"
      case .header(let name, let parameter):
        return "pass .function, which sets the parameter '\(parameter)' to the header '\(name)'"
      case .unknown: return "pass .cursor, .numbered or .offset"
      }
    }
  }
  /// Returns the text of a `next` function for scripts that reads a header.
  private static func function(_ name: String, _ parameter: String) -> String {
    "next = function(_, page) local value = page.latest_data.headers[\"\(name)\"] "
      + "return value and page:with_param(\"\(parameter)\", value) end"
  }

  /// The advice on the setting with which a body is read as JSON.
  var jsonAdvice: String {
    switch style {
    case .command: "pass --as json"
    case .call: "set response_type = \"json\" in the call"
    case .script: "configure response_type = \"json\""
    case .swift: "configure the response type as .json"
    }
  }
}
