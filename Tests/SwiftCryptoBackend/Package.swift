// swift-tools-version: 6.2
import PackageDescription

// FPSCrypto and the targets built on it, with the second backend: scripts/test-swift-crypto. Sources and tests are
// those of the main package, through symbolic links; a second build of the whole package takes minutes, and most of
// its targets have only the first backend. Here the condition of the trait SwiftCrypto is always true.
let settings: [SwiftSetting] = [
    .define("SwiftCrypto"),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
    name: "swift-crypto-backend",
    platforms: [.iOS(.v16), .macOS(.v13), .tvOS(.v16), .visionOS(.v1)],
    dependencies: [
        .package(url: "https://github.com/apple/swift-crypto.git", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-asn1.git", from: "1.7.0"),
    ],
    targets: [
        .systemLibrary(name: "CKeywayDASk"),
        .target(name: "ByteCoding", swiftSettings: settings + [.enableExperimentalFeature("Lifetimes")]),
        .target(
            name: "TextCoding",
            dependencies: ["ByteCoding"],
            swiftSettings: settings,
            linkerSettings: [.linkedLibrary("m", .when(platforms: [.linux]))]
        ),
        .target(name: "Locking", swiftSettings: settings),
        .target(
            name: "FPSCrypto",
            dependencies: [
                "Locking",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
                .product(name: "SwiftASN1", package: "swift-asn1"),
            ],
            swiftSettings: settings
        ),
        .target(name: "BulkAES", dependencies: ["FPSCrypto"], swiftSettings: settings),
        .target(name: "FPSMessages", dependencies: ["ByteCoding", "TextCoding"], swiftSettings: settings),
        .target(
            name: "KeyServerModule",
            dependencies: ["CKeywayDASk", "ByteCoding", "FPSCrypto", "FPSMessages", "Locking", "TextCoding"],
            swiftSettings: settings
        ),
        .target(
            name: "VirtualDevice",
            dependencies: ["ByteCoding", "FPSCrypto", "Locking", "TextCoding"],
            swiftSettings: settings
        ),
        // A test target, because only these are built with the module Testing.
        .testTarget(name: "OwnThreads", path: "Tests/OwnThreads", swiftSettings: settings),
        .target(name: "VectorFiles", path: "Tests/VectorFiles", swiftSettings: settings),
        .testTarget(
            name: "FPSCryptoTests",
            dependencies: ["FPSCrypto", "OwnThreads"],
            resources: [.copy("Fixtures")],
            swiftSettings: settings
        ),
        .testTarget(name: "BulkAESTests", dependencies: ["BulkAES", "FPSCrypto"], swiftSettings: settings),
        .testTarget(
            name: "KeyServerModuleTests",
            dependencies: ["ByteCoding", "FPSCrypto", "FPSMessages", "KeyServerModule", "VectorFiles"],
            // It compiles the example plug-in, with paths of the main package, and contains no cryptography.
            exclude: ["PluginTests.swift"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "VirtualDeviceTests",
            dependencies: ["ByteCoding", "FPSCrypto", "VectorFiles", "VirtualDevice"],
            // It opens keys through the client's ContentKeySession.
            exclude: ["DeviceMemoryTests.swift"],
            swiftSettings: settings
        ),
    ]
)
