import LullTransport
import ServiceLifecycle

/// The home among the services of a server, so that it ends with them: what is still in flight is
/// cancelled when nobody is left to answer.
struct HomeService: Service {
  let home: Home

  func run() async throws {
    // Throws where the whole group is cancelled, which is an end as well.
    try? await gracefulShutdown()
    await home.shutdown()
  }
}
