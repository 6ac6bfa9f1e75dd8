import LullLibC

/// Sets the exit code of a stock Lua interpreter that has loaded this library.
package enum InterpreterExit {
  /// Makes the Lua interpreter exit with 1 instead of 0. Does nothing in a program that isn't a
  /// stock Lua interpreter.
  package static func fail() {
    guard isInterpreter else { return }
    on_exit(
      { status, _ in
        guard status == 0 else { return }
        fflush(nil)
        _exit(1)
      }, nil)
  }

  /// Whether the program has the name of a Lua interpreter, such as `lua` or `lua5.4`.
  private static var isInterpreter: Bool {
    var buffer = [UInt8](repeating: 0, count: 4096)
    let count = buffer.withUnsafeMutableBytes { bytes in
      bytes.bindMemory(to: CChar.self).baseAddress.map {
        readlink("/proc/self/exe", $0, bytes.count)
      } ?? 0
    }
    guard count > 0 else { return false }
    let name = buffer[..<count].split(separator: UInt8(ascii: "/")).last ?? []
    return name.starts(with: "lua".utf8)
  }
}
