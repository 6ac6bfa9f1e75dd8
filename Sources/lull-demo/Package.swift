// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that nobody who depends on Lull's libraries is given an HTTP server.
let swiftSettings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("ExistentialAny"),
]

let package = Package(
  name: "lull-demo",
  products: [.executable(name: "lull-demo", targets: ["lull-demo"])],
  dependencies: [
    .package(url: "https://github.com/swhitty/FlyingFox", from: "0.27.1")
  ],
  targets: [
    // A link to the folder of that name in the main package, whose products it is none of.
    .target(name: "LullArguments", path: "LullArguments", swiftSettings: swiftSettings),
    .executableTarget(
      name: "lull-demo",
      dependencies: ["LullArguments", .product(name: "FlyingFox", package: "FlyingFox")],
      path: ".", exclude: ["LullArguments"],
      swiftSettings: swiftSettings),
  ]
)
