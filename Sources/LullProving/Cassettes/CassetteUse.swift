/// What a test has not asked for of a recording that it has named.
struct CassetteUse: Codable {
  struct Left: Codable {
    /// From 1.
    var number: Int
    /// Method and URL.
    var request: String
  }

  var path: String
  /// How many exchanges it has.
  var count: Int
  var left: [Left]
}
