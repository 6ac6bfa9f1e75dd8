/// The ways into Lull for Swift programs that wait with `async` and `await`: `Lull.run` of LullTransport,
/// and `Lull.test` of LullTesting.
public enum Lull {}
