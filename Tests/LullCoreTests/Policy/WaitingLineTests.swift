import Testing

@testable import LullCore

@Suite(.timeLimit(.minutes(20)))
struct WaitingLineTests {
  @Test func `first come, first served, whoever leaves`() {
    var line = WaitingQueue<String>()
    #expect(line.first() == nil)
    let places = ["a", "b", "c", "d"].map { line.append($0) }
    let hasLeft = [line.remove(places[0]), line.remove(places[2]), line.remove(places[2])]
    #expect(hasLeft == [true, true, false])
    #expect(line.count == 2)
    #expect(line.first() == "b")
    line.removeFirst()
    #expect(line.first() == "d")
    _ = line.append("e")
    line.removeFirst()
    #expect(line.first() == "e")
    line.removeFirst()
    line.removeFirst()
    #expect(line.isEmpty)
    #expect(line.first() == nil)
    let isRemovedLater = line.remove(places[1])
    #expect(!isRemovedLater)
  }
}
