import LullCore
import Testing

@testable import LullTransport

/// What a netrc file says.
@Suite(.timeLimit(.minutes(20)))
struct NetrcFileTests {
  private func file(_ text: String) throws -> NetrcFile { try NetrcFile(Array(text.utf8)) }

  private func login(_ text: String, _ host: String, named name: String? = nil) throws -> String? {
    try file(text).login(for: host, named: name).map { "\($0.name ?? "nobody"):\($0.password)" }
  }

  @Test func `NETRC-01 a host has the login behind its name`() throws {
    let text = """
      # Of my own.
      machine API.example.com login ann password s3cr3t # mine
      machine api.example.com
        login bob
        password "with \\"blanks\\" and \\\\"
      machine 127.0.0.1 login me password #hash account x
      machine ::1 login six password p
      default login anonymous password a@b
      machine behind.example.com login never password never
      """
    #expect(try login(text, "api.example.com") == "ann:s3cr3t")
    #expect(try login(text, "api.example.com.") == "ann:s3cr3t")
    #expect(try login(text, "api.example.com", named: "bob") == #"bob:with "blanks" and \"#)
    #expect(try login(text, "127.0.0.1") == "me:#hash")
    #expect(try login(text, "[::1]") == "six:p")
    #expect(try login(text, "behind.example.com") == "anonymous:a@b")
    #expect(try login(text, "example.com", named: "ann") == nil)
    #expect(try login("", "example.com") == nil)
    #expect(try login("\u{FEFF}machine a login b password c", "a") == "b:c")
    #expect(try login("machine a login b\r\npassword c\r\n", "a") == "b:c")
    #expect(try login("machine a login b", "a") == "b:")
    #expect(try login("machine a password c", "a") == "nobody:c")
  }

  @Test func `NETRC-01 macros are passed over`() throws {
    let text = """
      machine a login b password c
      macdef init
      machine evil login evil password evil
      default

      machine d login e password f
      macdef last
      machine x login y password z
      """
    #expect(try file(text).logins.map(\.machine) == ["a", "d"])
  }

  @Test(arguments: [
    ("machine", 1, "'machine' has no value"),
    ("machine a\nlogin \"b", 2, "a quotation mark is missing"),
    ("machine a\n\nlogin \"b\npassword c\"", 3, "a quotation mark is missing"),
    ("login a", 1, "'login' comes before the first 'machine'"),
    ("machine a login b c password d", 1, "expected 'machine', found another word"),
  ])
  func `NETRC-02 what is wrong is told by its line and shows nothing of it`(
    _ text: String, _ line: Int, _ reason: String
  ) {
    #expect {
      _ = try file(text)
    } throws: { error in
      let problem = error as? NetrcFile.Problem
      return problem?.line == line && problem?.reason.hasPrefix(reason) == true
    }
  }

  @Test func `NETRC-02 bytes that are no text are refused`() {
    #expect(throws: NetrcFile.Problem.self) {
      _ = try NetrcFile(Array("machine a login ".utf8) + [0xFF, 0xFE])
    }
  }
}
