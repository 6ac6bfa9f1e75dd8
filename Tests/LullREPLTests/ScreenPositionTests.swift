import Testing

@testable import LullREPL

@Suite("Places on the screen", .timeLimit(.minutes(20)))
struct ScreenPositionTests {
  struct Case: Sendable {
    let text: String
    let row: Int
    let column: Int
  }

  /// Behind a prompt of two columns, on a screen of ten.
  @Test(arguments: [
    Case(text: "", row: 0, column: 2), Case(text: "1234567", row: 0, column: 9),
    Case(text: "12345678", row: 1, column: 0), Case(text: "123456789", row: 1, column: 1),
    Case(text: "a\nbc", row: 1, column: 2), Case(text: "a\n", row: 1, column: 0),
    Case(text: "12345678\nb", row: 2, column: 1), Case(text: "\tx", row: 0, column: 9),
    Case(text: "1234567語", row: 1, column: 2), Case(text: "123456語", row: 1, column: 0),
    Case(text: "\n\n\n", row: 3, column: 0),
  ])
  func `are where letters end`(_ one: Case) {
    var position = ScreenPosition(column: 2, width: 10)
    for scalar in one.text.unicodeScalars {
      position.pass(Int32(bitPattern: scalar.value), width: scalar.value < 128 ? 1 : 2)
    }
    #expect(position.row == one.row)
    #expect(position.column == one.column)
  }
}
