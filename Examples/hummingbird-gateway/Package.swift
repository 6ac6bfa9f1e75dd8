// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "gateway",
  dependencies: [
    // In a package of your own: .package(url: …) with the address of the repository.
    .package(name: "lull", path: "../.."),
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
  ],
  targets: [
    .executableTarget(
      name: "gateway",
      dependencies: [
        .product(name: "LullCore", package: "lull"),
        .product(name: "LullTransport", package: "lull"),
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
      ],
      swiftSettings: [
        // Asynchronous functions stay where their caller is, and so may be given resources.
        .enableUpcomingFeature("NonisolatedNonsendingByDefault")
      ])
  ]
)
