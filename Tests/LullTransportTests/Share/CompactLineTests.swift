import LullTesting
import Testing

@testable import LullTransport

@Suite(.timeLimit(.minutes(20)))
struct CompactLineTests {
  @Test func `what comes first leaves first, in memory that what waits bounds`() {
    var line = CompactLine<Int>()
    #expect(line.popFirst() == nil)
    var expected: [Int] = []
    var next = 0
    var random = SystemRandomNumberGenerator()
    for round in 0..<5000 {
      for _ in 0..<Int.random(in: 0...3, using: &random) {
        line.append(next)
        expected.append(next)
        next += 1
      }
      // It never ends.
      while line.count > (round < 4000 ? 20 : 0), let first = line.popFirst() {
        #expect(first == expected.removeFirst())
        #expect(line.placeCount <= 2 * max(line.count, 32) + 1)
      }
      #expect(line.first == expected.first)
      if round % 100 == 0 { #expect(line.all == expected) }
    }
    line.append(1)
    line.change { $0 += 1 }
    #expect(line.all.last == 2)
    line.removeAll()
    #expect(line.isEmpty)
    #expect(line.placeCount == 0)
  }

  @Test func `what has left is let go of`() {
    final class Thing {}
    var line = CompactLine<Thing>()
    var thing: Thing? = Thing()
    weak let gone = thing
    if let thing { line.append(thing) }
    line.append(Thing())
    thing = nil
    _ = line.popFirst()
    #expect(gone == nil)
    #expect(line.count == 1)
  }
}
