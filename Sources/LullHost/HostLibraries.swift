import CLullBridge
import CPCRE2
package import LullSystem

/// The versions of the Lua interpreter and of the C libraries that scripts use. Reading the
/// versions loads the libraries. Any thread.
package enum HostLibraries {
  package static var versions: [LibraryVersion] {
    [
      LibraryVersion("Lua", for: "scripts", debian: "liblua5.4-0") { _ in lull_lua_release() },
      LibraryVersion("PCRE2", for: "patterns of schemas and lull.regex", debian: "libpcre2-8-0") {
        cpcre2_version(&$0)
      },
    ]
  }
}
