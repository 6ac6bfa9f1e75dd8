import LullCore

/// Parts of what is hidden, such as its beginning, which a server may say again: they stay, since nobody can tell
/// what else they are, and are told of.
extension Redaction {
  /// Of each token that has a part somewhere the first place; for parts that look random only, which nobody says
  /// by chance. (CAS-72)
  func parts(in entries: [HAREntry]) -> [String] {
    let pieces = Pieces(texts)
    guard !pieces.isEmpty else { return [] }
    var seen: Set<String> = []
    var found: [String] = []
    func look(_ bytes: [UInt8], _ number: Int, _ place: String) {
      for mask in pieces.masks(in: bytes) where seen.insert(mask).inserted {
        found.append("number \(number), \(place): a part of \(mask)")
      }
    }
    for (index, entry) in entries.enumerated() {
      let number = index + 1
      look(Array(entry.request.url.utf8), number, "request URL")
      for header in entry.request.headers {
        look(header.value, number, "request header '\(header.name)'")
      }
      look(entry.request.body?.bytes ?? [], number, "request body")
      for header in entry.response?.headers ?? [] {
        look(header.value, number, "response header '\(header.name)'")
      }
      look(entry.response?.body?.bytes ?? [], number, "response body")
    }
    return found
  }
}

/// All pieces of one length of some texts, to be found in others at once.
private struct Pieces {
  private static let size = 12
  private static let base: UInt64 = 0x9E37_79B9_7F4A_7C15
  private static let highest = (1..<size).reduce(1 as UInt64) { power, _ in power &* base }

  /// By a sum that is made anew from one place to the next.
  private var owners: [UInt64: (piece: [UInt8], mask: String)] = [:]

  var isEmpty: Bool { owners.isEmpty }

  init(_ texts: [[UInt8]: String]) {
    // A shorter one would be told of for nearly all of it.
    for (text, mask) in texts where text.count >= 16 {
      Pieces.visit(text) { sum, start in
        let piece = Array(text[start..<(start + Pieces.size)])
        if RandomText.isNoise(String(decoding: piece, as: UTF8.self)) {
          owners[sum] = (piece, mask)
        }
      }
    }
  }

  /// Each once, in order.
  func masks(in bytes: [UInt8]) -> [String] {
    var masks: [String] = []
    Pieces.visit(bytes) { sum, start in
      guard let owner = owners[sum], !masks.contains(owner.mask),
        bytes[start..<(start + Pieces.size)].elementsEqual(owner.piece)
      else { return }
      masks.append(owner.mask)
    }
    return masks
  }

  private static func visit(_ bytes: [UInt8], _ body: (_ sum: UInt64, _ start: Int) -> Void) {
    guard bytes.count >= size else { return }
    var sum = bytes[..<size].reduce(0 as UInt64) { $0 &* base &+ UInt64($1) }
    body(sum, 0)
    for end in size..<bytes.count {
      sum = (sum &- UInt64(bytes[end - size]) &* highest) &* base &+ UInt64(bytes[end])
      body(sum, end - size + 1)
    }
  }
}
