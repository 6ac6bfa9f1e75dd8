import CLullBridge
import LullCore

/// What a function of a script does, whatever lines it is written on: for comparisons with another one, within this
/// process.
package struct FunctionWording {
  /// How much is looked at, where nobody says otherwise.
  package static let usualLimit = 1_000_000

  /// What the compiler has made of it and of the functions that it uses, and what these take from around them:
  /// constants, tables, objects. The same bytes for the same, in parts.
  package let text: [UInt8]
  /// What is between two parts.
  package static let partEnd = UInt8(LULL_PART_END)
  /// Whether it says all.
  package let isWhole: Bool
  /// How much was looked at.
  package let cost: Int

  /// - Parameter names: of Lull's objects in it, in order.
  init(_ wording: lull_wording, limit: Int, names: [String]) {
    let bytes = UnsafeRawBufferPointer(
      start: UnsafeRawPointer(wording.text), count: wording.length)
    let end = String(Unicode.Scalar(FunctionWording.partEnd))
    text = Array(bytes) + names.flatMap { Array("\($0)\(end)".utf8) }
    isWhole = wording.is_whole != 0
    cost = limit - Int(wording.left)
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
