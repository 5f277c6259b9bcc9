// swift-tools-version: 6.2
import PackageDescription

// What each target may import stands in docs/architecture.md; scripts/check-layers holds the two against each other.

let settings: [SwiftSetting] = [
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
    name: "keyway",
    products: [
        .library(name: "ByteCoding", targets: ["ByteCoding"]),
        .library(name: "FPSCrypto", targets: ["FPSCrypto"]),
        .library(name: "CLibcrypto", targets: ["CLibcrypto"]),
    ],
    dependencies: [
        .package(url: "https://github.com/groue/GRDB.swift.git", exact: "7.10.0"),
    ],
    targets: [
        .systemLibrary(name: "CLibcrypto", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
        .target(
            name: "ByteCoding",
            swiftSettings: settings + [.enableExperimentalFeature("Lifetimes")]
        ),
        .target(name: "FPSMessages", dependencies: ["ByteCoding"], swiftSettings: settings),
        .testTarget(name: "FPSMessagesTests", dependencies: ["FPSMessages", "ByteCoding"], swiftSettings: settings),
        .testTarget(name: "ByteCodingTests", dependencies: ["ByteCoding"], swiftSettings: settings),
        .target(name: "FPSCrypto", dependencies: ["CLibcrypto"], swiftSettings: settings),
        .testTarget(
            name: "FPSCryptoTests",
            dependencies: ["FPSCrypto"],
            resources: [.copy("Fixtures")],
            swiftSettings: settings
        ),
        .target(name: "KeyStore", dependencies: ["FPSCrypto"], swiftSettings: settings),
        .testTarget(name: "KeyStoreTests", dependencies: ["KeyStore", "FPSCrypto"], swiftSettings: settings),
        .target(
            name: "KeyStoreSQLite",
            dependencies: ["KeyStore", "FPSCrypto", .product(name: "GRDB", package: "GRDB.swift")],
            swiftSettings: settings
        ),
        .testTarget(
            name: "KeyStoreSQLiteTests",
            dependencies: [
                "KeyStoreTests", "KeyStoreSQLite", "KeyStore", "FPSCrypto",
                .product(name: "GRDB", package: "GRDB.swift"),
            ],
            swiftSettings: settings
        ),
    ]
)
