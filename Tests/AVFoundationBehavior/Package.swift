// swift-tools-version: 6.2
import PackageDescription

// AVFoundation's classes with the behavior that Apple documents, for Linux, and the tests that run the client library
// for Apple's platforms on them: scripts/test-avfoundation. It is a separate package because a target named
// AVFoundation would make `#if canImport(AVFoundation)` true in all targets of the main package. Sources are those of
// the main package, through symbolic links.
let settings: [SwiftSetting] = [
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
    name: "avfoundation-behavior",
    platforms: [.iOS(.v16), .macOS(.v13), .tvOS(.v16), .visionOS(.v1)],
    targets: [
        .systemLibrary(name: "CLibcrypto", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(name: "CKeywayDASk"),
        .target(name: "ByteCoding", swiftSettings: settings + [.enableExperimentalFeature("Lifetimes")]),
        .target(
            name: "TextCoding",
            dependencies: ["ByteCoding"],
            swiftSettings: settings,
            linkerSettings: [.linkedLibrary("m", .when(platforms: [.linux]))]
        ),
        .target(name: "Locking", swiftSettings: settings),
        .target(name: "FPSCrypto", dependencies: ["CLibcrypto", "Locking"], swiftSettings: settings),
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
        .target(
            name: "HLSPlaylist",
            dependencies: ["ByteCoding", "TextCoding"],
            swiftSettings: settings,
            linkerSettings: [.linkedLibrary("m", .when(platforms: [.linux]))]
        ),
        .target(
            name: "ContentKeySession",
            dependencies: ["HLSPlaylist", "Locking", "TextCoding"],
            swiftSettings: settings
        ),
        .target(
            name: "ContentKeySessionTesting",
            dependencies: ["ContentKeySession", "VirtualDevice"],
            swiftSettings: settings
        ),
        .target(
            name: "KeywayTesting",
            dependencies: [
                "ContentKeySession", "ContentKeySessionTesting", "FPSCrypto", "FPSMessages", "KeyServerModule",
                "Locking", "TextCoding", "VirtualDevice",
            ],
            swiftSettings: settings
        ),

        .target(name: "AVFoundation", dependencies: ["Locking"], swiftSettings: settings),
        .target(
            name: "ContentKeySessionAVFoundation",
            dependencies: ["AVFoundation", "ContentKeySession", "HLSPlaylist", "Locking"],
            swiftSettings: settings + [.define("SDK_27")]
        ),
        // An app's settings, not those of this package.
        .target(
            name: "FilmKeys",
            dependencies: ["AVFoundation", "ContentKeySession", "ContentKeySessionAVFoundation"]
        ),
        // The virtual device as the FairPlay device of the classes, and what the tests share.
        .target(
            name: "AVFoundationTesting",
            dependencies: [
                "AVFoundation", "FPSCrypto", "FPSMessages", "KeyServerModule", "KeywayTesting", "Locking",
                "VirtualDevice",
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "AVFoundationTests",
            dependencies: [
                "AVFoundation", "AVFoundationTesting", "FPSMessages", "KeyServerModule", "KeywayTesting", "Locking",
                "VirtualDevice",
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "AdapterTests",
            dependencies: [
                "AVFoundation", "AVFoundationTesting", "ContentKeySession", "ContentKeySessionAVFoundation",
                "ContentKeySessionTesting", "FPSCrypto", "HLSPlaylist", "KeyServerModule", "KeywayTesting", "Locking",
                "VirtualDevice",
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "ExampleTests",
            dependencies: [
                "AVFoundation", "AVFoundationTesting", "ContentKeySession", "ContentKeySessionAVFoundation", "FilmKeys",
                "KeyServerModule", "KeywayTesting", "Locking", "VirtualDevice",
            ],
            swiftSettings: settings
        ),
    ]
)
