import LullCore
import LullLibC
import LullSchemas
import LullSystem
import Testing

private let suitePath = getenv("LULL_SCHEMA_SUITE").map { String(cString: $0) }

/// Runs what Scripts/support/check-schemas has put into one file: the public suite of draft 2020-12.
@Suite(.timeLimit(.minutes(20)), .enabled(if: suitePath != nil)) struct SchemaSuiteTests {

  @Test func `SCH-10 every case of the public suite for the keywords that are known`() throws {
    let path = try #require(suitePath)
    let bundle = try JSONDocument(parsing: SchemaSuiteTests.contents(path)).root
    var documents: [String: JSONElement] = [:]
    for (uri, document) in try #require(bundle["documents"]).pairs { documents[uri] = document }
    var count = 0
    for (file, groups) in try #require(bundle["files"]).pairs {
      for group in groups.elements {
        let name = "\(file): \(group["description"]?.string ?? "")"
        let schema = try #require(group["schema"])
        let validator: SchemaValidator
        do throws(SchemaProblem) {
          validator = try SchemaValidator(
            schema, documents: documents)
        } catch {
          Issue.record("\(name): \(error)")
          continue
        }
        for test in group["tests"]?.elements.map({ $0 }) ?? [] {
          count += 1
          let data = try #require(test["data"])
          let expected = try #require(test["valid"]?.bool as Bool?)
          let violations = try validator.violations(of: data)
          let fits = try validator.fits(data)
          if violations.isEmpty != expected || fits != expected {
            Issue.record(
              "\(name): \(test["description"]?.string ?? ""): expected \(expected), \(violations)")
          }
        }
      }
    }
    #expect(count > 1000)
    print("\(count) cases of the suite")
  }

  private static func contents(_ path: String) throws -> [UInt8] {
    let file = try ReadableFile(Array(path.utf8))
    var bytes = [UInt8](repeating: 0, count: file.stamp.size)
    var count = 0
    while count < bytes.count {
      let read = try bytes.withUnsafeMutableBytes {
        try file.read(into: UnsafeMutableRawBufferPointer(rebasing: $0[count...]), at: count)
      }
      if read == 0 { break }
      count += read
    }
    return bytes
  }
}
