internal import CSimdjson

/// The stack of a thread, for whoever goes as deep on it as a document or a value does.
struct ThreadStack {
  private let end = csj_stack_end()

  /// Whether one level more, with what it calls, has room: 96 KB. What is made in a program that is not
  /// optimised takes up to 3 KB a level.
  var hasRoom: Bool { csj_stack_has(end, 96 << 10) != 0 }

  /// So many levels take little of any stack, and are not looked at.
  static let fewLevels = 12
}
