// A service is given to whoever has it made.
import LullCore
import LullTransport

func service(of home: Home) async throws -> Service {
  try await home.perform { home in  // error: conform to the 'Sendable' protocol
    Service(baseURL: "https://api.example.com")
  }
}
