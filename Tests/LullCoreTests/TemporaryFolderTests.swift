import LullLibC
import LullSystem
import Testing

@Suite(.timeLimit(.minutes(20)))
struct TemporaryFolderTests {
  @Test func `all that is in it goes with it, and nothing that links lead to`() throws {
    let other = try #require(TemporaryFolder("lull-other"))
    defer { other.remove() }
    let folder = try #require(TemporaryFolder("lull-folder"))
    defer { folder.remove() }
    #expect(folder.path.hasPrefix(TemporaryFolder.place + "/lull-folder-"))
    #expect(mkdir(folder.path + "/.hidden", 0o700) == 0)
    let files = ["\(other.path)/a", "\(folder.path)/.hidden/b"].map { Array($0.utf8) }
    // A name that is no UTF-8.
    for file in files + [Array("\(folder.path)/".utf8) + [0xFF]] {
      #expect(AtomicFile.write([], to: file, .usual) == nil)
    }
    #expect(symlink(other.path, folder.path + "/link") == 0)
    let names = try FolderListing.names(in: folder.path)
    #expect(Set(names) == [".hidden", "link", "\u{FFFD}"])
    folder.remove()
    #expect(access(folder.path, F_OK) != 0)
    #expect(try FolderListing.names(in: other.path) == ["a"])
  }
}
