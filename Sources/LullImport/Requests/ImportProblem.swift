/// Why something cannot be imported, in one line.
package struct ImportProblem: Error, Equatable, CustomStringConvertible {
  package let description: String

  package init(_ description: String) { self.description = description }
}
