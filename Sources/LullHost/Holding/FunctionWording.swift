import CLullBridge

/// What a function of a script does, apart from the lines that it is written on: for comparisons with another one.
package struct FunctionWording {
  /// The lines of a function.
  package struct Definition {
    /// As Lua has it: `@` and a file, else a text or its name.
    package let source: String
    package let lines: ClosedRange<Int>
  }

  /// What it is made of, and what it and the functions that it uses take from around them: constants, tables. The
  /// same bytes for the same.
  package let values: [UInt8]
  /// Its own, and those of the functions that it uses, in the order of the values.
  package let definitions: [Definition]

  init(_ wording: lull_wording) {
    values = Array(
      UnsafeRawBufferPointer(start: UnsafeRawPointer(wording.values), count: wording.length))
    let definitions = UnsafeBufferPointer(start: wording.functions, count: Int(wording.count))
    self.definitions = definitions.map { definition in
      let first = Int(definition.line)
      return Definition(
        source: String(escaping: definition.source, definition.source_length),
        lines: first...max(first, Int(definition.last_line)))
    }
  }
}
