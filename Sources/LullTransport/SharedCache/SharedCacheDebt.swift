import LullCore

/// An entry that a server could not be told to remove, which is owed for as long as its home is there.
struct SharedCacheDebt {
  private(set) weak var client: ShareClient?
  private weak var pump: Pump?
  private let local: CachePlace
  private let wanted: CacheVariant
  private let form: SharedEntityForm

  init(_ server: SharedEntityServer) {
    client = server.client
    pump = server.pump
    local = server.local
    wanted = server.wanted
    form = server.form
  }

  /// Where it is paid; nil: nowhere any more.
  func server(maxSize: Int, maxAge: Double?) -> SharedEntityServer? {
    guard let client, let pump else { return nil }
    return SharedEntityServer(
      client: client, pump: pump, local: local, wanted: wanted, form: form, maxSize: maxSize,
      maxAge: maxAge)
  }
}
