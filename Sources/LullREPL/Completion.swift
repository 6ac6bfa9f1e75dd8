/// What the key for completion brings.
struct Completion: Equatable {
  /// What goes in at the cursor: as far as all candidates agree.
  var insertion = ""
  /// What it may become, to be listed if nothing goes in.
  var candidates: [String] = []
}
