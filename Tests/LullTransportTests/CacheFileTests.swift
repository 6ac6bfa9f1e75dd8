import LullLibC
import LullCore
import Testing

@testable import LullTransport

/// The file itself: bounds, damage, and others who use it.
@Suite(.timeLimit(.minutes(20)))
struct CacheFileTests {
  private let fixture: CacheFolderFixture
  private let warnings = Journal()

  init() throws {
    fixture = try #require(CacheFolderFixture())
  }

  private func file() -> CacheFile {
    CacheFile(path: fixture.path) { [warnings] in warnings($0) }
  }

  private func place(_ name: String) -> CacheKey {
    CacheKey(url: "https://api.test/\(name)", stage: "parsing", version: 1)
  }

  @discardableResult
  private func write(
    _ file: CacheFile, _ name: String, _ text: String? = nil, now: Double = 1000,
    maxSize: Int = 1 << 28
  ) -> Bool {
    file.write(
      Entity(content: .text(text ?? name), timestamp: now), at: place(name), now: now,
      maxSize: maxSize)
  }

  private func read(_ file: CacheFile, _ name: String, now: Double = 1000) -> String? {
    let entity = file.read(place(name), .answering(Headers()), now: now, maxAge: nil)
    if case .text(let text)? = entity?.content { return text }
    return nil
  }

  private func count(_ file: CacheFile, _ sql: String) -> Int {
    Int(file.perform { (database) throws(SQLiteError) in try database.integer(sql) } ?? -1)
  }

  // MARK: Others

  @Test func `CACHE-31 two connections see each other's entries at once`() {
    let (one, two) = (file(), file())
    write(one, "a")
    #expect(read(two, "a") == "a")
    write(two, "a", "changed")
    #expect(read(one, "a") == "changed")
    two.remove(place("a"))
    #expect(read(one, "a") == nil)
    one.touch(place("a"), .answering(Headers()), timestamp: 5)
    #expect(read(one, "a") == nil, "CACHE-26: nothing if absent")
    #expect(warnings.lines == [])
  }

  @Test
  func `CACHE-31 one reads while another writes, and loses a write rather than wait for ever`() {
    let (one, two) = (file(), file())
    write(one, "a")
    #expect(read(two, "a") == "a")
    one.perform { (database) throws(SQLiteError) in
      try database.transaction { () throws(SQLiteError) in
        #expect(read(two, "a") == "a")
        write(two, "b")
      }
    }
    #expect(read(two, "b") == nil)
    write(two, "b")
    #expect(read(one, "b") == "b")
    #expect(warnings.lines == [])
  }

  @Test func `CACHE-31 a file that somebody removes is made again`() {
    let one = file()
    write(one, "a")
    for name in [""] + fixture.files { unlink(fixture.path + name) }
    #expect(read(one, "a") == nil)
    write(one, "b")
    #expect(read(file(), "b") == "b")
    #expect(warnings.lines == [])
  }

  // MARK: Bounds

  @Test func `CACHE-28 beyond its size, the file loses what has not been used for longest`() {
    let one = file()
    let limit = 1 << 20
    let text = String(repeating: "x", count: 50_000)
    write(one, "often", text, now: 0, maxSize: limit)
    for number in 1...60 {
      let now = Double(number) * 100
      #expect(read(one, "often", now: now) == text)
      one.noteReads()
      var needsMore = write(one, "\(number)", text, now: now, maxSize: limit)
      while needsMore { needsMore = one.makeRoom(maxSize: limit) }
      #expect(count(one, "PRAGMA page_count") * 4096 <= limit)
    }
    #expect(read(one, "often") == text)
    #expect(read(one, "60") == text)
    #expect(read(one, "1") == nil)
    let kept = count(one, "SELECT count(*) FROM entry")
    #expect((10...20).contains(kept))
    #expect(count(one, "SELECT count(*) FROM content") == kept)
    #expect(count(one, "SELECT min(used) FROM entry WHERE url NOT LIKE '%often'") > 3900)
  }

  @Test func `CACHE-28 one that would take more than an eighth is not kept, nor what it replaces`()
  {
    let one = file()
    write(one, "a", "small", maxSize: 1 << 20)
    write(one, "a", String(repeating: "x", count: 1 << 17), maxSize: 1 << 20)
    #expect(read(one, "a") == nil)
    write(one, "a", String(repeating: "x", count: 1 << 16), maxSize: 1 << 20)
    #expect(read(one, "a")?.count == 1 << 16)
  }

  @Test func `CACHE-28 a smaller bound shrinks the file, in steps`() {
    let one = file()
    for number in 0..<100 {
      write(one, "\(number)", String(repeating: "x", count: 50_000), now: Double(number))
    }
    #expect(count(one, "PRAGMA page_count") * 4096 > 5_000_000)
    var steps = 0
    while one.makeRoom(maxSize: 1 << 20) { steps += 1 }
    #expect(steps > 2)
    #expect(count(one, "PRAGMA page_count") * 4096 <= 1 << 20)
    #expect(read(one, "99")?.count == 50_000)
    while one.makeRoom(maxSize: 0) { steps += 1 }
    #expect(count(one, "SELECT count(*) FROM entry") == 0)
  }

  @Test(arguments: [1 << 18, 1 << 20])
  func `CACHE-28 the write-ahead log stays small beside a small file`(limit: Int) {
    let one = file()
    let text = String(repeating: "x", count: limit / 16)
    for number in 0..<200 {
      var needsMore = write(one, "\(number)", text, now: Double(number), maxSize: limit)
      while needsMore { needsMore = one.makeRoom(maxSize: limit) }
      let size = CacheFolder.size(of: fixture.path) + CacheFolder.size(of: fixture.path + "-wal")
      #expect(size <= limit * 3 / 2, "after \(number)")
    }
    #expect(read(one, "199") == text)
  }

  // MARK: Damage

  @Test(arguments: [
    "timestamp = -1e30", "timestamp = -9e999", "timestamp = 1e30", "timestamp = 9e999",
    "used = 9e999", "used = -1", "elapsed = -1", "elapsed = 9e999",
  ])
  func `CACHE-28 an entry with a time that cannot be is damage`(_ change: String) {
    let one = file()
    let response = HTTPResponse(status: 200, url: "https://api.test/a", elapsed: 0.5)
    var entity = Entity(content: .text("a"), timestamp: 1000)
    entity.exchange = Exchange(response)
    _ = one.write(entity, at: place("a"), now: 1000, maxSize: 1 << 28)
    #expect(read(one, "a") == "a")
    one.perform { (database) throws(SQLiteError) in
      try database.execute("UPDATE entry SET \(change)")
    }
    #expect(read(one, "a") == nil)
    #expect(warnings.lines.count == 1)
    #expect(warnings.lines.first?.contains("an entry has an impossible time") == true)
    #expect(fixture.countSetAside == 1)
  }

  @Test func `CACHE-28 an entity with a time that cannot be is not written`() {
    let one = file()
    for time in [-.infinity, -1, 1e300, .infinity, .nan] as [Double] {
      write(one, "a")
      one.touch(place("a"), .answering(Headers()), timestamp: time)
      #expect(read(one, "a") == nil)
      write(one, "b")
      _ = one.write(
        Entity(content: .text("b"), timestamp: time), at: place("b"), now: 1000, maxSize: 1 << 28)
      #expect(read(one, "b") == nil)
    }
    #expect(warnings.lines == [])
  }

  @Test func `CACHE-28 sizes that cannot be do not end the program`() {
    let one = file()
    for name in ["a", "b"] { write(one, name) }
    one.perform { (database) throws(SQLiteError) in
      try database.execute("UPDATE entry SET size = 9223372036854775807")
    }
    while one.makeRoom(maxSize: 0) {}
    #expect(count(one, "SELECT count(*) FROM content") == 0)
  }

  @Test func `CACHE-31 what is dated ahead of now is as old as can be; a minute does not matter`() {
    let one = file()
    func timestamp(_ now: Double?, maxAge: Double? = nil) -> Double? {
      one.read(place("a"), .answering(Headers()), now: now, maxAge: maxAge)?.timestamp
    }
    write(one, "a", now: 5000)
    #expect(timestamp(6000) == 5000)
    #expect(timestamp(4940) == 5000)
    #expect(timestamp(4939) == 0)
    #expect(timestamp(nil) == 5000)
    #expect(timestamp(4939, maxAge: 4939) == 0)
    #expect(timestamp(4939, maxAge: 4938) == nil)
    #expect(timestamp(6000) == nil, "it is gone")
    #expect(warnings.lines == [])
  }

  /// What is in the file, all of it in its main part.
  private func filled() throws -> [UInt8] {
    let one = file()
    for number in 0..<50 { write(one, "\(number)", "text \(number) " + padding) }
    one.perform { (database) throws(SQLiteError) in
      try database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    }
    return try #require(contents(fixture.path))
  }

  private let padding = String(repeating: "p", count: 6000)

  private func replace(_ bytes: [UInt8]) throws {
    for name in fixture.files { unlink(fixture.path + name) }
    let stream = try #require(fopen(fixture.path, "w"))
    fwrite(bytes, 1, bytes.count, stream)
    fclose(stream)
  }

  enum Damage: String, CaseIterable {
    case noise, text, shortened, halved, zeroed, header, schema, tables, contents
  }

  private func damaged(_ bytes: [UInt8], _ damage: Damage) throws -> [UInt8] {
    var bytes = bytes
    switch damage {
    case .noise: return (0..<50_000).map { _ in UInt8.random(in: 1...255) }
    case .text: return Array("hello".utf8)
    case .shortened: return Array(bytes.prefix(4096 + 100))
    case .halved: return Array(bytes.prefix(bytes.count / 2))
    case .zeroed: for index in 4096..<bytes.count { bytes[index] = 0 }
    case .header: for index in 0..<16 { bytes[index] ^= 0xff }
    case .schema: for index in 100..<4096 { bytes[index] = 0x55 }
    case .tables: for index in 4096..<min(bytes.count, 65536) { bytes[index] ^= 0x5a }
    case .contents:
      // One letter of each entity's content, which SQLite does not look at.
      let pattern = Array("ppppppppp".utf8)
      for start in stride(from: 0, to: bytes.count - 4096, by: 512)
      where Array(bytes[start..<start + 9]) == pattern { bytes[start + 4] = UInt8(ascii: "q") }
    }
    return bytes
  }

  @Test(arguments: Damage.allCases)
  func
    `CACHE-28 a damaged file gives no wrong entity, is set aside with one warning, and work goes on`(
      _ damage: Damage
    ) throws
  {
    let whole = try filled()
    try replace(try damaged(whole, damage))
    let one = file()
    for number in 0..<50 {
      let text = read(one, "\(number)")
      #expect(text == nil || text == "text \(number) " + padding)
    }
    #expect(warnings.lines.count == 1)
    #expect(warnings.lines.first?.contains("cannot be read") == true)
    #expect(fixture.countSetAside == 1)
    write(one, "new")
    #expect(read(one, "new") == "new")
    #expect(read(file(), "new") == "new")
    #expect(warnings.lines.count == 1)
  }

  @Test
  func
    `CACHE-28 a process that has a file open goes over to the new one when another sets it aside`()
    throws
  {
    let two = file()
    write(two, "a")
    let one = file()
    #expect(read(one, "a") == "a")
    one.perform { (_) throws(SQLiteError) in throw SQLiteError.damaged("so it is said") }
    #expect(fixture.countSetAside == 1)
    write(one, "b")
    #expect(read(two, "b") == "b")
    write(two, "c")
    #expect(read(one, "c") == "c")
    #expect(warnings.lines.count == 1)
    #expect(fixture.countSetAside == 1)
  }

  @Test func `CACHE-28 a file that is damaged again and again is given up`() {
    let one = file()
    for _ in 0..<10 {
      write(one, "a")
      one.perform { (_) throws(SQLiteError) in throw SQLiteError.damaged("so it is said") }
    }
    #expect(fixture.countSetAside == 3)
    #expect(warnings.lines.count == 4)
    #expect(read(one, "a") == nil)
  }

  @Test
  func
    `CACHE-28 without room nothing more is written, of which one warning tells, and reads go on`()
  {
    let one = file()
    write(one, "a")
    one.perform { (database) throws(SQLiteError) in
      let count = try database.integer("PRAGMA page_count")
      try database.run("PRAGMA max_page_count = \(count + 4)") { (_) throws(SQLiteError) in }
    }
    for number in 0..<10 { write(one, "\(number)", padding + padding) }
    #expect(warnings.lines.count == 1)
    #expect(warnings.lines.first?.contains("no room for the cache") == true)
    #expect(read(one, "a") == "a")
    #expect(fixture.countSetAside == 0)
  }

  @Test
  func
    `CACHE-28 the file of an older Lull is set aside, whoever has it open; that one is not read`()
    throws
  {
    let older = file()
    write(older, "a", "somebody else's")
    older.perform { (database) throws(SQLiteError) in
      try database.execute("PRAGMA user_version = 1; PRAGMA wal_checkpoint(TRUNCATE)")
    }
    let one = file()
    #expect(read(one, "a") == nil)
    write(one, "a", "own")
    #expect(
      warnings.lines == [
        "the cache '\(fixture.path)' was written by an older Lull: it is "
          + "renamed to '\(fixture.path).version-1' and replaced"
      ])
    #expect(fixture.countSetAside == 0)
    // That one looks whether its file is still the one of that name.
    #expect(read(older, "a") == "own")
    #expect(read(file(), "a") == "own")
    #expect(warnings.lines.count == 1)
    // An older one that begins anew, and is set aside again.
    one.perform { (database) throws(SQLiteError) in
      try database.execute("PRAGMA user_version = 1; PRAGMA wal_checkpoint(TRUNCATE)")
    }
    #expect(read(file(), "a") == nil)
    #expect(
      fixture.files.filter { $0.hasPrefix(".version-") && !$0.hasSuffix("-wal") } == [".version-1"])
    let inspection = try CacheInspection(path: fixture.path)
    #expect(try inspection.clear(prefix: nil) == 0)
    #expect(fixture.files.allSatisfy { $0 == "-lock" }, "\(fixture.files)")
  }

  @Test func `CACHE-28 files of a newer Lull and of other programs are left as they are`() throws {
    let one = file()
    write(one, "a")
    one.perform { (database) throws(SQLiteError) in
      try database.execute("PRAGMA user_version = 99; PRAGMA wal_checkpoint(TRUNCATE)")
    }
    let two = file()
    for _ in 0..<3 { #expect(read(two, "a") == nil) }
    #expect(two.refusal == "'\(fixture.path)' was written by a newer Lull")
    one.perform { (database) throws(SQLiteError) in
      try database.execute("PRAGMA application_id = 7; PRAGMA wal_checkpoint(TRUNCATE)")
    }
    let three = file()
    #expect(read(three, "a") == nil)
    #expect(three.refusal == "'\(fixture.path)' is a database of another program")
    #expect(warnings.lines.count == 2)
    #expect(fixture.countSetAside == 0)
  }

  @Test func `CACHE-28 a place where no file can be is done without, with one warning`() throws {
    let stream = try #require(fopen(fixture.folder + "/plain", "w"))
    fclose(stream)
    for path in ["/proc/nowhere/cache.db", fixture.folder + "/plain/cache.db", fixture.folder] {
      let warnings = Journal()
      let one = CacheFile(path: path) { warnings($0) }
      write(one, "a")
      #expect(read(one, "a") == nil)
      #expect(warnings.lines.count == 1, "\(path): \(warnings.lines)")
      unlink(path + "-lock")
    }
  }
}
