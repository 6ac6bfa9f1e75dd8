import Testing

/// Logins of one environment are none of another's.
@Suite("Logins of environments", .timeLimit(.minutes(20)))
struct EnvironmentLoginTests {
  private let server: LoginServer
  private let folder: TemporaryFolder

  init() throws {
    server = try LoginServer()
    folder = try TemporaryFolder()
    try folder.write(
      "apis/shop.lua",
      """
      local lull = require "lull"
      local url = "\(server.url)"
      local function login(name)
        return lull.auth.oauth2_device{ device_url = url .. "/device", token_url = url .. "/token",
          client_id = "me", name = name }
      end
      return { service = lull.service{ base_url = url, auth = login() }, environments = {
        test = {},
        prod = { auth = login "production" },
      } }
      """)
  }

  private func run(_ words: String..., variables: [String: String] = [:]) throws -> Child.Ending {
    try Child(
      Binaries.lull, words,
      environment: [
        "XDG_STATE_HOME": folder.path + "/state", "NO_COLOR": "1", "DISPLAY": "",
        "WAYLAND_DISPLAY": "",
      ].merging(variables) { $1 }, folder: folder.path
    ).wait()
  }

  @Test func `ENV-08 a login is of the environment it was made for, and of no other`() throws {
    defer { server.stop() }
    let missing = try run("get", "shop@test", "/me")
    #expect(missing.errors.contains("run 'lull login shop@test'"), "\(missing)")
    let login = try run("login", "shop@test")
    #expect(login.code == 0, "\(login)")
    #expect(login.output.contains("Logged in: 'shop' is stored in"))
    #expect(try run("get", "shop@test", "/me", "-f", "x.user").output == "\"ann\"\n")
    #expect(try run("get", "shop", "/me", variables: ["LULL_ENV": "test"]).code == 0)
    for other in ["shop", "shop@prod"] {
      let ending = try run("get", other, "/me")
      #expect(ending.errors.contains("there is no login"), "\(ending)")
    }
    let prod = try run("login", "shop", variables: ["LULL_ENV": "prod"])
    #expect(prod.code == 0, "\(prod)")
    #expect(prod.output.contains("'production'") && !prod.output.contains("'shop'"), "\(prod)")
    #expect(try run("get", "shop@prod", "/me").code == 0)
    #expect(try run("logout", "shop@prod").output.contains("tokens of 'production' were deleted"))
    #expect(try run("get", "shop@prod", "/me").errors.contains("there is no login"))
    #expect(try run("login", "shop@nowhere").code == 3)
  }
}
