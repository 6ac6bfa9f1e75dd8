// swift-tools-version: 6.2
import PackageDescription

let swiftSettings: [SwiftSetting] = [
  // Asynchronous functions stay where their caller is, and so may be given resources.
  .enableUpcomingFeature("NonisolatedNonsendingByDefault")
]

let package = Package(
  name: "swift-client",
  dependencies: [
    // In a package of your own: .package(url: …) with the address of the repository.
    .package(name: "lull", path: "../..")
  ],
  targets: [
    .target(
      name: "Notes",
      dependencies: [.product(name: "LullCore", package: "lull")],
      swiftSettings: swiftSettings),
    .testTarget(
      name: "NotesTests",
      dependencies: ["Notes", .product(name: "LullTesting", package: "lull")],
      swiftSettings: swiftSettings),
    .executableTarget(
      name: "swift-client",
      dependencies: [
        "Notes",
        .product(name: "LullCore", package: "lull"),
        .product(name: "LullTransport", package: "lull"),
      ],
      swiftSettings: swiftSettings),
  ]
)
