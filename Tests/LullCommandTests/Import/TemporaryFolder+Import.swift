import Testing

extension TemporaryFolder {
  /// What comes of `lull import` with these words, and the file `apis/NAME.lua` that it makes, in which `lull check`
  /// has to find nothing.
  func importing(
    _ words: [String], as name: String
  ) throws -> (ending: Child.Ending, text: String) {
    let file = "apis/\(name).lua"
    let ending = try Child(Binaries.lull, ["import"] + words + ["-o", file], folder: path).wait()
    let text = text(file) ?? ""
    if ending.code == 0 {
      let checked = try lull("check", file, folder: path)
      #expect(checked.code == 0, "\(checked.output)\(checked.errors)\n\(text)")
    }
    return (ending, text)
  }
}
