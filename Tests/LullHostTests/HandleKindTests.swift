import CLullBridge
import Testing

@testable import LullHost

/// Kinds of userdata stand in one list, the bridge's `lull_kinds.h`.
@Suite(.timeLimit(.minutes(20))) struct HandleKindTests {
  @Test func `the words for kinds are those of the bridge, in its order`() {
    let words = (0..<Int32(LULL_KIND_COUNT)).map { String(cString: lull_kind_word($0)) }
    #expect(HandleKind.allCases.map { "\($0)" } == words)
    #expect(HandleKind.allCases.map(\.rawValue) == Array(0..<Int32(LULL_KIND_COUNT)))
  }

  @Test func `no two kinds are called the same`() {
    #expect(Set(HandleKind.allCases.map(\.name)).count == HandleKind.allCases.count)
    #expect(HandleKind.apiCall.name == "APICall")
  }
}
