import LullCore
import Testing

@Suite(.timeLimit(.minutes(20)))
struct UploadFileTests {
  @Test(arguments: [
    ("a.pdf", "a.pdf", "application/pdf"), ("/tmp/x/Photo.JPG", "Photo.JPG", "image/jpeg"),
    ("notes.tar.gz", "notes.tar.gz", "application/gzip"), ("a.csv/", "a.csv", "text/csv"),
    ("Makefile", "Makefile", "application/octet-stream"),
    ("a.unheard-of", "a.unheard-of", "application/octet-stream"),
    ("dir.png/none", "none", "application/octet-stream"), (".json", ".json", "application/json"),
    ("x.", "x.", "application/octet-stream"),
  ])
  func `BODY-02 name and type are those of the path`(
    _ path: ByteString, _ name: ByteString, _ type: String
  ) {
    let file = UploadFile(path)
    #expect(file.name == name)
    #expect(file.contentType == type)
  }

  @Test func `BODY-02 what is given counts, and the type goes by the name that is given`() {
    let file = UploadFile("data", name: "a.png")
    #expect(file.name == "a.png")
    #expect(file.contentType == "image/png")
    #expect(UploadFile("a.png", contentType: "x/y").contentType == "x/y")
    #expect(UploadFile(ByteString([0x2F, 0xE9, 0x2E, 0x70, 0x6E, 0x67])).name.bytes.first == 0xE9)
  }
}
