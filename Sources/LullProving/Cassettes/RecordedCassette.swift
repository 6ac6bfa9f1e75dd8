import LullSystem

/// What tests have recorded into one file, until it is put there.
struct RecordedCassette: Codable {
  /// Of the file that it will be.
  var path: String
  /// Where it is now.
  var draft: String
  /// Of the file as it was when it was read; nil: there was none.
  var before: FileStamp?
  /// How many exchanges it has, and how many of them are new.
  var count: Int
  var newCount: Int
  /// What may be a token that nobody has named, each with its place.
  var leftovers: [String]
}
