// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "swift-embed",
  dependencies: [
    // In a package of your own: .package(url: …) with the address of the repository.
    .package(name: "lull", path: "../..")
  ],
  targets: [
    .executableTarget(
      name: "swift-embed",
      dependencies: [
        .product(name: "LullCore", package: "lull"),
        .product(name: "LullTransport", package: "lull"),
        .product(name: "LullHost", package: "lull"),
      ],
      swiftSettings: [
        // Asynchronous functions stay where their caller is, and so may be given resources.
        .enableUpcomingFeature("NonisolatedNonsendingByDefault")
      ])
  ]
)
