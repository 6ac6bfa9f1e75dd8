import Testing

/// Headers of libraries that the package is built with.
@Suite(.timeLimit(.minutes(20))) struct MissingHeaderTests {
  static let headers: [(file: String, header: String, package: String)] = [
    ("System/CHiredis/CHiredis.c", "hiredis/hiredis.h", "libhiredis-dev"),
    ("System/CLua/shim.h", "lua5.4/lua.h", "liblua5.4-dev"),
    ("System/CSQLite/CSQLite.c", "sqlite3.h", "libsqlite3-dev"),
    ("System/CCurl/include/CCurl.h", "curl/curl.h", "libcurl4-openssl-dev"),
    ("System/CCrypto/CCrypto.c", "openssl/evp.h", "libssl-dev"),
    ("System/CPCRE2/CPCRE2.c", "pcre2.h", "libpcre2-dev"),
    ("System/CUV/shim.h", "uv.h", "libuv1-dev"),
    ("System/CMicrohttpd/cmhd_parts.h", "microhttpd.h", "libmicrohttpd-dev"),
    ("System/CCompression/CCompression.c", "brotli/decode.h", "libbrotli-dev"),
    ("System/CCompression/CCompression.c", "zlib.h", "zlib1g-dev"),
    ("System/CCompression/CCompression.c", "zstd.h", "libzstd-dev"),
    ("System/CYAML/CYAML.c", "yaml.h", "libyaml-dev"),
    ("System/CEditline/include/CEditline.h", "histedit.h", "libedit-dev"),
    ("CSimdjson/csimdjson.cpp", "simdjson.h", "libsimdjson-dev"),
    ("CLullBridge/base/lull_base.h", "lua5.4/lua.h", "liblua5.4-dev"),
  ]

  @Test(arguments: headers)
  func `SWF-163 a header that is missing names its package`(
    file: String, header: String, package: String
  ) throws {
    let path = "\(Binaries.root)/Sources/\(file)"
    let folder = path[..<(path.lastIndex(of: "/") ?? path.startIndex)]
    let language = file.hasSuffix("cpp") ? "c++" : "c"
    // The header goes by a name that no package has.
    let result = try shell(
      """
      sed 's#<\(header)>#<absent/\(header)>#' '\(path)' |
        clang -x \(language) -E -I '\(folder)' -I '\(folder)/include' -I '\(folder)/..' \
          -I '\(Binaries.root)/Sources/CLullLedger/include' \
          -I '\(Binaries.root)/Sources/System/CLoader/include' - >/dev/null 2>&1 && echo preprocessed
      sed 's#<\(header)>#<absent/\(header)>#' '\(path)' |
        clang -x \(language) -E -I '\(folder)' -I '\(folder)/include' -I '\(folder)/..' \
          -I '\(Binaries.root)/Sources/CLullLedger/include' \
          -I '\(Binaries.root)/Sources/System/CLoader/include' - 2>&1 >/dev/null | grep 'error: '
      true
      """)
    let errors = result.output.split(separator: "\n")
    #expect(errors.first?.contains("apt-get install \(package)") == true, "\(errors)")
    #expect(errors.count == 2, "the error of the compiler is the only other one: \(errors)")
  }

  @Test func `SWF-163 every include of a library is such a header`() throws {
    let found = try shell(
      """
      cd '\(Binaries.root)/Sources' && grep -rlE '__has_include' --include='*.c' --include='*.h' \
        --include='*.cpp' . | sed 's#^\\./##' | sort
      """)
    let expected = Set(Self.headers.map(\.file)).sorted()
    #expect(found.output.split(separator: "\n").map(String.init).sorted() == expected)
  }
}
