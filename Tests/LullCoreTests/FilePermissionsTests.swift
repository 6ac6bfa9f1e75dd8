import LullLibC
import LullCore
import LullSystem
import Testing

@Suite("Permissions of files that replace others", .serialized, .timeLimit(.minutes(20)))
struct FilePermissionsTests {
  private static func status(_ mode: mode_t, user: uid_t = geteuid(), group: gid_t = getegid())
    -> stat
  {
    var status = stat()
    status.st_mode = S_IFREG | mode
    status.st_uid = user
    status.st_gid = group
    return status
  }

  @Test func `begin with no more than they end with`() {
    #expect(FilePermissions.usual.creationMode == 0o666)
    for mode in [0o600, 0o640, 0o644, 0o400, 0o755] as [mode_t] {
      #expect(FilePermissions.exactly(mode).creationMode == mode)
      #expect(FilePermissions.of(Self.status(mode)).creationMode == mode)
      #expect(FilePermissions.of(Self.status(0o777), mode: mode).creationMode == mode)
    }
  }

  @Test func `are for nobody else until the file has its group`() {
    let status = Self.status(0o664, group: getegid() &+ 1)
    #expect(FilePermissions.of(status).creationMode == 0o600)
  }

  @Test(arguments: [0o4755, 0o2755, 0o6755, 0o1644] as [mode_t])
  func `lend no rights`(mode: mode_t) throws {
    let permissions = FilePermissions.of(Self.status(mode))
    #expect(permissions.creationMode == mode & 0o777)
    let (file, name) = try Self.made(0o600)
    defer { close(file); unlink(name) }
    #expect(permissions.apply(to: file) == nil)
    #expect(Self.mode(of: file) == mode & 0o777)
  }

  @Test func `are those of the file whatever the mask`() throws {
    let (file, name) = try Self.made(0o600)
    defer { close(file); unlink(name) }
    #expect(FilePermissions.exactly(0o666).apply(to: file) == nil)
    #expect(Self.mode(of: file) == 0o666)
    #expect(FilePermissions.usual.apply(to: file) == nil)
    #expect(Self.mode(of: file) == 0o666)
  }

  private static func made(_ mode: mode_t) throws -> (Int32, String) {
    let name = "/tmp/lull-permissions-\(getpid())-\(UInt32.random(in: 0...(.max)))"
    let file = open(name, O_WRONLY | O_CREAT | O_EXCL, mode)
    try #require(file >= 0)
    return (file, name)
  }

  private static func mode(of file: Int32) -> mode_t {
    var status = stat()
    fstat(file, &status)
    return status.st_mode & 0o7777
  }
}
