/// What a script of Lull's says where something else stands under its key than it has put there: that is a
/// matter of that key, whoever has done it, and says nothing of the server.
enum ShareDamage {
  /// In the words of servers, and of the Lua in them.
  private static let signs = [
    "WRONGTYPE", "is not an integer", "is not a valid float", "is not a float",
    "increment or decrement",
    "attempt to ", "bad argument ", "out of range",
  ]

  static func isMeant(by words: String) -> Bool { signs.contains { words.contains($0) } }
}
