import LullCore

/// Variables that a file sets for one script only, as functions in the place of `lull.env` and `lull.secret`
/// give them.
///
/// Those of the process count where the file says nothing. Home thread only.
package final class FileVariables {
  /// As messages name it.
  private let path: String
  private let texts: [String: String]

  package init(_ texts: [String: String], of path: String) {
    self.path = path
    self.texts = texts
  }

  func text(_ name: String) -> String? { texts[name] }

  /// The text of one that lets somebody in; nil if the file does not set it.
  func secret(_ name: String) throws(Misuse) -> String? {
    guard let text = texts[name] else { return nil }
    guard !text.isEmpty else { throw .message("the variable '\(name)' is empty in '\(path)'") }
    return text
  }

  /// The functions by their names, bound to it.
  package func functions(_ handles: ObjectHandles) -> LuaValue {
    let handle = handles.insert(self, kind: .variables)
    return .map(
      ["env", "secret"].map { name in
        (name, .method(index: LuaLibrary.index(.variables, name), handle: handle, service: 0))
      })
  }
}
