import LullLibC
import LullSystem

/// Finds the programs of Lull that are installed together with the running program.
package enum SiblingProgram {
  /// Returns the path of a program, or nil if the program is not found. Looks at these places, in
  /// this order: the path in the environment variable, the folder of the running program, the
  /// installation of `lull.so`, and the folders of the PATH.
  package static func find(_ name: String, variable: String) -> String? {
    var candidates: [String] = []
    if let named = environment(variable) { candidates.append(named) }
    if let program = programPath() {
      candidates.append(FileName.folder(of: program) + "/" + name)
    }
    if let image = imagePath() {
      let folder = FileName.folder(of: image)
      candidates += [folder + "/" + name, folder + "/../../../bin/" + name]
    }
    for folder in (environment("PATH") ?? "").split(separator: ":") {
      candidates.append(folder + "/" + name)
    }
    return candidates.first { access($0, X_OK) == 0 }
  }

  private static func environment(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }
  }

  private static func programPath() -> String? {
    var buffer = [CChar](repeating: 0, count: 4096)
    let length = readlink("/proc/self/exe", &buffer, buffer.count)
    guard length > 0 else { return nil }
    return String(decoding: buffer[..<length].map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// The file that this code was loaded from: the program, or lull.so.
  private static func imagePath() -> String? {
    guard let maps = fopen("/proc/self/maps", "r") else { return nil }
    defer { fclose(maps) }
    let address = UInt(bitPattern: #dsohandle)
    var line: UnsafeMutablePointer<CChar>?
    var capacity = 0
    defer { free(line) }
    // Each line has the form "start-end permissions offset device inode path".
    while getline(&line, &capacity, maps) > 0, let line {
      let fields = String(cString: line).split(
        maxSplits: 5, omittingEmptySubsequences: true, whereSeparator: \.isWhitespace)
      let range = fields[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
      guard fields.count == 6, range.count == 2, range[0] <= address, address < range[1] else {
        continue
      }
      return String(fields[5].drop { $0 == " " }.prefix { $0 != "\n" })
    }
    return nil
  }
}
