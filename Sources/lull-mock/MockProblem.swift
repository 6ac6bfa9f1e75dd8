/// Why nothing is served, in words.
struct MockProblem: Error {
  let text: String
  var exitCode: Int32 = 1
}
