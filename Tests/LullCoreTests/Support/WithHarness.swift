import LullCore
import LullTestSupport
import LullTesting
import Testing

/// Runs a test on a harness of its own, then checks that service, resources, requests and whatever
/// else the test has watched are gone.
func withHarness(
  base: String? = "https://api.test/v1", sourceLocation: SourceLocation = #_sourceLocation,
  _ body: (Harness, LeakCheck) throws -> Void
) rethrows {
  let leakCheck = LeakCheck()
  try run(base, leakCheck, body)
  #expect(leakCheck.leaks == [], sourceLocation: sourceLocation)
}

func withHarness(
  base: String? = "https://api.test/v1", sourceLocation: SourceLocation = #_sourceLocation,
  _ body: (Harness) throws -> Void
) rethrows {
  try withHarness(base: base, sourceLocation: sourceLocation) { harness, _ in try body(harness) }
}

/// Nothing of the harness is held by the caller's frame afterwards.
@inline(never)
private func run(
  _ base: String?, _ leakCheck: LeakCheck, _ body: (Harness, LeakCheck) throws -> Void
) rethrows {
  let harness = Harness(base: base, leakCheck: leakCheck)
  try body(harness, leakCheck)
  harness.finish()
}

/// Collects lines in order, for hooks of several requests.
final class Journal {
  private(set) var lines: [String] = []

  func callAsFunction(_ line: String) { lines.append(line) }

  func take() -> [String] {
    defer { lines = [] }
    return lines
  }
}

/// Something that can own observers.
final class Owner {}

extension Resource {
  /// An observer that is there until the end of the test.
  func recorded(progress: Bool = false) -> EventRecorder {
    let recorder = EventRecorder(progress: progress)
    addObserver(recorder)
    _ = recorder.take()
    return recorder
  }
}

extension Entity {
  static func text(_ text: String, headers: [(String, String)] = [], at time: Double = 0) -> Entity
  {
    Entity(content: .text(text), headers: Headers(headers), timestamp: time)
  }

  var text: String? {
    if case .text(let text) = content { return text }
    return nil
  }
}

extension RequestError {
  static func failure(_ message: String = "KABOOM", at time: Double = 0) -> RequestError {
    RequestError(userMessage: message, timestamp: time)
  }
}
