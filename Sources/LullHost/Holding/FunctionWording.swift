import CLullBridge
import LullCore

/// What a function of a script does, whatever lines it is written on: for comparisons with another one, within this
/// process.
package struct FunctionWording {
  /// How much is looked at, where nobody says otherwise.
  package static let usualLimit = 1_000_000

  /// What the compiler has made of it and of the functions that it uses, and what these take from around them:
  /// constants, tables, objects. The same bytes for the same.
  package let text: [UInt8]
  /// How much of it is of the function alone, without what it takes.
  package let codeCount: Int
  /// Whether it says all.
  package let isWhole: Bool
  /// How much was looked at.
  package let cost: Int

  /// - Parameter names: of Lull's objects in it, in order.
  init(_ wording: lull_wording, limit: Int, names: [String]) {
    let bytes = UnsafeRawBufferPointer(
      start: UnsafeRawPointer(wording.text), count: wording.length)
    text = Array(bytes) + Array("\n\(names.joined(separator: "\n"))".utf8)
    codeCount = Int(wording.code_length)
    isWhole = wording.is_whole != 0
    cost = limit - Int(wording.pieces_left)
  }
}

extension ObjectHandles {
  /// What tells an object that a function takes from others: of most their kind is known alone.
  func comparedName(of handle: UInt64) -> String {
    guard let kind = kind(handle) else { return "gone" }
    switch kind {
    case .secret: return "secret \(object(handle, kind, as: SecretBox.self)?.text.hashValue ?? 0)"
    case .auth: return "auth \(object(handle, kind, as: AuthBox.self)?.auth.fingerprint ?? 0)"
    case .regex:
      return object(handle, kind, as: RegexBox.self).map { "regex \($0.flags) \($0.source)" } ?? ""
    default: return kind.name
    }
  }
}
