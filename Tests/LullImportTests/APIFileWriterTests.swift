import LullCore
import LullImport
import Testing

@Suite(.timeLimit(.minutes(20)))
struct APIFileWriterTests {
  @Test func `IMP-05 a file is written as a person would have`() {
    var api = ImportedAPI(baseURL: "https://api.example.com/v1")
    api.origin = ["Imported by hand"]
    api.description = "The shop. It sells things."
    api.access = ImportedAccess(.bearer(variable: "SHOP_TOKEN"))
    api.exceptions = [
      ImportedException(pattern: "/login", methods: ["POST"], access: ImportedAccess())
    ]
    var list = ImportedCall(name: "orders/list", method: "GET", path: "/orders")
    var page = ImportedParameter(key: "page", place: .query)
    page.kind = .integer
    var state = ImportedParameter(key: "state", place: .query)
    state.kind = .choice(["open", "end"])
    state.isList = true
    state.explode = false
    list.parameters = [page, state]
    list.pages = .counted(parameter: "page", first: 0, step: 1, items: "orders")
    list.description = "All  orders,\nnewest first.\nMore of it."
    var one = ImportedCall(name: "end", method: "POST", path: "/orders/{id}")
    one.parameters = [ImportedParameter(key: "id", place: .path)]
    api.calls = [list, one]
    #expect(
      APIFileWriter.text(of: api) == """
        -- Imported by hand
        local lull = require "lull"

        local api = lull.service{ base_url = "https://api.example.com/v1" }

        api:configure{ auth = lull.auth.bearer(lull.secret{ env = "SHOP_TOKEN" }) }
        api:configure("/login", { auth = false }, { methods = { "POST" } })

        return {
          service = api,
          description = "The shop. It sells things",
          calls = {
            ["orders/list"] = {
              path = "/orders",
              params = {
                page = "integer",
                state = { type = { "open", "end" }, list = true, explode = false },
              },
              description = "All orders, newest first",
              pages = { page = { param = "page", first = 0, items = "orders" } },
            },
            ["end"] = { path = "/orders/{id}", method = "POST", params = { id = "string" } },
          },
        }

        """)
  }

  @Test func `IMP-06 texts become strings of one line and nothing else`() {
    var api = ImportedAPI(baseURL: "https://a.example/\"]]..os.exit()")
    api.origin = ["a\n]] os.exit() --\r\u{2028}b"]
    api.description = "x\"\\ \u{202E}]]\u{0}--[[\u{1B}[31m"
    var call = ImportedCall(name: "a\"]\u{0}", method: "GET", path: "/\n")
    call.headers = [("X-A", .secret(prefix: "k\"=", variable: "V\""))]
    api.calls = [call]
    let text = APIFileWriter.text(of: api)
    #expect(text.contains("-- a\\u{A}]] os.exit() --\\u{D}\\u{2028}b\n"))
    #expect(text.contains(#"base_url = "https://a.example/\"]]..os.exit()""#))
    #expect(text.contains(#"description = "x\"\\ ]] --[[ [31m""#))
    #expect(text.contains(#"["a\"]\u{0}"] = {"#))
    #expect(text.contains(#"path = "/\n""#))
    #expect(text.contains(#"["X-A"] = "k\"=" .. lull.secret{ env = "V\"" }"#))
    #expect(!text.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" || $0.value == 0x202E })
  }

  @Test func `IMP-07 long texts and lists are broken into lines that luacheck takes`() {
    var api = ImportedAPI(baseURL: "https://a.example")
    var call = ImportedCall(
      name: "c", method: "GET", path: "/" + String(repeating: "segment/", count: 40))
    var kind = ImportedParameter(key: "kind", place: .query)
    kind.kind = .choice((0..<60).map { "word\($0)" })
    call.parameters = [kind]
    api.calls = [call]
    let lines = APIFileWriter.text(of: api).split(separator: "\n")
    #expect(lines.allSatisfy { $0.count <= 120 })
    #expect(lines.count < 40)
  }
}
