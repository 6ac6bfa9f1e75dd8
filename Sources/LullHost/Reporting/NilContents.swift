import CLullBridge
import LullCore

/// Where scripts have read a `content` that was nil lately, and of what: an error that comes of it can say so.
///
/// A read is known by the level of the stack and the line it was made from. An error is explained only if
/// the source says that its nil was read on such a line, and what is there now leads to an object of Lull
/// by functions of Lull's only: else another value may have been read there. (NIL-01 to NIL-05)
package final class NilContents {
  private static let capacity = 16

  /// What there was in the place of content when it was read.
  private enum Absence {
    case notLoaded
    case loading
    case failed(method: String?, status: Int?, message: String)
  }

  private struct Read {
    var activation: lull_activation
    var kind: HandleKind
    var url: String
    var absence: Absence

    func isMade(by other: lull_activation) -> Bool {
      activation.call == other.call && activation.line == other.line
        && activation.thread == other.thread && activation.source == other.source
    }

    var explanation: String {
      let url = LogText.url(url)
      switch absence {
      case .notLoaded: return "\(url) has none: load it, and await that, first"
      case .loading: return "\(url) is still being loaded: await that first"
      case .failed(let method, let status, let message):
        let asked = [method ?? "GET", url].joined(separator: " ")
        let owner = kind == .error ? "error" : "resource"
        guard let status else { return "\(asked) failed: \(message); the \(owner) has no content" }
        let phrase = StatusPhrase.text(for: status)
        let more = message == phrase ? "" : " (\(message))"
        return "\(asked) was answered with \(status) \(phrase)\(more); the \(owner) has no content"
      }
    }
  }

  let bridge: BridgeRuntime
  private let handles: ObjectHandles
  let sources: ChunkSources
  private var reads: [Read] = []
  private var oldest = 0

  init(_ bridge: BridgeRuntime, _ handles: ObjectHandles, _ sources: ChunkSources) {
    self.bridge = bridge
    self.handles = handles
    self.sources = sources
  }

  // MARK: Reads

  func note(_ resource: Resource, readIn state: OpaquePointer?) {
    let absence: Absence =
      if let error = resource.latestError {
        .failed(
          method: error.method?.rawValue, status: error.httpStatusCode, message: error.userMessage)
      } else {
        resource.isLoading ? .loading : .notLoaded
      }
    note(.resource, resource.url.text, absence, state)
  }

  func note(_ error: RequestError, readIn state: OpaquePointer?) {
    guard let url = error.url else { return }
    note(
      .error, url,
      .failed(
        method: error.method?.rawValue, status: error.httpStatusCode, message: error.userMessage),
      state)
  }

  private func note(
    _ kind: HandleKind, _ url: String, _ absence: Absence, _ state: OpaquePointer?
  ) {
    var activation = lull_activation()
    lull_activation_of_caller(state, &activation)
    guard activation.line > 0 else { return }
    let read = Read(activation: activation, kind: kind, url: url, absence: absence)
    if let place = reads.firstIndex(where: { $0.isMade(by: activation) }) {
      reads[place] = read
    } else if reads.count < NilContents.capacity {
      reads.append(read)
    } else {
      reads[oldest] = read
      oldest = (oldest + 1) % NilContents.capacity
    }
  }

  // MARK: Errors

  /// What is to be said of the error that a run has ended with, whose stack is still there; nil for
  /// nothing.
  func explanation(of failure: ScriptFailure, in run: inout lull_run) -> String? {
    guard !reads.isEmpty, failure.isText, let frames = failure.trace.stacks.first,
      let innermost = frames.first
    else { return nil }
    // What walks through a list is called by the loop, and fails for it.
    let level = innermost.kind == .c && innermost.name == "for iterator" ? 1 : 0
    guard level < frames.count, frames[level].kind == .lua else { return nil }
    let frame = frames[level]
    var activation = lull_activation()
    lull_activation_of_failure(&run, Int32(level), &activation)
    guard activation.line == frame.line, let text = sources.text(of: frame.source),
      let place = read(by: failure.message, in: frame, isLoop: level == 1, text)
    else { return nil }
    activation.line = Int32(clamping: place.line)
    guard let read = reads.first(where: { $0.isMade(by: activation) }),
      leads(place, to: read, in: &run, Int32(level))
    else { return nil }
    return read.explanation
  }

  private func read(
    by message: String, in frame: TraceFrame, isLoop: Bool, _ text: [UInt8]
  ) -> ContentRead? {
    if isLoop { return ContentRead(loopOn: frame.line, of: text) }
    let position = "\(frame.shortSource):\(frame.line): "
    guard message.hasPrefix(position) else { return nil }
    return ContentRead(String(message.dropFirst(position.count)), line: frame.line, of: text)
  }

  /// Whether nothing but an object of Lull can have been read there, and if it can be told, that one.
  private func leads(_ place: ContentRead, to read: Read, in run: inout lull_run, _ level: Int32)
    -> Bool
  {
    var keys = ""
    let fields = place.steps.prefix { step in
      switch step {
      case .field(let name):
        guard !name.utf8.contains(where: { $0 < 2 }) else { return false }
        keys += name + "\0"
      case .index(let index): keys += "\u{1}\(index)\0"
      case .call, .method: return false
      }
      return true
    }
    var value = lull_value()
    let walked = lull_failed_variable(
      bridge.pointer, &run, level, place.variable, keys, Int32(fields.count), &value)
    guard value.kind == Int32(LULL_OBJECT), var kind = HandleKind(rawValue: value.aux) else {
      return false
    }
    let rest = place.steps.dropFirst(Int(walked))
    guard !rest.isEmpty else { return url(of: value, kind) == read.url && kind == read.kind }
    for step in rest {
      guard let next = NilContents.kind(behind: step, of: kind) else { return false }
      kind = next
    }
    return kind == read.kind
  }

  private func url(of value: lull_value, _ kind: HandleKind) -> String? {
    switch kind {
    case .resource: handles.object(value, kind, as: Resource.self)?.url.text
    case .error: handles.object(value, kind, as: ErrorBox.self)?.error.url
    default: nil
    }
  }

  /// What kind of object a call or a property gives, whatever its arguments are.
  private static func kind(behind step: ContentRead.Step, of kind: HandleKind) -> HandleKind? {
    switch (kind, step) {
    case (.service, .call): .resource
    case (.service, .method(let name)):
      ["resource", "resource_at", "resource_under"].contains(name) ? .resource : nil
    case (.resource, .method(let name)): resources.contains(name) ? .resource : nil
    case (.request, .field("resource")), (.observation, .field("resource")): .resource
    default: nil
    }
  }

  private static let resources = [
    "child", "relative", "with_param", "with_params", "invalidate", "wipe", "add_observer",
    "remove_observers",
  ]
}
