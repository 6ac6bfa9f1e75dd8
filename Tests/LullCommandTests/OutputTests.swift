import Testing

@Suite("Output", .timeLimit(.minutes(20)))
struct OutputTests {
  @Test func `keeps output and errors apart`() throws {
    let ending = try lull("-e", "print('out') io.stderr:write('err\\n') print('out again')")
    #expect(ending.output == "out\nout again\n")
    #expect(ending.errors == "err\n")
  }

  @Test func `writes a lot of output`() throws {
    let code = "local line = ('x'):rep(999) .. '\\n' for i = 1, 50000 do io.write(line) end"
    let child = try Child(Binaries.lull, ["-e", code])
    let ending = try child.wait()
    #expect(child.output.count == 50_000_000)
    #expect(ending.code == 0)
  }

  @Test func `writes everything before it ends`() throws {
    let lines = "for i = 1, 100000 do print(i) end "
    for (end, code) in [("", 0), ("os.exit(3)", 3), ("error('boom')", 1)] as [(String, Int32)] {
      let ending = try lull("-e", lines + end)
      #expect(ending.output.hasSuffix("\n100000\n"))
      #expect(ending.code == code)
    }
  }

  @Test func `ends quietly if nobody reads on`() throws {
    let ending = try shell("lull -e 'for i = 1, 1e6 do print(i) end' | head -1")
    #expect(ending.output == "1\n")
    #expect(ending.errors == "")
  }

  /// Nothing but the closed output ends this script.
  @Test(arguments: ["print(1)", "io.write('line\\n')", "print(1) lull.sleep(0)"])
  func `ends though the script would go on`(code: String) throws {
    let child = try Child(Binaries.lull, ["-e", "while true do \(code) end"])
    try child.waitForOutput("\n")
    child.closeOutput()
    let ending = try child.wait()
    #expect(ending.errors == "")
  }

  @Test func `says nothing of a closed output in a callback`() throws {
    let child = try Child(
      Binaries.lull,
      [
        "-e",
        """
        io.stdout:setvbuf('no')
        local task = lull.spawn(function() while true do print('tick') lull.sleep(0.001) end end)
        task:await()
        """,
      ])
    try child.waitForOutput("tick\n")
    child.closeOutput()
    let ending = try child.wait()
    #expect(ending.errors == "")
  }

  /// As under some supervisors: the descriptors are free, and the next file opened would get them.
  @Test(arguments: ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
  func `runs without standard streams`(redirection: String) throws {
    let folder = try TemporaryFolder()
    let ending = try shell(
      """
      lull -e 'local user = lull.service(lull.demo()):resource("/users/1"):load():await()
               print("noise")
               io.open("status", "w"):write(user.http_status):close()' \(redirection)
      code=$?
      echo "status $(cat status) code $code"
      """, folder: folder.path)
    #expect(ending.output.hasSuffix("status 200 code 0\n"))
  }

  @Test func `passes bytes through`() throws {
    let child = try Child(
      Binaries.lull, ["-e", "for i = 0, 255 do io.write(string.char(i)) end"])
    _ = try child.wait()
    #expect(child.output == Array(0...255))
  }

  @Test func `reports bytes that are no text in an error`() throws {
    let ending = try lull("-e", #"error('caf\xe9', 0)"#)
    #expect(ending.errors.hasPrefix("lull: caf"))
    #expect(ending.code == 1)
  }
}
