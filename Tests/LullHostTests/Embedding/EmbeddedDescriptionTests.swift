import LullCore
import LullHost
import LullTesting
import LullTransport
import Testing

/// What is printed of values of Lua's.
@Suite(.timeLimit(.minutes(20))) struct EmbeddedDescriptionTests {
  private struct OutOfStock: Error, CustomStringConvertible {
    let description = "none left"
  }

  @Test func `EMB-160 a value prints as Lua would write it, without credentials`() throws {
    try Embedding.run { lua, stubs in
      let plain: [(Lua.Value, String)] = [
        (.nil, "nil"), (.null, "lull.null"), (.bool(true), "true"), (.int(3), "3"),
        (.number(0.5), "0.5"), (.string("a \"b\"\n\\"), #""a \"b\"\n\\""#),
        (.bytes([255]), "1 bytes"),
        (.list([.int(1), .string("x"), .nil]), #"{1, "x", nil}"#),
        (
          .map([
            (.string("a"), .int(1)), (.string("b c"), .list([])), (.int(2), .bool(false)),
            (.string("password"), .string("hunter2")),
          ]), #"{a = 1, ["b c"] = {}, [2] = false, password = "***"}"#
        ),
        (.string("https://ann:hunter2@a.test/?token=t"), #""https://a.test/?token=***""#),
        (.service(stubs.api), "Service stubs at https://api.test/"),
        (.resource(stubs.api.resource("/a")), "https://api.test/a has no data"),
        (.error(RequestError(userMessage: "gone")), "gone"),
        (.swiftError(OutOfStock()), "none left"),
      ]
      for (value, text) in plain { #expect("\(value)" == text) }
      let table: Lua.Value = try lua.runNow("return { 1 }")
      let function: Lua.Value = try lua.runNow("return print")
      let other: Lua.Value = try lua.runNow("return coroutine.create(print)")
      #expect("\(table) \(function) \(other)" == "table function \(other.typeName)")
    }
  }

  @Test func `SWF-162 the limit of a stretch is seconds or a duration`() throws {
    #expect(Lua.Limits(seconds: .milliseconds(500)) == Lua.Limits(seconds: 0.5))
    var limits = Lua.Limits(memory: 1, seconds: 1)
    limits.seconds = .seconds(2)
    #expect(limits == Lua.Limits(memory: 1, seconds: 2))
    let read: Duration? = limits.seconds
    #expect(read == .seconds(2))
    limits.seconds = nil
    #expect(limits.seconds == nil && Lua.Limits(seconds: nil) == .none)
  }
}
