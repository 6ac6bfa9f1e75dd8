/// Why a file is no HTTP Archive, or none that can be read: where, as a JSON Pointer, and what.
package struct HARError: Error, Sendable, Equatable, CustomStringConvertible {
  package let pointer: String
  package let problem: String

  package var description: String { pointer.isEmpty ? problem : "at \(pointer): \(problem)" }
}
