/// What a script has raised: values that are nothing but themselves as they are, others by number.
package enum RaisedValue: Sendable, Hashable {
  case boolean(Bool)
  case integer(Int64)
  case number(Double)
  /// A string, which need not be UTF-8.
  case string(ByteString)
  case foreign(ForeignContent)

  package var foreign: ForeignContent? {
    if case .foreign(let foreign) = self { foreign } else { nil }
  }

  package var isString: Bool {
    if case .string = self { true } else { false }
  }
}
