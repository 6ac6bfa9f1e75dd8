import LullLibC
import LullCore
import LullHost
import LullSystem

/// The values of a line, while the session waits for requests among the values before it shows
/// them.
struct PendingValues {
  enum Item {
    case text(String)
    case request(Request)
  }

  let items: [Item]
  let number: Int

  /// The index of the first value in `Out`. `nil` if the first value is not a request or is not in
  /// `Out`.
  var numberOfRequest: Int? {
    if number > 0, case .request? = items.first { number } else { nil }
  }
}

extension TypedResult {
  fileprivate init(_ shown: ShownValue) {
    switch shown {
    case .atom(let text, .string) where !text.hasSuffix("…"): self = .literal(text)
    case .atom(let text, .number) where text.contains(where: \.isNumber): self = .literal(text)
    case .atom(let text, .word) where text != "null": self = .literal(text)
    case .list, .map: self = shown.isLikeJSON ? .table : .mixed
    default: self = .object
    }
  }

  /// The result of a request that has completed.
  init(_ request: Request) {
    switch request.response?.outcome {
    case .success: self = .success
    case .failure(let error):
      let status = error.httpStatusCode.map { "status = \($0)" }
      let kind = error.cause.map { "kind = \"\($0.kind)\"" }
      self = (status ?? kind).map { .failure($0) } ?? .object
    case nil: self = .object
    }
  }
}

extension ShownValue {
  /// Whether a test can contain a snapshot of the value. A table must not have both elements and
  /// fields, and its keys must be strings. Functions and objects are not allowed.
  fileprivate var isLikeJSON: Bool {
    switch self {
    case .atom(let text, .number): text.contains(where: \.isNumber)
    case .atom(let text, let style): style != .object && text != "<cycle>"
    case .list(let elements, _): elements.allSatisfy(\.isLikeJSON)
    case .map(let fields, _):
      fields.allSatisfy { field in
        let isText = !field.key.hasPrefix("[") || field.key.hasPrefix("[\"")
        return isText && !field.key.isEmpty && field.value.isLikeJSON
      }
    case .titled(_, let value): value.isLikeJSON
    }
  }
}

extension REPL {
  /// Shows the values of a line. In an interactive session, requests among the values are awaited
  /// first. `showPending` then shows the values when the requests have completed.
  func show(_ values: SessionValues) {
    guard values.count > 0 else { return }
    lastNumber = values.number
    lastHasValue = true
    lastIsAwaited = isInteractive && values.request(0) != nil
    lastRequest = isInteractive ? nil : values.request(0)
    if values.request(0) == nil { lastResult = TypedResult(values.shown(0)) }
    let items: [PendingValues.Item] = (0..<values.count).map { position in
      if isInteractive, let request = values.request(position) { return .request(request) }
      // The text of an explanation is shown without quotes.
      if let text = values.string(position), text == keeper.explanation {
        return .text(String(text.dropLast(text.hasSuffix("\n") ? 1 : 0)))
      }
      return .text(layout.text(values.shown(position)))
    }
    guard !values.isInterrupted else { return }
    let requests = items.compactMap { if case .request(let request) = $0 { request } else { nil } }
    let pending = PendingValues(items: items, number: values.number)
    guard !requests.isEmpty else { return write(pending) }
    session.awaited = requests
    self.pending = pending
  }

  /// Shows the values of a line for which the session has waited. Returns `false` if a request has
  /// failed.
  func showPending() -> Bool {
    guard let pending else { return true }
    settlePending()
    write(pending)
    var isDone = true
    for case .request(let request) in pending.items {
      if lastResult == .nothing { lastResult = TypedResult(request) }
      guard let report = session.report(of: request) else { continue }
      complain(report)
      isDone = false
    }
    return isDone
  }

  /// Ends the wait for the values of a line. If the first value is a request that is in `Out`, the
  /// data of the request becomes the value of `_`.
  func settlePending() {
    if let number = pending?.numberOfRequest { session.settle(number) }
    pending = nil
  }

  /// Writes the values on one line if each of them fits on one line. Otherwise each value begins on
  /// a new line.
  private func write(_ values: PendingValues) {
    let texts = values.items.map { item in
      switch item {
      case .text(let text): text
      case .request(let request): layout.text(session.shown(request))
      }
    }
    let isShort = texts.allSatisfy { !$0.contains("\n") }
    var label = ""
    if values.number > 0 {
      label = layout.painted("Out[\(values.number)]:", .faint) + (isShort ? " " : "\n")
    }
    StandardOutput.write(label + texts.joined(separator: isShort ? "\t" : "\n") + "\n")
  }

  var layout: ShownValueText {
    guard isatty(STDOUT_FILENO) != 0 else { return ShownValueText(width: 100, colours: false) }
    return ShownValueText(width: Terminal.width(STDOUT_FILENO), colours: Terminal.wantsColour)
  }
}
