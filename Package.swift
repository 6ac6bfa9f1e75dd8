// swift-tools-version: 6.2
import PackageDescription

let swiftSettings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("ExistentialAny"),
]

// The interpreter is the system's. Programs and tests, and the product LullHost for programs of others,
// have it from the target `LullLua`, which links it and has nothing else; `LullModule` must not: inside
// a stock interpreter the symbols are the interpreter's own.

let package = Package(
  name: "lull",
  products: [
    .executable(name: "lull", targets: ["lull"]),
    .executable(name: "lull-mock", targets: ["lull-mock"]),
    .library(name: "LullCore", targets: ["LullCore"]),
    .library(name: "LullTransport", targets: ["LullTransport"]),
    .library(name: "LullHost", targets: ["LullHost", "LullLua"]),
    .library(name: "LullTesting", targets: ["LullTesting"]),
    .library(name: "LullModule", type: .dynamic, targets: ["LullModule"]),
  ],
  targets: [
    .systemLibrary(
      name: "CLua", path: "Sources/System/CLua",
      providers: [.apt(["liblua5.4-dev"]), .brew(["lua"])]),
    .systemLibrary(
      name: "CUV", path: "Sources/System/CUV", pkgConfig: "libuv",
      providers: [.apt(["libuv1-dev"]), .brew(["libuv"])]),
    // What the others need is in Swift.md: a package can name providers of system libraries alone.
    .target(name: "CLoader", path: "Sources/System/CLoader"),
    .target(name: "CCurl", dependencies: ["CLoader"], path: "Sources/System/CCurl"),
    .target(name: "CSQLite", dependencies: ["CLoader"], path: "Sources/System/CSQLite"),
    .target(name: "CHiredis", dependencies: ["CLoader"], path: "Sources/System/CHiredis"),
    .target(name: "CCrypto", dependencies: ["CLoader"], path: "Sources/System/CCrypto"),
    .target(name: "CCompression", dependencies: ["CLoader"], path: "Sources/System/CCompression"),
    .target(name: "CIDN", dependencies: ["CLoader"], path: "Sources/System/CIDN"),
    .target(name: "CYAML", dependencies: ["CLoader"], path: "Sources/System/CYAML"),
    .target(name: "CCommandLine", path: "Sources/System/CCommandLine"),
    .target(name: "CEditline", dependencies: ["CLoader"], path: "Sources/System/CEditline"),
    .target(name: "CPCRE2", dependencies: ["CLoader"], path: "Sources/System/CPCRE2"),
    .target(
      name: "CMicrohttpd", path: "Sources/System/CMicrohttpd",
      linkerSettings: [.linkedLibrary("microhttpd")]),
    // Lua files that are part of the program, by #embed.
    .target(name: "CLullMock", exclude: ["sample.lua", "handlers.lua"]),
    .target(name: "CLullLedger"),
    .target(name: "CLullMalloc", dependencies: ["CLullLedger"]),
    .target(
      name: "CSimdjson",
      dependencies: ["CLullLedger"],
      cxxSettings: [.define("SIMDJSON_EXCEPTIONS", to: "0")],
      linkerSettings: [.linkedLibrary("simdjson")]),
    .target(
      name: "CLullBridge", dependencies: ["CLua", "CSimdjson", "CLullLedger"],
      exclude: ["scripts"],
      cSettings: [
        .headerSearchPath("."),
        .define("LULL_PROVES_STACK_EFFECTS", .when(configuration: .debug)),
      ]),

    .target(
      name: "LullLua",
      linkerSettings: [
        .linkedLibrary("lua5.4", .when(platforms: [.linux])),
        .linkedLibrary("lua", .when(platforms: [.macOS])),
      ]),
    .target(name: "LullArguments", swiftSettings: swiftSettings),
    .target(name: "LullLuaSource", swiftSettings: swiftSettings),
    .target(name: "LullGraphQL", dependencies: ["LullArguments"], swiftSettings: swiftSettings),
    .target(name: "LullLibC", swiftSettings: swiftSettings),
    .target(name: "LullSystem", dependencies: ["LullLibC"], swiftSettings: swiftSettings),
    .target(
      name: "LullCore",
      dependencies: ["LullLibC", "LullSystem", "CSimdjson", "CIDN", "CLullLedger"],
      swiftSettings: swiftSettings),
    .target(
      name: "LullTransport",
      dependencies: [
        "LullLibC", "LullSystem", "LullCore", "CUV", "CCurl", "CSQLite", "CHiredis", "CCrypto",
        "CCompression",
      ],
      swiftSettings: swiftSettings),
    .target(
      name: "LullHost",
      dependencies: [
        "LullLibC", "LullArguments", "LullLuaSource", "LullSystem", "LullCore", "LullTransport",
        "CLullBridge", "CPCRE2",
      ],
      exclude: ["luacats"],
      swiftSettings: swiftSettings),
    .target(
      name: "LullSchemas",
      dependencies: ["LullLibC", "LullSystem", "LullCore", "CSimdjson", "CPCRE2"],
      swiftSettings: swiftSettings),
    .target(
      name: "LullClients",
      dependencies: [
        "LullLibC", "LullArguments", "LullGraphQL", "LullLuaSource", "LullSystem", "LullCore",
        "LullHost", "LullSchemas", "CLullBridge",
      ],
      swiftSettings: swiftSettings),
    .target(
      name: "LullCassettes",
      dependencies: ["LullSystem", "LullCore", "LullTransport", "LullHost", "LullClients"],
      swiftSettings: swiftSettings),
    .target(
      name: "LullImport",
      dependencies: [
        "LullLibC", "LullLuaSource", "LullGraphQL", "LullSystem", "LullCore", "LullTransport",
        "LullHost", "LullSchemas", "LullClients", "LullCassettes", "CYAML",
      ],
      swiftSettings: swiftSettings),
    .target(
      name: "LullREPL",
      dependencies: [
        "LullLibC", "LullArguments", "LullLuaSource", "LullSystem", "LullCore", "LullTransport",
        "LullHost", "LullCassettes", "CEditline",
      ],
      swiftSettings: swiftSettings),
    .target(
      name: "LullTestRunner",
      dependencies: [
        "LullLibC", "LullSystem", "LullCore", "LullTransport", "LullHost", "LullClients",
        "LullCassettes", "CLullBridge",
      ],
      swiftSettings: swiftSettings),
    .target(
      name: "LullModule", dependencies: ["LullHost", "LullClients", "LullREPL"],
      swiftSettings: swiftSettings),
    .executableTarget(
      name: "lull",
      dependencies: [
        "LullLibC", "LullArguments", "LullLuaSource", "LullGraphQL", "LullSystem", "LullCore",
        "LullTransport", "LullHost", "LullClients", "LullSchemas", "LullCassettes", "LullREPL",
        "LullTestRunner",
        "LullImport", "CCommandLine", "CLullMalloc", "LullLua",
      ],
      swiftSettings: swiftSettings),
    // Alone linked to the server's library.
    .executableTarget(
      name: "lull-mock",
      dependencies: [
        "LullLibC", "LullArguments", "LullSystem", "LullCore", "LullTransport", "LullHost",
        "LullClients", "LullCassettes", "CMicrohttpd", "CLullMock", "LullLua",
      ],
      swiftSettings: swiftSettings),

    .target(
      name: "LullTesting", dependencies: ["LullLibC", "LullSystem", "LullCore"],
      swiftSettings: swiftSettings),
    .target(
      name: "LullTestSupport", dependencies: ["LullLibC", "LullSystem", "LullCore", "LullTesting"],
      path: "Tests/LullTestSupport", swiftSettings: swiftSettings),
    .target(
      name: "CStackEffects", dependencies: ["CLullBridge"], path: "Tests/CStackEffects",
      cSettings: [
        .headerSearchPath("../../Sources/CLullBridge"),
        .define("LULL_PROVES_STACK_EFFECTS", .when(configuration: .debug)),
      ]),
    .testTarget(
      name: "LullArgumentsTests", dependencies: ["LullArguments"], swiftSettings: swiftSettings),
    .testTarget(
      name: "LullGraphQLTests", dependencies: ["LullGraphQL"], swiftSettings: swiftSettings),
    .testTarget(
      name: "LullCoreTests",
      dependencies: [
        "LullLibC", "LullSystem", "LullCore", "CLullLedger", "LullTestSupport", "LullTesting",
      ],
      swiftSettings: swiftSettings),
    .testTarget(
      name: "LullTestingTests",
      dependencies: ["LullCore", "LullTestSupport", "LullTesting", "LullTransport"],
      swiftSettings: swiftSettings),
    .testTarget(
      name: "LullTransportTests",
      dependencies: [
        "LullLibC", "LullSystem", "LullCore", "LullTransport", "LullTestSupport", "LullTesting",
      ],
      swiftSettings: swiftSettings),
    .testTarget(
      name: "LullSchemasTests",
      dependencies: [
        "LullLibC", "LullSystem", "LullCore", "LullSchemas", "LullTestSupport", "LullTesting",
      ],
      swiftSettings: swiftSettings),
    .testTarget(
      name: "LullHostTests",
      dependencies: [
        "LullLibC", "LullLuaSource", "LullSystem", "LullCore", "LullTransport", "LullHost",
        "LullClients", "LullTestRunner", "LullTestSupport", "LullTesting", "CLullBridge",
        "CStackEffects", "LullLua",
      ],
      swiftSettings: swiftSettings),
    .testTarget(
      name: "LullREPLTests",
      dependencies: [
        "LullLuaSource", "LullSystem", "LullCore", "LullTransport", "LullHost", "LullClients",
        "LullREPL", "LullTestSupport", "LullTesting", "LullLua",
      ],
      swiftSettings: swiftSettings),
    .testTarget(
      name: "LullCassettesTests",
      dependencies: [
        "LullLibC", "LullSystem", "LullCore", "LullTransport", "LullCassettes", "LullTestSupport",
        "LullTesting",
        "LullLua",
      ],
      swiftSettings: swiftSettings),
    .testTarget(
      name: "LullImportTests",
      dependencies: [
        "LullLibC", "LullGraphQL", "LullSystem", "LullCore", "LullImport", "LullTestSupport",
        "LullTesting", "LullLua",
      ],
      swiftSettings: swiftSettings),
    .executableTarget(
      name: "allocator-program", dependencies: ["CLullMalloc"], path: "Tests/AllocatorProgram"),
    .testTarget(
      name: "LullCommandTests",
      dependencies: [
        "LullLibC", "lull", "lull-mock", "allocator-program", "LullArguments", "LullGraphQL",
        "LullTestSupport",
        "LullTesting",
        "LullCassettes", "LullCore",
      ],
      swiftSettings: swiftSettings),
  ],
  cLanguageStandard: .c17,
  cxxLanguageStandard: .cxx17
)
