import CLullBridge
import LullArguments
import LullCore
import LullSystem
import LullTransport

// Implements the Swift functions that the bridge's C code calls. Each gets the host's opaque
// pointer, which `lull_host_attach` returned to C and which is valid until `lull_host_close`.

private func host(_ pointer: UnsafeMutableRawPointer?) -> LuaHost? {
  guard let pointer else { return nil }
  // `lull_host_attach` retained the host, and `lull_host_close` releases it. C does not use the
  // pointer afterwards.
  return Unmanaged<LuaHost>.fromOpaque(pointer).takeUnretainedValue()
}

@c @implementation
func lull_host_attach(
  _ pointer: UnsafeMutableRawPointer!, _ runtime: OpaquePointer!
) -> UnsafeMutableRawPointer! {
  guard let host = host(pointer), let runtime else { return nil }
  host.attach(runtime)
  return Unmanaged.passRetained(host).toOpaque()
}

extension LuaHost {
  /// Calls the member with this number, and returns the outcome of the call for the bridge.
  fileprivate func call(_ method: Int32, _ frame: UnsafeMutablePointer<lull_frame>) -> Int32 {
    let call = Call(self, frame)
    let hadLack = stored.lacksMemory
    do throws(Misuse) {
      try bridge.library.body(method)(call)
      let outcome = frame.pointee.outcome
      if outcome == Int32(LULL_RETURN), stored.takeLackOfMemory(since: hadLack) {
        call.dropResults()
        throw .message("not enough memory")
      }
      return outcome
    } catch {
      frame.pointee.result_count = 1
      let results = lull_frame_results(frame)
      switch error {
      case .message(let text):
        results?[0] = bridge.encode(.string(text))
        return Int32(LULL_RAISE)
      case .argument(let position, let text):
        results?[0] = bridge.encode(.string(text))
        frame.pointee.error_argument = Int32(position)
        return Int32(LULL_RAISE_ARGUMENT)
      case .value(let value):
        results?[0] = bridge.encode(coroutines.raising(value, in: frame.pointee.L))
        return Int32(LULL_RAISE_VALUE)
      }
    }
  }

  /// Creates a host for an interpreter that does not belong to Lull, and attaches the host to the
  /// runtime of that interpreter. Returns the retained pointer to the host, as `lull_host_attach`
  /// does.
  package static func attachedPointer(
    library: LuaLibrary, runtime: OpaquePointer
  ) -> UnsafeMutableRawPointer? {
    guard let environment = try? LoopEnvironment(ownsProcess: false) else { return nil }
    let host = LuaHost(environment: environment, library: library)
    host.reporter.log.enableFromEnvironment()
    host.values.shared.readEnvironment()
    host.attach(runtime)
    return Unmanaged.passRetained(host).toOpaque()
  }
}

@c @implementation
func lull_host_methods(
  _ pointer: UnsafeMutableRawPointer!, _ count: UnsafeMutablePointer<Int32>!
) -> UnsafePointer<lull_method>! {
  guard let library = host(pointer)?.bridge.library else { return nil }
  count.pointee = Int32(library.rows.count)
  return library.rows.baseAddress
}

@c @implementation
func lull_host_arguments(
  _ pointer: UnsafeMutableRawPointer!, _ method: Int32
) -> UnsafePointer<CChar>! {
  host(pointer)?.bridge.library.deriveArguments(method)
}

@c @implementation
func lull_host_call(
  _ pointer: UnsafeMutableRawPointer!, _ method: Int32, _ frame: UnsafeMutablePointer<lull_frame>!
) -> Int32 {
  guard let pointer, let frame else { return Int32(LULL_RETURN) }
  // The pointer is valid for the reason given in `host`, because C holds it during the call.
  return Unmanaged<LuaHost>.fromOpaque(pointer)._withUnsafeGuaranteedRef {
    $0.call(method, frame)
  }
}

@c @implementation
func lull_host_sweep(_ pointer: UnsafeMutableRawPointer!) {
  host(pointer)?.handles.sweep()
}

@c @implementation
func lull_host_note_failure(
  _ pointer: UnsafeMutableRawPointer!, _ failure: UnsafePointer<lull_failure>!
) {
  guard let failure else { return }
  host(pointer)?.coroutines.innerCoroutineFailed(failure.pointee)
}

@c @implementation
func lull_host_knows_failure(
  _ pointer: UnsafeMutableRawPointer!, _ message: UnsafePointer<CChar>!, _ length: Int
) -> Int32 {
  let bytes = UnsafeRawBufferPointer(start: message, count: length)
  return host(pointer)?.coroutines.knowsInnerFailure(bytes) == true ? 1 : 0
}

@c @implementation
func lull_host_report(
  _ pointer: UnsafeMutableRawPointer!, _ failure: UnsafePointer<lull_failure>!,
  _ place: UnsafePointer<CChar>!
) {
  guard let host = host(pointer), let failure, let place else { return }
  // `failure` and `place` are valid during the call.
  var described = ScriptFailure(
    message: String(escaping: failure.pointee.message, failure.pointee.message_length))
  described.isInterruption = failure.pointee.is_interruption != 0
  described.requestError =
    host.handles.object(
      failure.pointee.value, .error, as: ErrorBox.self)?.error
  described.thrown =
    host.handles.object(
      failure.pointee.value, .swiftError, as: SwiftErrorBox.self)?.error
  host.reporter.report(described, in: String(escapingCString: place))
}

@c @implementation
func lull_host_claim(_ pointer: UnsafeMutableRawPointer!, _ handle: UInt64) -> UInt64 {
  host(pointer)?.handles.claim(handle) ?? 0
}

@c @implementation
func lull_host_close(_ pointer: UnsafeMutableRawPointer!) {
  guard let pointer, let host = host(pointer) else { return }
  host.reportEnd()
  host.close()
  // This balances the retain in `lull_host_attach`. C no longer uses the pointer.
  Unmanaged<LuaHost>.fromOpaque(pointer).release()
}

@c @implementation
func lull_host_held(_ pointer: UnsafeMutableRawPointer!) -> Int64 {
  Int64(host(pointer)?.heldBytes ?? 0)
}

@c @implementation
func lull_host_sets_variable(
  _ pointer: UnsafeMutableRawPointer!, _ name: UnsafePointer<CChar>!
) -> Int32 {
  guard let inspection = host(pointer)?.permissions.inspection, let name else { return 0 }
  return inspection.sets(String(cString: name)) ? 1 : 0
}

@c @implementation
func lull_host_print_aside(
  _ pointer: UnsafeMutableRawPointer!, _ text: UnsafePointer<CChar>!, _ length: Int
) {
  guard let text else { return }
  // `text` is valid during the call.
  host(pointer)?.permissions.inspection?.print(String(escaping: text, length))
}

@c @implementation
func lull_host_pass_file(
  _ pointer: UnsafeMutableRawPointer!, _ path: UnsafePointer<CChar>!, _ isText: Int32,
  _ bytes: UnsafeMutablePointer<UnsafePointer<CChar>?>!, _ length: UnsafeMutablePointer<Int>!
) -> Int32 {
  guard let host = host(pointer), let gate = host.permissions.gate, let path, let bytes, let length
  else { return 0 }
  let passes: Bool
  let content: [UInt8]
  switch gate.bytes(ofFile: ByteString(cString: path).bytes) {
  case .success(let text):
    (passes, content) = (true, isText != 0 ? SourceText.withoutFirstLineMarks(text) : text)
  case .failure(let problem): (passes, content) = (false, problem.message)
  }
  guard let memory = lull_arena_allocate(host.bridge.pointer, max(1, content.count)) else {
    return 0
  }
  content.withUnsafeBytes { source in
    // `memory` was just allocated with that many bytes.
    if let start = source.baseAddress { memory.copyMemory(from: start, byteCount: source.count) }
  }
  bytes.pointee = UnsafePointer(memory.assumingMemoryBound(to: CChar.self))
  length.pointee = content.count
  return passes ? 1 : 0
}

@c @implementation
func lull_host_print(_ text: UnsafePointer<CChar>!, _ length: Int, _ end: CChar) {
  guard let text else { return }
  // `text` is valid during the call.
  StandardOutput.print(
    UnsafeRawBufferPointer(start: text, count: length), end: UInt8(bitPattern: end))
}

@c @implementation
func lull_host_write_error(_ text: UnsafePointer<CChar>!) {
  guard let text else { return }
  // `text` is valid during the call.
  StandardError.write(ByteString(cString: text).bytes)
}

@c @implementation
func lull_host_log(_ pointer: UnsafeMutableRawPointer!) -> UInt64 {
  guard let host = host(pointer) else { return 0 }
  return host.handles.insert(host.reporter.log, kind: .log)
}

@c @implementation
func lull_host_secret_mask(
  _ pointer: UnsafeMutableRawPointer!, _ handle: UInt64, _ length: UnsafeMutablePointer<Int>!
) -> UnsafePointer<CChar>! {
  guard let host = host(pointer), let length,
    let secret = host.handles.object(handle, .secret, as: SecretBox.self)
  else { return nil }
  var text = secret.text.masked
  return text.withUTF8 { bytes in
    guard let memory = lull_arena_allocate(host.bridge.pointer, max(1, bytes.count)) else {
      return nil
    }
    // `memory` was just allocated with at least that many bytes.
    memory.copyMemory(
      from: UnsafeRawPointer(
        bytes.baseAddress ?? UnsafePointer(memory.assumingMemoryBound(to: UInt8.self))),
      byteCount: bytes.count)
    length.pointee = bytes.count
    return UnsafePointer(memory.assumingMemoryBound(to: CChar.self))
  }
}

@c @implementation
func lull_host_version() -> UnsafePointer<CChar>! {
  Lull.versionText.cString
}

@c @implementation
func lull_host_suggest(
  _ pointer: UnsafeMutableRawPointer!, _ kind: Int32, _ name: UnsafePointer<CChar>!
) -> UnsafePointer<CChar>! {
  guard let name, let bridge = host(pointer)?.bridge, let kind = HandleKind(rawValue: kind),
    let code = FieldSuggestion(library: bridge.library).code(
      for: String(cString: name), of: kind)
  else { return nil }
  let text = Array(code.utf8) + [0]
  guard let memory = lull_arena_allocate(bridge.pointer, text.count) else { return nil }
  // `memory` was just allocated with exactly that many bytes.
  memory.copyMemory(from: text, byteCount: text.count)
  return UnsafePointer(memory.assumingMemoryBound(to: CChar.self))
}

@c @implementation
func lull_host_nearest(
  _ name: UnsafePointer<CChar>!, _ names: UnsafePointer<UnsafePointer<CChar>?>!, _ count: Int32
) -> UnsafePointer<CChar>! {
  guard let name, let names else { return nil }
  let known = UnsafeBufferPointer(start: names, count: Int(count)).compactMap(\.self)
  let texts = known.map { String(cString: $0) }
  let near = NearestName.suggestion(for: String(cString: name), among: texts)
  return near.flatMap { texts.firstIndex(of: $0) }.map { known[$0] }
}

@c @implementation
func lull_host_list_field(
  _ pointer: UnsafeMutableRawPointer!, _ file: UnsafePointer<CChar>!, _ line: Int32,
  _ isThere: Int32, _ words: UnsafePointer<CChar>!, _ length: Int
) {
  guard let host = host(pointer), let file, let words else { return }
  // `words` is valid during the call and has `length` bytes.
  let bytes = UnsafeRawBufferPointer(start: words, count: length)
  let names = bytes.split(separator: 0, omittingEmptySubsequences: false).map {
    String(decoding: $0, as: UTF8.self)
  }
  guard names.count > 1 else { return }
  let place = SourcePlace(file: String(cString: file), line: Int(line))
  guard isThere == 0 else {
    return host.reporter.warnings.note(fieldFound: names[1], by: names[0], at: place)
  }
  guard names.count > 4 else { return }
  host.reporter.warnings.warn(
    ofField: names[1],
    missing: LineWarnings.MissingPart(
      name: names[2], head: names[3], tail: names[4], known: Array(names.dropFirst(5))),
    by: names[0], at: place)
}
