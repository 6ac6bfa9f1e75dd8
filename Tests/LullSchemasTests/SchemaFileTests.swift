import LullCore
import LullSchemas
import LullSystem
import Testing

@Suite(.timeLimit(.minutes(20))) struct SchemaFileTests {
  private static let text = #"""
    {"$schema":"https://json-schema.org/draft/2020-12/schema","calls":{
    "repos/get":{"responses":{"200":{"$ref":"#/$defs/full-repository"}}},
    "say \"hi\"":{"body":{"type":"string"}}
    },"$defs":{
    "full-repository":{"type":"object"},
    "a/b~c":{"type":"null"}
    }}

    """#

  private static func file(_ text: String) throws(SchemaProblem) -> SchemaFile {
    try SchemaFile(Array(text.utf8), name: "x.schemas.json")
  }

  private static func problem(_ text: String) -> String? {
    do throws(SchemaProblem) {
      _ = try file(text)
      return nil
    } catch {
      return error.description
    }
  }

  @Test func `SCH-01 an entry on each line is found by its name and parsed once`() throws {
    for text in [SchemaFileTests.text, SchemaFileTests.text.replacing("\n", with: "\r\n")] {
      let file = try SchemaFileTests.file(text)
      #expect(file.calls == ["repos/get", #"say "hi""#])
      #expect(file.definitions == ["full-repository", "a/b~c"])
      #expect(file.line(of: "a/b~c", in: "$defs") == 6)
      let call = try #require(try file.call("repos/get"))
      #expect(call[pointer: "/responses/200/$ref"]?.string == "#/$defs/full-repository")
      #expect(try file.call("repos/get")?.document === call.document)
      #expect(try file.call(#"say "hi""#)?["body"]?["type"]?.string == "string")
      #expect(try file.call("full-repository") == nil)
      #expect(try file.definition("repos/list") == nil)
      #expect(file.problems().isEmpty)
    }
  }

  @Test func `SCH-01 sections may be empty or missing`() throws {
    #expect(try SchemaFileTests.file("{\"calls\":{\n},\"$defs\":{\n}}").calls.isEmpty)
    #expect(try SchemaFileTests.file("{\"calls\":{\n\"a\":{}\n},\"$defs\":{}}\n").calls == ["a"])
    #expect(try SchemaFileTests.file("{\"$defs\":{\n\"a\":true\n}}").definitions == ["a"])
    #expect(try SchemaFileTests.file("{}").calls.isEmpty)
  }

  @Test func `SCH-02 another form says the same`() throws {
    let file = try SchemaFileTests.file(
      """
      {
        "calls": { "a": { "responses": { "200": true } } },
        "$defs": {
      "b": {
      "type": "string"
      },
      "c": false
      } }
      """)
    #expect(file.calls == ["a"])
    #expect(file.definitions == ["b", "c"])
    #expect(try file.definition("b")?["type"]?.string == "string")
    #expect(try file.call("a")?[pointer: "/responses/200"]?.bool == true)
  }

  @Test func `SCH-03 what is damaged is told with its line`() throws {
    #expect(
      SchemaFileTests.problem("{\"calls\":{\n\"a\":{},\n\"b\"\n}}")?
        .hasPrefix("x.schemas.json:") == true)
    #expect(SchemaFileTests.problem("")?.hasPrefix("x.schemas.json") == true)
    #expect(SchemaFileTests.problem("[1]") != nil)
    #expect(
      SchemaFileTests.problem("{\"calls\": []}") == "x.schemas.json: 'calls' must be an object")
    #expect(SchemaFileTests.problem(String(SchemaFileTests.text.dropLast(4))) != nil)
    let file = try SchemaFileTests.file("{\"$defs\":{\n\"a\":{},\n\"b\":{,\n\"c\":1\n}}")
    #expect(try file.definition("c")?.int == 1)
    #expect(file.problems().map(\.line) == [3])
    #expect { _ = try file.definition("b") } throws: {
      "\($0)".hasPrefix("x.schemas.json:3: is not JSON: ")
    }
  }

  @Test func `SCH-03 a file that cannot be read says why`() {
    #expect { _ = try SchemaFile.read(Array("/nowhere/a.json".utf8)) } throws: {
      "\($0)" == "/nowhere/a.json: No such file or directory"
    }
    #expect { _ = try SchemaFile.read(Array("/".utf8), name: "a") } throws: {
      "\($0)" == "a: is a directory"
    }
  }
}
