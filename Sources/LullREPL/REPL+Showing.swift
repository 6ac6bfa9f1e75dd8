import LullLibC
import LullCore
import LullHost
import LullSystem

/// The values of a line, some of which are requests that it waits for.
struct PendingValues {
  enum Item {
    case text(String)
    case request(Request)
  }

  let items: [Item]
  let number: Int

  /// The number of the first one, if that is a request.
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

  /// One that has ended.
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
  /// Whether a snapshot can be made of it: no table has elements and fields, or keys that are no texts, and nothing in
  /// it is a function or an object.
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
  /// Where a person sits requests are waited for, and shown when they have ended: `showPending`.
  func show(_ values: SessionValues) {
    guard values.count > 0 else { return }
    lastNumber = values.number
    lastHasValue = true
    lastIsAwaited = isInteractive && values.request(0) != nil
    lastRequest = isInteractive ? nil : values.request(0)
    if values.request(0) == nil { lastResult = TypedResult(values.shown(0)) }
    let items: [PendingValues.Item] = (0..<values.count).map { position in
      if isInteractive, let request = values.request(position) { return .request(request) }
      // An explanation is there to be read.
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

  /// What has been waited for; false if a request has failed.
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

  /// Nothing is waited for any more: a request that has a number is data from now on.
  func settlePending() {
    if let number = pending?.numberOfRequest { session.settle(number) }
    pending = nil
  }

  /// On one line if they are all short, else one below the other.
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
