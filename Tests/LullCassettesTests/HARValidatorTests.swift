import LullCassettes
import LullLibC
import LullSystem
import LullTestSupport
import Testing

/// What is written, judged by a program that others have written: Debian's node-har-validator.
@Suite(.timeLimit(.minutes(20))) struct HARValidatorTests {
  private static let script = """
    const validate = require('har-validator/lib/promise.js'), fs = require('fs')
    for (const file of process.argv.slice(1))
      validate.har(JSON.parse(fs.readFileSync(file))).catch(error => {
        console.error(file, JSON.stringify(error.errors)); process.exitCode = 3 })
    """

  /// The exit code of the validator: 3 for what is no HTTP Archive.
  private static func judge(_ files: [[UInt8]]) throws -> Int32 {
    let folder = "/tmp/lull-har-\(getpid())-\(UInt32.random(in: 0...UInt32.max))"
    try #require(mkdir(folder, 0o700) == 0)
    defer { _ = system("rm -r \(folder)") }
    for (number, bytes) in files.enumerated() {
      let file = try #require(fopen("\(folder)/\(number).har", "w"))
      defer { fclose(file) }
      try #require(fwrite(bytes, 1, bytes.count, file) == bytes.count)
    }
    let status = DescriptorLock.hold {
      system("NODE_PATH=/usr/share/nodejs nodejs -e \"\(script)\" \(folder)/*.har")
    }
    return status >> 8 & 0xFF
  }

  @Test func `CAS-14 what is written is an HTTP Archive to another program's validator`() throws {
    var random = SeededGenerator(seed: 23)
    let files = (0..<100).map { _ in HARTests.randomFile(&random).encoded() }
    #expect(try HARValidatorTests.judge(files) == 0)
  }

  @Test func `CAS-14 that validator refuses what is none`() throws {
    let text = #"{"log":{"version":"1.2","creator":{"name":"a"},"entries":[]}}"#
    #expect(try HARValidatorTests.judge([Array(text.utf8)]) == 3)
  }
}
