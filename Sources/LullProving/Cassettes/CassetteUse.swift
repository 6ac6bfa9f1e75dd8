/// What a test has not asked for of a recording that it has named.
struct CassetteUse: Codable {
  var path: String
  /// How many exchanges it has.
  var count: Int
  /// The numbers of those that are left, from 1.
  var left: [Int]
}
