/// The names of types in one file, each given once.
struct TypeNames {
  let prefix: String
  private var taken: Set<String> = ["API", "Calls"]

  init(api: String) {
    var prefix = ""
    for scalar in api.unicodeScalars {
      let isPlain =
        scalar.isASCII && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar))
      prefix.unicodeScalars.append(isPlain ? scalar : "_")
    }
    if let first = prefix.utf8.first, (0x30...0x39).contains(first) { prefix = "_" + prefix }
    // The annotations of Lull itself are called so.
    if prefix.isEmpty || prefix == "lull" { prefix += "_api" }
    self.prefix = prefix
  }

  /// A name nobody has yet, like a text.
  mutating func name(_ text: String) -> String {
    let stem = AnnotationText.typeName(text)
    var name = stem
    var count = 1
    while !taken.insert(name).inserted {
      count += 1
      name = "\(stem)\(count)"
    }
    return "\(prefix).\(name)"
  }
}
