/// What an API file says that `lull mock` answers a call with; nothing else looks at it.
package struct CallMock {
  /// The number of a function of the script, kept for as long as its service is.
  package var function: Int64?
  /// Of content alone.
  package var example: MockAnswer?
  package var examples: [MockExample] = []
}
