import LullLibC
import LullHost

/// What `require` finds: modules that are loaded or known, and files by `package.path`.
struct ModuleNames {
  private let session: LuaSession

  init(_ session: LuaSession) {
    self.session = session
  }

  /// Those that begin so; of folders only as deep as the prefix goes.
  func starting(with prefix: String) -> [String] {
    let known = ["loaded", "preload"].flatMap {
      session.fieldNames(of: ["package", $0], onlyFunctions: false)
    }
    let templates = (session.string(at: ["package", "path"]) ?? "").split(separator: ";")
    return Array(Set(known + templates.flatMap { files(String($0), prefix) })).sorted()
  }

  private func files(_ template: String, _ prefix: String) -> [String] {
    // "./?.lua", "/usr/share/lua/5.4/?/init.lua"
    guard let mark = template.firstIndex(of: "?") else { return [] }
    let ending = String(template[template.index(after: mark)...])
    let dot = prefix.lastIndex(of: ".")
    let package = dot.map { String(prefix[...$0]) } ?? ""
    let root = template[..<mark] + package.split(separator: ".").map { $0 + "/" }.joined()
    return FilePaths.entries(of: root.isEmpty ? "." : String(root)).compactMap { name in
      if ending.hasPrefix("/") {
        guard name.hasSuffix("/"), access(root + name.dropLast() + ending, R_OK) == 0 else {
          return nil
        }
        return package + name.dropLast()
      }
      guard name.hasSuffix(ending) else { return nil }
      return package + name.dropLast(ending.count)
    }
  }
}
