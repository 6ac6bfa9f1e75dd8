import Testing

/// Requests that are wrong before anything is sent.
@Suite("Requests from the shell that are refused", .timeLimit(.minutes(20)))
struct VerbRefusalTests {
  @Test(arguments: [
    (["get"], "the argument 'TARGET' is missing"),
    (["get", "github"], "a path below 'github' is missing, such as /users"),
    (["get", "http://"], "'http://' is not a URL"),
    (
      ["-X", "PURGE", "http://a.example"],
      "there is no option '-X': write the method first: lull PUT URL"
    ),
    (
      ["get", "http://a.example", "--all", "--pages", "2"],
      "--pages cannot be combined with --all"
    ),
    (
      ["get", "https://a.example", "nonsense"],
      "'nonsense' is not an item: name=text, name:=json, name==query, Header:value"
    ),
    (
      ["get", "https://a.example", "a=b", "--all"],
      "pages are requested without a body, but 'a=b' makes one; write a query parameter as a==value"
    ),
    (["get", "https://a.example", "-H", "Na me: v"], "-H: 'Na me' is not a valid header name"),
    (["get", "https://a.example", "-H", "Na me:"], "-H: 'Na me' is not a valid header name"),
    (["get", "https://a.example", "-H", "Ä: v"], "-H: 'Ä' is not a valid header name"),
    (
      ["get", "https://a.example", "-H", "X-A: one\r\ntwo"],
      "-H: header 'X-A' must not contain line breaks or zero bytes"
    ),
    (
      ["get", "https://a.example", "-H", "X-A: a\u{1}"],
      "-H: header 'X-A' must not contain control characters"
    ),
    (["get", "https://a.example", "Na me:v"], "'Na me' is not a valid header name"),
    (["get", "https://a.example", "X\nA:v"], "'X A' is not a valid header name"),
    (
      ["post", "https://a.example", "X-A:one\ntwo"],
      "header 'X-A' must not contain line breaks or zero bytes"
    ),
    (
      ["post", "https://a.example", "-d", "-", "--ignore-stdin"],
      "-d - cannot be combined with --ignore-stdin"
    ),
    (
      ["get", "https://a.example", "-d", "{}", "--all"],
      "-d cannot be combined with --all"
    ),
    (
      ["post", "https://a.example", "a=b", "-d", "{}"],
      "-d is the whole body and cannot be combined with 'a=b'"
    ),
    (
      ["post", "https://a.example", "a:=nope"],
      "'a:=nope': its value is not JSON: expected a value at byte 0; write text as a=text"
    ),
    (
      ["post", "https://a.example", "-d", "{nope"],
      "the body is not JSON: expected a key in double quotes at byte 1; set its type with -H"
    ),
    (["post", "https://a.example", "a@"], "'a@': the file name is missing"),
    (["post", "https://a.example", "a@x;type="], "the content type is missing after ';type='"),
    (
      ["post", "https://a.example", "a@x;type=a/b\nc: d"],
      "the content type 'a/b\nc: d' must not contain line breaks or zero bytes"
    ),
    (
      ["post", "https://a.example", "a@/no/such"],
      "'a@/no/such': cannot read '/no/such': No such file or directory"
    ),
    (
      ["post", "https://a.example", "a@x", "--json"],
      "'a@x' makes a form and cannot be combined with --json; a=@x sends the text of the file"
    ),
    (
      ["post", "https://a.example", "@x", "a=b"],
      "'@x' is the whole body and cannot be combined with other body items; write a form field as name@x"
    ),
    (
      ["post", "https://a.example", "-d", "1", "--raw", "2"], "-d cannot be combined with --raw"
    ),
    (
      ["post", "https://a.example", "--json", "--multipart", "a=b"],
      "--multipart cannot be combined with --json"
    ),
    (
      ["post", "https://a.example", "--multipart", "-d", "1"],
      "--multipart cannot be combined with -d"
    ),
    (
      ["post", "-f", ":8080/x", "a=b"],
      "-f is a filter, an expression in Lua, and ':8080/x' is not one: send a form with --form"
    ),
    (["post", "https://a.example", "-f", "user[name]=Ann"], "-f is a filter"),
    (["post", "https://a.example", "-f", "n:=1"], "-f is a filter"),
    (
      ["post", "https://a.example", "a=@/dev/zero"],
      "'a=@/dev/zero': cannot read '/dev/zero': it is larger than 100 MB"
    ),
    (["post", "https://a.example", "--boundary", "x", "a=b"], "there is no option '--boundary'"),
    (
      ["post", "https://a.example", "--form", "a:=[1]"],
      "'a:=[1]': a form field can be text, a number, true or false, but no other JSON"
    ),
    (["get", "https://a.example", "X-A;b"], "'X-A;b': an empty header ends with ';'"),
    (
      ["post", "https://a.example", "a[999999999]=b"],
      "'a[999999999]=b': a list can have at most 100000 elements"
    ),
    (
      ["post", "https://a.example", "a" + String(repeating: "[b]", count: 1000) + "=c"],
      "'a\(String(repeating: "[b]", count: 1000))=c': a key can have at most 1000 levels"
    ),
    (
      ["post", "https://a.example", "a=@no/such/file"],
      "'a=@no/such/file': cannot read 'no/such/file': No such file or directory"
    ),
    (
      ["get", "https://a.example", "-o", "xml"],
      "'--output' must be json, ndjson, table, csv, lines or raw, got 'xml'"
    ),
    (["get", "https://a.example", "--nonsense"], "unknown option '--nonsense'"),
    (["get", "https://a.example", "-H", "nonsense"], "-H needs 'Name: value', got 'nonsense'"),
    (
      ["get", "https://a.example", "-O", "x", "-f", "x"],
      "-f cannot be combined with -O"
    ),
    (
      ["get", "https://a.example", "--pages", "0"], "--pages needs a whole number above 0, got '0'"
    ),
    (
      ["get", "https://a.example", "--all", "-i"],
      "--all cannot be combined with -i"
    ),
    (
      ["get", "https://a.example", "--timeout", "-1"],
      "--timeout needs a number of seconds, or 0 for none, got '-1'"
    ),
    (["get", "https://a.example", "-O", ""], "-O needs the name of a file"),
    (["get", "https://a.example", "-f", " "], "-f needs an expression, such as x.name"),
    (
      ["get", "https://a.example", "-O", "x", "-o", "json"],
      "-O cannot be combined with -o; for a format write -o … > FILE"
    ),
    (
      ["head", "https://a.example", "-O", "x"],
      "a response to HEAD has no body: -O cannot be used"
    ),
  ])
  func `ITM-12 says what is wrong`(words: [String], saying: String) throws {
    let ending = try Child(Binaries.lull, words).wait()
    #expect(ending.code == 2)
    #expect(ending.output == "")
    #expect(ending.errors.hasPrefix("lull: \(saying)"), "\(ending.errors)")
  }
}
