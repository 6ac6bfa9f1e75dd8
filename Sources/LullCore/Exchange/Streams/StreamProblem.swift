/// Why a stream cannot be read on.
package enum StreamProblem: Error, Equatable {
  /// An item larger than `StreamLines.limit`.
  case tooLarge
  case noMemory
  /// A line, counted from 1, that is no JSON.
  case malformed(line: Int, JSONError)
}
