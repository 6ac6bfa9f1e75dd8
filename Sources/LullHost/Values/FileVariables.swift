import LullCore

/// The variables that a file defines for one script. The script gets functions that replace
/// `lull.env` and `lull.secret` and read these variables.
///
/// A variable that the file does not define is read from the process environment. Home thread only.
package final class FileVariables {
  /// The path of the file in error messages.
  private let path: String
  private let texts: [String: String]

  package init(_ texts: [String: String], of path: String) {
    self.path = path
    self.texts = texts
  }

  func text(_ name: String) -> String? { texts[name] }

  /// Returns the text of the variable that a secret refers to. Returns nil if the file does not
  /// define the variable.
  func secret(_ name: String) throws(Misuse) -> String? {
    guard let text = texts[name] else { return nil }
    guard !text.isEmpty else { throw .message("the variable '\(name)' is empty in '\(path)'") }
    return text
  }

  /// Returns a table with the functions `env` and `secret`, which are bound to this object.
  package func functions(_ handles: ObjectHandles) -> LuaValue {
    let handle = handles.insert(self, kind: .variables)
    return .map(
      ["env", "secret"].map { name in
        (name, .method(index: LuaLibrary.index(.variables, name), handle: handle, service: 0))
      })
  }
}
