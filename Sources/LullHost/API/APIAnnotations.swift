/// The annotations for lua-language-server (LuaCATS): a file of declarations that editors read.
///
/// Types have the module's name as a prefix, `lull.Resource`, so that they don't clash with the
/// user's types.
package struct APIAnnotations {
  private let description: APIDescription
  private let types: AnnotationTypes

  package init(_ description: APIDescription) {
    self.description = description
    types = AnnotationTypes(description)
  }

  package var text: String {
    var file = AnnotationFile()
    file.add("---@meta lull")
    file.add(
      "-- Written by `lull help annotations`.")
    file.endBlock()
    for owner in ordered { add(owner, to: &file) }
    file.add("return lull")
    return file.text
  }

  /// The owners of API entries in the order of the annotation file. Modules come first, because
  /// they are declared inside one another. The owner `os`, which describes the `lull` command's
  /// changes to Lua's own `os` library, is left out, because editors already know the functions of
  /// that library.
  private var ordered: [APIOwner] {
    let modules = description.owners.filter { $0.isModule && $0.name != "os" }
    return modules + description.owners.filter { !$0.isModule }
  }

  private func add(_ owner: APIOwner, to file: inout AnnotationFile) {
    file.add(comment: owner.summary, owner.text)
    let name = typeName(of: owner)
    switch owner.kind {
    case .words:
      file.add("---@alias \(name)")
      for entry in owner.entries { file.add("---| \"\(entry.name)\" # \(entry.summary)") }
      file.endBlock()
    case .alias(let type):
      file.add("---@alias \(name) \(types.written(type))")
      file.endBlock()
    case .module, .object, .table:
      file.add("---@class \(name)" + (owner.base.map { ": " + types.written($0) } ?? ""))
      for entry in owner.entries { addField(entry, of: owner, to: &file) }
      addClass(owner, name, to: &file)
    }
  }

  private func typeName(of owner: APIOwner) -> String {
    owner.isModule ? owner.name : "lull." + owner.name
  }

  /// Adds the Lua table that contains the functions of a module or class. Adds nothing for an owner
  /// that describes a table of options, because such a table has no functions.
  private func addClass(_ owner: APIOwner, _ name: String, to file: inout AnnotationFile) {
    let functions = owner.entries.filter { $0.kind == .function || $0.kind == .method }
    let holder = owner.isModule ? owner.name : owner.name
    if owner.isModule {
      file.add(holder == "lull" ? "local lull = {}" : "\(holder) = {}")
    } else if !functions.isEmpty {
      file.add("local \(holder) = {}")
    }
    file.endBlock()
    for entry in functions { addFunction(entry, of: owner, holder, to: &file) }
  }

  // MARK: Fields

  private func addField(_ entry: APIEntry, of owner: APIOwner, to file: inout AnnotationFile) {
    switch entry.kind {
    case .property, .field: file.add(field(entry))
    case .operation: for line in operation(entry, of: owner) { file.add(line) }
    case .function, .method, .word: break
    }
  }

  private func field(_ entry: APIEntry) -> String {
    let comment = " # " + entry.summary
    if entry.name.hasPrefix("<") || entry.name.hasPrefix("[") {
      // A name in the form `<…>` means any string key, and a name in the form `[…]` any index.
      let key = entry.name.hasPrefix("<") ? "[string]" : entry.name
      return "---@field \(key) \(types.written(AnnotationTypes.bare(entry.type)))\(comment)"
    }
    let isOptional =
      entry.kind == .field || entry.type != "any"
      ? AnnotationTypes.isOptional(entry.type) : false
    let name = entry.name + (isOptional ? "?" : "")
    return "---@field \(name) \(types.written(AnnotationTypes.bare(entry.type)))\(comment)"
  }

  /// Returns the annotation lines for a metamethod, or an empty array if the language server does
  /// not support the metamethod.
  private func operation(_ entry: APIEntry, of owner: APIOwner) -> [String] {
    let signatures = entry.signatures
    switch entry.name {
    case "__call": return signatures.map { "---@overload \(types.function($0))" }
    case "__len":
      return signatures.prefix(1).map {
        "---@operator len: \(types.written($0.returns.first ?? "integer"))"
      }
    case "__concat":
      return signatures.prefix(1).map { signature in
        let other = types.written(signature.parameters.first?.type ?? "any")
        return "---@operator concat(\(other)): "
          + types.written(signature.returns.first ?? "any")
      }
    case "__index":
      guard let signature = signatures.first, let key = signature.parameters.first else {
        return []
      }
      // The language server supports only one type for both reading and assigning a field.
      let assigned = owner.entries.first { $0.name == "__newindex" }?.signatures.first?.parameters
      var values = AnnotationTypes.choices(signature.returns.first ?? "any")
      for type in AnnotationTypes.choices(assigned?.last?.type ?? "") where !values.contains(type) {
        values.append(type)
      }
      return AnnotationTypes.choices(key.type).map {
        "---@field [\($0)] \(types.written(values.joined(separator: "|")))"
      }
    // The metamethods for closing, comparing and iterating need no annotation.
    default: return []
    }
  }

  // MARK: Functions

  private func addFunction(
    _ entry: APIEntry, of owner: APIOwner, _ holder: String, to file: inout AnnotationFile
  ) {
    let signatures = entry.signatures
    guard let main = signatures.max(by: { $0.parameters.count < $1.parameters.count }) else {
      return
    }
    file.add(comment: entry.summary, entry.text, example: entry.example)
    for parameter in main.parameters {
      let mark = parameter.isOptional && !parameter.isVariadic ? "?" : ""
      let type = types.written(AnnotationTypes.bare(parameter.type))
      file.add("---@param \(AnnotationTypes.safe(parameter.name))\(mark) \(type)")
    }
    for type in main.returns {
      file.add("---@return \(type == "..." ? "any ..." : types.written(type))")
    }
    let isMethod = entry.kind == .method
    for other in signatures where other != main {
      let owner = isMethod ? typeName(of: owner) : nil
      file.add("---@overload \(types.function(other, of: owner))")
    }
    let names = main.parameters.map { AnnotationTypes.safe($0.name) }.joined(separator: ", ")
    file.add("function \(holder)\(isMethod ? ":" : ".")\(entry.name)(\(names)) end")
    file.endBlock()
  }
}

extension APIOwner {
  fileprivate var isModule: Bool {
    if case .module = kind { return true }
    return false
  }
}

/// The text of the file, built line by line.
private struct AnnotationFile {
  private(set) var text = ""

  mutating func add(_ line: String) { text += line + "\n" }

  mutating func endBlock() { text += "\n" }

  mutating func add(comment summary: String, _ more: String, example: String = "") {
    for line in MarkdownText.wrapped(summary) { add("--- " + line) }
    if !more.isEmpty {
      add("---")
      for line in MarkdownText.wrapped(more) { add(line.isEmpty ? "---" : "--- " + line) }
    }
    guard !example.isEmpty else { return }
    add("---")
    add("--- ```lua")
    for line in example.split(separator: "\n", omittingEmptySubsequences: false) {
      add(line.isEmpty ? "---" : "--- " + line)
    }
    add("--- ```")
  }
}
