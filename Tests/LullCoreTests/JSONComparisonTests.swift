import Testing

@testable import LullCore

/// Documents as another parser reads them.
@Suite(.timeLimit(.minutes(20)))
struct JSONComparisonTests {
  @Test func `20,000 generated documents, half of them damaged, read as another parser reads them`()
  {
    var generator = DocumentGenerator(seed: 0x5EED)
    var accepted = 0
    for round in 0..<20_000 {
      var bytes = generator.document(size: round.isMultiple(of: 500) ? 3000 : 12)
      if !round.isMultiple(of: 2) { generator.damage(&bytes) }
      check(bytes)
      if ReferenceParser.parse(bytes) != nil { accepted += 1 }
    }
    // Damage is often harmless: in a string, or a digit for another.
    #expect(accepted > 10_000 && accepted < 18_000)
  }

  @Test func `a document cut anywhere is refused, and nothing crashes`() {
    var generator = DocumentGenerator(seed: 77)
    for _ in 0..<60 {
      let bytes = generator.document(size: 20)
      for length in 0..<bytes.count { check(Array(bytes.prefix(length))) }
    }
  }

  private func check(_ bytes: [UInt8]) {
    let expected = ReferenceParser.parse(bytes)
    let text = String(decoding: bytes.prefix(300), as: UTF8.self)
    do throws(JSONError) {
      let root = try JSONDocument(parsing: bytes).root
      guard let expected else {
        Issue.record("accepted: \(text)")
        return
      }
      guard matches(root, expected), root.plainValue == expected else {
        Issue.record("read differently: \(text)")
        return
      }
      var written: [UInt8] = []
      root.encode(into: &written)
      guard ReferenceParser.parse(written) == expected,
        try JSONDocument(parsing: written).root == root
      else {
        Issue.record("written differently: \(text)")
        return
      }
    } catch {
      if expected != nil { Issue.record("refused: \(error): \(text)") }
    }
  }

  /// Whether reading the element by every way there is gives that value.
  private func matches(_ element: JSONElement, _ value: JSONValue) -> Bool {
    switch value {
    case .null: return element.isNull && element.kind == .null
    case .bool(let bool): return element.bool == bool
    case .int(let int): return element.int == int
    case .double(let double):
      return element.double?.bitPattern == double.bitPattern
        && element.int == nil
    case .string(let string):
      return element.string.map { Array($0.utf8) == Array(string.utf8) } ?? false
    case .array(let values):
      guard element.count == values.count else { return false }
      var position = 0
      for child in element.elements {
        guard matches(child, values[position]), let same = element[position],
          same.index == child.index
        else { return false }
        position += 1
      }
      return position == values.count
    case .object(let members):
      let pairs = element.pairs
      // The reference keeps repeated keys; here each counts once.
      var last: [[UInt8]: JSONValue] = [:]
      var order: [[UInt8]] = []
      for member in members {
        let key = Array(member.key.utf8)
        if last.updateValue(member.value, forKey: key) == nil { order.append(key) }
      }
      guard pairs.count == order.count, element.count == order.count else { return false }
      for (pair, key) in zip(pairs, order) {
        guard Array(pair.key.utf8) == key, let expected = last[key],
          matches(pair.value, expected), element[pair.key]?.index == pair.value.index
        else { return false }
      }
      return true
    }
  }
}
