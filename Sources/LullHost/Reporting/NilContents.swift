import CLullBridge
import LullCore
import LullLuaSource

/// Records where scripts recently read a `content` that was nil, and the object to which the
/// content belongs. These records are used to explain an error that results from the nil.
///
/// A read is identified by the coroutine, the line and the object. An error is explained only if
/// the source shows two things. First, the nil in the error comes from a line with a recorded read.
/// Second, the expression on that line starts from a Lull object and gets the content by calling
/// only Lull functions. Otherwise the nil may be another value. (NIL-01 to NIL-05)
final class NilContents {
  private static let capacity = 16

  /// The reason why an object had no content when the content was read.
  private enum Absence {
    case notLoaded
    case loading
    case failed(method: String?, status: Int?, message: String)
  }

  private struct Read {
    let position: lull_position
    let kind: HandleKind
    let url: String
    let absence: Absence

    func isMade(at other: lull_position) -> Bool {
      position.line == other.line && position.thread == other.thread
        && position.source == other.source
    }

    func isOfSameObject(as other: Read) -> Bool { kind == other.kind && url == other.url }

    var explanation: String {
      let url = LogText.url(url)
      switch absence {
      case .notLoaded: return "\(url) has no content yet: load it first, and await the load"
      case .loading: return "\(url) is still loading: await the load first"
      case .failed(let method, let status, let message):
        let asked = [method ?? "GET", url].joined(separator: " ")
        let owner = kind == .error ? "error" : "resource"
        guard let status else { return "\(asked) failed: \(message); the \(owner) has no content" }
        let phrase = StatusPhrase.text(for: status)
        let more = message == phrase ? "" : " (\(message))"
        return "\(asked) returned \(status) \(phrase)\(more); the \(owner) has no content"
      }
    }
  }

  let bridge: BridgeRuntime
  private let handles: ObjectHandles
  let sources: ChunkSources
  /// The recent reads, oldest first.
  private var reads: [Read] = []

  init(_ handles: ObjectHandles, _ sources: ChunkSources) {
    bridge = handles.bridge
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
    var position = lull_position()
    lull_position_of_caller(state, &position)
    guard position.line > 0 else { return }
    let read = Read(position: position, kind: kind, url: url, absence: absence)
    reads.removeAll { $0.isMade(at: position) && $0.isOfSameObject(as: read) }
    if reads.count == NilContents.capacity { reads.removeFirst() }
    reads.append(read)
  }

  // MARK: Errors

  /// Returns the explanation of the error that ended a run, or nil if there is no explanation. The
  /// Lua stack of the run must still exist.
  func explanation(of failure: ScriptFailure, in run: inout lull_run) -> String? {
    guard !reads.isEmpty, failure.isText, let frames = failure.trace.stacks.first,
      let innermost = frames.first
    else { return nil }
    // The loop calls a list iterator, so the iterator's failure belongs to the frame of the loop.
    let level = innermost.kind == .c && innermost.name == "for iterator" ? 1 : 0
    guard level < frames.count, frames[level].kind == .lua else { return nil }
    let frame = frames[level]
    var position = lull_position()
    lull_position_of_failure(&run, Int32(level), &position)
    guard position.line == frame.line, let text = sources.text(of: frame.source),
      let place = read(by: failure.message, in: frame, isLoop: level == 1, text)
    else { return nil }
    position.line = Int32(clamping: place.line)
    let made = reads.filter { $0.isMade(at: position) }
    let isDirect = level == 1 || failure.message.hasSuffix(" (field 'content')")
    switch origin(of: place, in: &run, Int32(level)) {
    case .object(let kind, let url)?:
      return made.last { $0.kind == kind && $0.url == url }?.explanation
    case .any(let kind)?:
      // If one expression both reads the content and fails, the read in that expression is the last
      // read. If the content was in a variable, other content may have been read later.
      guard let read = made.last, read.kind == kind,
        isDirect || made.allSatisfy({ $0.isOfSameObject(as: read) })
      else { return nil }
      return read.explanation
    case nil: return nil
    }
  }

  private func read(
    by message: String, in frame: TraceFrame, isLoop: Bool, _ text: [UInt8]
  ) -> ContentRead? {
    if isLoop { return ContentRead(loopOn: frame.line, of: text) }
    let position = "\(frame.shortSource):\(frame.line): "
    guard message.hasPrefix(position) else { return nil }
    return ContentRead(String(message.dropFirst(position.count)), line: frame.line, of: text)
  }

  /// The object whose content was read.
  private enum Origin {
    case object(HandleKind, url: String)
    /// An object of this kind, returned by calls on the line. It is not known which object, because
    /// the calls are not repeated to find out.
    case any(HandleKind)
  }

  /// Returns the object whose content was read at a place. Returns nil if the object may not be a
  /// Lull object.
  private func origin(of place: ContentRead, in run: inout lull_run, _ level: Int32) -> Origin? {
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
      return nil
    }
    let rest = place.steps.dropFirst(Int(walked))
    guard !rest.isEmpty else { return url(of: value, kind).map { .object(kind, url: $0) } }
    for step in rest {
      guard let next = NilContents.kind(behind: step, of: kind) else { return nil }
      kind = next
    }
    return .any(kind)
  }

  private func url(of value: lull_value, _ kind: HandleKind) -> String? {
    switch kind {
    case .resource: handles.object(value, kind, as: Resource.self)?.url.text
    case .error: handles.object(value, kind, as: ErrorBox.self)?.error.url
    default: nil
    }
  }

  /// Returns the kind of object that a call or property of an object of kind `kind` returns,
  /// whatever the arguments. Returns nil if the kind is not known.
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
