import LullCassettes

/// What a session records, or has recorded last.
struct SessionRecording {
  let name: String
  /// How many statements had been typed when it began.
  let start: Int
  let recorder: SessionRecorder
  /// Whether it has been written.
  var hasEnded = false

  static func path(of name: String) -> String { "tests/cassettes/\(name).har" }

  var path: String { SessionRecording.path(of: name) }
  var testPath: String { "tests/\(name)_test.lua" }
}
