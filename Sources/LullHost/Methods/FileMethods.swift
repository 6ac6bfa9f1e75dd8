import CLullBridge
import LullLibC
import LullCore

extension Method {
  static let fileMethods: [Method] = [
    .function("read_file", "s") { call throws(Misuse) in
      try call.permissions.refuseInSandbox("lull.read_file")
      let path = try call.path(0)
      switch TextFile.read(path) {
      case .success(let bytes): call.return(.bytes(bytes))
      case .failure(let problem):
        call.return(.nil)
        call.return(.bytes(problem.advisedMessage))
      }
    },
    .function("write_file", "ssT") { call throws(Misuse) in try writeFile(call) },
    .function("env", "sV") { call throws(Misuse) in try call.returnVariable(0) },
  ]
}

extension Call {
  /// Returns the variable of the process's environment whose name is at a position, else what is behind it.
  func returnVariable(_ position: Int) throws(Misuse) {
    if !permissions.isInspecting { try permissions.refuseInSandbox("lull.env") }
    var name = raw(position).bytes ?? []
    guard !name.isEmpty, !name.contains(UInt8(ascii: "=")), !name.contains(0) else {
      throw .argument(
        1, "the name of an environment variable expected, got '\(string(position))'")
    }
    let standard = count > position + 1 ? LuaValue.stack(index(position + 1)) : .nil
    if let inspection = permissions.inspection {
      let isSet = inspection.sets(String(decoding: name, as: UTF8.self))
      return `return`(isSet ? .string("1") : standard)
    }
    name.append(0)
    if let value = getenv(name.map(CChar.init(bitPattern:))) {
      // The environment's own memory, read at once.
      `return`(.bytes(Array(UnsafeRawBufferPointer(start: value, count: strlen(value)))))
    } else {
      `return`(standard)
    }
  }

  /// The name of a file at a position: bytes, as file names are.
  ///
  /// - Parameter number: which argument it is, if there is a self.
  func path(_ position: Int, argument number: Int? = nil) throws(Misuse) -> [UInt8] {
    let path = raw(position).bytes ?? []
    guard !path.isEmpty, !path.contains(0) else {
      throw .argument(
        number ?? position + 1, "the name of a file expected, got \(raw(position).described)")
    }
    return path
  }
}

extension Method {
  static let writeKeys = ["append", "mode"]

  /// `lull.write_file(path, text[, { append =, mode = }])`
  private static func writeFile(_ call: Call) throws(Misuse) {
    try call.permissions.refuseInSandbox("lull.write_file")
    let path = try call.path(0)
    var appends = false
    var mode: UInt32?
    if !call.isNil(2) {
      try call.reading.options.forEach(of: call.index(2), in: call.state, known: writeKeys) {
        name, value throws(Misuse) in
        if name == "append" {
          guard let flag = value.bool else {
            throw .message("'append' must be true or false, got \(value.described)")
          }
          appends = flag
        } else {
          guard let text = value.string, let bits = UInt32(text, radix: 8), bits <= 0o777
          else {
            throw .message(
              "'mode' must be a string of octal digits such as \"600\", got "
                + value.described)
          }
          mode = bits
        }
      }
    }
    let bytes = call.raw(1).bytes ?? []
    let outcome =
      appends
      ? TextFile.append(bytes, to: path, mode: mode) : TextFile.write(bytes, to: path, mode: mode)
    switch outcome {
    case .success: call.return(.bool(true))
    case .failure(let problem):
      call.return(.nil)
      call.return(.bytes(problem.advisedMessage))
    }
  }
}
