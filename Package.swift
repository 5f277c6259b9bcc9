// swift-tools-version: 6.2
import PackageDescription

// docs/architecture.md lists the modules that each target may import; scripts/check-layers checks this file against it.

let settings: [SwiftSetting] = [
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
    name: "keyway",
    // The oldest versions of Apple's systems for which the app code is type-checked (scripts/check-availability).
    // watchOS is left out: it has AVContentKeySession, but no resource loader, and its other APIs have not been
    // checked. These versions have no effect on Linux.
    platforms: [.iOS(.v16), .macOS(.v13), .tvOS(.v16), .visionOS(.v1)],
    products: [
        .library(name: "ByteCoding", targets: ["ByteCoding"]),
        .library(name: "FPSCrypto", targets: ["FPSCrypto"]),
        .library(name: "FPSMessages", targets: ["FPSMessages"]),
        .library(name: "HLSPlaylist", targets: ["HLSPlaylist"]),
        .library(name: "MediaFormats", targets: ["MediaFormats"]),
        .library(name: "SampleEncryption", targets: ["SampleEncryption"]),
        .library(name: "DRMSignaling", targets: ["DRMSignaling"]),
        .library(name: "DASHManifest", targets: ["DASHManifest"]),
        .library(name: "Packager", targets: ["Packager"]),
        .library(name: "StreamValidation", targets: ["StreamValidation"]),
        .library(name: "KeyServerModule", targets: ["KeyServerModule"]),
        .library(name: "ContentKeySession", targets: ["ContentKeySession"]),
        .library(name: "ContentKeySessionAVFoundation", targets: ["ContentKeySessionAVFoundation"]),
        .library(name: "ContentKeySessionTesting", targets: ["ContentKeySessionTesting"]),
        .library(name: "KeywayTesting", targets: ["KeywayTesting"]),
        .library(name: "KeywayTestingTraits", targets: ["KeywayTestingTraits"]),
        .library(name: "StreamPlayer", targets: ["StreamPlayer"]),
        .library(name: "OfflineAssets", targets: ["OfflineAssets"]),
        .library(name: "VirtualDevice", targets: ["VirtualDevice"]),
    ],
    traits: [
        .trait(
            name: "SwiftCrypto",
            description:
                "Cryptography by swift-crypto instead of OpenSSL, for apps on Apple's platforms; not for servers"
        )
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser.git", from: "1.8.2"),
        .package(url: "https://github.com/groue/GRDB.swift.git", from: "7.10.0"),
        .package(url: "https://github.com/jpsim/Yams.git", from: "6.2.2"),
        .package(url: "https://github.com/hummingbird-project/hummingbird.git", from: "2.28.1", traits: []),
        .package(url: "https://github.com/apple/swift-log.git", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl.git", from: "2.37.6"),
        .package(url: "https://github.com/HdrHistogram/hdrhistogram-swift.git", from: "0.2.0"),
        .package(url: "https://github.com/swift-server/async-http-client.git", from: "1.37.0"),
        .package(url: "https://github.com/vapor/jwt-kit.git", from: "5.7.1"),
        .package(url: "https://github.com/apple/swift-nio.git", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-extras.git", from: "1.35.2"),
        .package(url: "https://github.com/apple/swift-http-types.git", from: "1.8.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle.git", from: "2.13.0"),
        // Both are used only with the trait SwiftCrypto.
        .package(url: "https://github.com/apple/swift-crypto.git", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-asn1.git", from: "1.7.0"),
    ],
    targets: [
        .systemLibrary(
            name: "CLibcrypto",
            path: "Sources/System/CLibcrypto",
            pkgConfig: "libcrypto",
            providers: [.apt(["libssl-dev"])]
        ),
        .systemLibrary(name: "CKeywayDASk", path: "Sources/System/CKeywayDASk"),
        .systemLibrary(
            name: "CLibpq",
            path: "Sources/System/CLibpq",
            pkgConfig: "libpq",
            providers: [.apt(["libpq-dev"])]
        ),
        .systemLibrary(
            name: "CZlib",
            path: "Sources/System/CZlib",
            pkgConfig: "zlib",
            providers: [.apt(["zlib1g-dev"])]
        ),
        .systemLibrary(
            name: "CBrotli",
            path: "Sources/System/CBrotli",
            pkgConfig: "libbrotlidec",
            providers: [.apt(["libbrotli-dev"])]
        ),
        .target(name: "CWebFiles", path: "Sources/Server/CWebFiles", exclude: ["Dashboard", "OpenAPI", "Player"]),

        .target(
            name: "ByteCoding",
            path: "Sources/Base/ByteCoding",
            swiftSettings: settings + [.enableExperimentalFeature("Lifetimes")]
        ),
        // libm is needed as for HLSPlaylist below: JSON numbers are rounded.
        .target(
            name: "TextCoding",
            dependencies: ["ByteCoding"],
            path: "Sources/Base/TextCoding",
            swiftSettings: settings,
            linkerSettings: [.linkedLibrary("m", .when(platforms: [.linux]))]
        ),
        .target(name: "Locking", path: "Sources/Base/Locking", swiftSettings: settings),
        .target(
            name: "FileWriting",
            dependencies: ["Locking"],
            path: "Sources/Base/FileWriting",
            swiftSettings: settings
        ),
        // The standard library's rounding calls the C math library (libm), which nothing else links here.
        .target(
            name: "HLSPlaylist",
            dependencies: ["ByteCoding", "TextCoding"],
            path: "Sources/Media/HLSPlaylist",
            swiftSettings: settings,
            linkerSettings: [.linkedLibrary("m", .when(platforms: [.linux]))]
        ),
        .target(
            name: "FPSCrypto",
            dependencies: [
                "Locking",
                .target(name: "CLibcrypto", condition: .when(platforms: [.linux])),
                .product(name: "Crypto", package: "swift-crypto", condition: .when(traits: ["SwiftCrypto"])),
                .product(name: "CryptoExtras", package: "swift-crypto", condition: .when(traits: ["SwiftCrypto"])),
                .product(name: "SwiftASN1", package: "swift-asn1", condition: .when(traits: ["SwiftCrypto"])),
            ],
            path: "Sources/Base/FPSCrypto",
            swiftSettings: settings
        ),
        .target(
            name: "ServerCrypto",
            dependencies: ["CLibcrypto", "FPSCrypto", "Locking"],
            path: "Sources/Server/ServerCrypto",
            swiftSettings: settings
        ),
        .target(
            name: "FPSMessages",
            dependencies: ["ByteCoding", "TextCoding"],
            path: "Sources/FairPlay/FPSMessages",
            swiftSettings: settings
        ),
        .target(
            name: "MediaFormats",
            dependencies: ["ByteCoding", "TextCoding"],
            path: "Sources/Media/MediaFormats",
            swiftSettings: settings + [.enableExperimentalFeature("Lifetimes")]
        ),
        .target(name: "BulkAES", dependencies: ["FPSCrypto"], path: "Sources/Base/BulkAES", swiftSettings: settings),
        .target(
            name: "SampleEncryption",
            dependencies: ["BulkAES", "ByteCoding", "FPSCrypto", "MediaFormats"],
            path: "Sources/Media/SampleEncryption",
            swiftSettings: settings
        ),
        .target(
            name: "XMLDocuments",
            dependencies: ["ByteCoding"],
            path: "Sources/Base/XMLDocuments",
            swiftSettings: settings
        ),
        .target(
            name: "DRMSignaling",
            dependencies: ["ByteCoding", "TextCoding", "FPSCrypto", "XMLDocuments"],
            path: "Sources/Media/DRMSignaling",
            swiftSettings: settings
        ),
        .target(
            name: "DASHManifest",
            dependencies: ["TextCoding", "XMLDocuments"],
            path: "Sources/Media/DASHManifest",
            swiftSettings: settings
        ),
        .target(
            name: "MediaDecryption",
            dependencies: [
                "ByteCoding", "DRMSignaling", "FPSCrypto", "HLSPlaylist", "MediaFormats", "SampleEncryption",
                "TextCoding",
            ],
            path: "Sources/Media/MediaDecryption",
            swiftSettings: settings
        ),
        .target(
            name: "Packager",
            dependencies: [
                "ByteCoding", "DASHManifest", "DRMSignaling", "FileWriting", "FPSCrypto", "HLSPlaylist", "Locking",
                "MediaDecryption", "MediaFormats", "SampleEncryption", "TextCoding",
            ],
            path: "Sources/Media/Packager",
            swiftSettings: settings
        ),
        .target(
            name: "StreamValidation",
            dependencies: [
                "ByteCoding", "DRMSignaling", "FPSCrypto", "HLSPlaylist", "Locking", "MediaDecryption", "MediaFormats",
                "SampleEncryption", "TextCoding",
            ],
            path: "Sources/Media/StreamValidation",
            swiftSettings: settings
        ),
        .target(
            name: "KeyServerModule",
            dependencies: ["CKeywayDASk", "ByteCoding", "TextCoding", "FPSCrypto", "FPSMessages", "Locking"],
            path: "Sources/FairPlay/KeyServerModule",
            swiftSettings: settings
        ),
        .target(
            name: "KeyStore",
            dependencies: ["TextCoding", "FPSCrypto", "FileWriting"],
            path: "Sources/Server/KeyStore",
            swiftSettings: settings
        ),
        .target(
            name: "KeyStoreSQLite",
            dependencies: ["FPSCrypto", "KeyStore", .product(name: "GRDB", package: "GRDB.swift")],
            path: "Sources/Server/KeyStoreSQLite",
            swiftSettings: settings
        ),
        .target(
            name: "KeyStorePostgres",
            dependencies: ["CLibpq", "FPSCrypto", "KeyStore"],
            path: "Sources/Server/KeyStorePostgres",
            swiftSettings: settings
        ),
        // What the listeners of the key server and of the origin share.
        .target(
            name: "HTTPListening",
            dependencies: [
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            path: "Sources/Server/HTTPListening",
            swiftSettings: settings
        ),
        .target(
            name: "KeyServer",
            dependencies: [
                "ByteCoding", "CWebFiles", "DRMSignaling", "FPSCrypto", "FPSMessages", "HTTPListening", "HTTPRequests",
                "KeyServerModule", "KeyStore", "ServerCrypto", "TextCoding", "XMLDocuments",
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "HummingbirdTLS", package: "hummingbird"),
                .product(name: "JWTKit", package: "jwt-kit"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCertificateReloading", package: "swift-nio-extras"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "Yams", package: "Yams"),
            ],
            path: "Sources/Server/KeyServer",
            swiftSettings: settings
        ),
        // Without NIO: its C modules hide the members of the system's structures from other modules.
        .target(name: "FileAccess", path: "Sources/Server/FileAccess", swiftSettings: settings),
        .target(
            name: "StreamOrigin",
            dependencies: [
                "CZlib", "FileAccess", "HLSPlaylist", "HTTPListening", "TextCoding",
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "HummingbirdHTTP2", package: "hummingbird"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCertificateReloading", package: "swift-nio-extras"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
                .product(name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "NIOTLS", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            path: "Sources/Server/StreamOrigin",
            swiftSettings: settings
        ),
        // What all executables share: the form of command lines and of messages.
        .target(
            name: "CommandSupport",
            dependencies: [
                "FileWriting", "TextCoding",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Sources/Tools/CommandSupport",
            swiftSettings: settings
        ),
        // What the executables share that handle keys: input with secrets, and output.
        .target(
            name: "ToolSupport",
            dependencies: [
                "CommandSupport", "FileWriting", "FPSCrypto", "TextCoding",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Sources/Tools/ToolSupport",
            swiftSettings: settings
        ),
        .executableTarget(
            name: "keyway-server",
            dependencies: [
                "DRMSignaling", "FileWriting", "FPSCrypto", "KeyServer", "KeyServerModule", "KeyStore",
                "KeyStorePostgres", "KeyStoreSQLite", "ServerCrypto", "TextCoding", "ToolSupport",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ],
            path: "Sources/Tools/keyway-server",
            swiftSettings: settings
        ),
        // Links no module that handles keys: scripts/check-layers checks its dependencies.
        .executableTarget(
            name: "keyway-origin",
            dependencies: [
                "CommandSupport", "HTTPListening", "StreamOrigin",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ],
            path: "Sources/Tools/keyway-origin",
            swiftSettings: settings
        ),
        .target(
            name: "ContentKeySession",
            dependencies: ["HLSPlaylist", "Locking", "TextCoding"],
            path: "Sources/Client/ContentKeySession",
            swiftSettings: settings
        ),
        .target(
            name: "ContentKeySessionTesting",
            dependencies: ["ContentKeySession", "VirtualDevice"],
            path: "Sources/Client/ContentKeySessionTesting",
            swiftSettings: settings
        ),
        .target(
            name: "KeywayTesting",
            dependencies: [
                "ContentKeySession", "ContentKeySessionTesting", "FPSCrypto", "FPSMessages", "KeyServerModule",
                "Locking", "TextCoding", "VirtualDevice",
            ],
            path: "Sources/Client/KeywayTesting",
            swiftSettings: settings
        ),
        // Separate from KeywayTesting, which can be part of an app for UI tests: Testing can only be part of tests.
        .target(
            name: "KeywayTestingTraits",
            dependencies: ["KeywayTesting"],
            path: "Sources/Client/KeywayTestingTraits",
            swiftSettings: settings
        ),
        // Empty on systems without AVFoundation; scripts/check-avfoundation type-checks it on Linux.
        .target(
            name: "ContentKeySessionAVFoundation",
            dependencies: ["ContentKeySession", "HLSPlaylist", "Locking"],
            path: "Sources/Client/ContentKeySessionAVFoundation",
            swiftSettings: settings
        ),
        .target(
            name: "StreamPlayer",
            dependencies: [
                "ContentKeySession", "FileWriting", "FPSCrypto", "HLSPlaylist", "Locking", "MediaDecryption",
                "SampleEncryption",
            ],
            path: "Sources/Client/StreamPlayer",
            swiftSettings: settings
        ),
        .target(
            name: "OfflineAssets",
            dependencies: [
                "ByteCoding", "ContentKeySession", "FileWriting", "FPSCrypto", "HLSPlaylist", "Locking", "StreamPlayer",
                "TextCoding",
            ],
            path: "Sources/Client/OfflineAssets",
            swiftSettings: settings
        ),
        // Not part of a library product, nor a dependency of one: clients would have to resolve its dependencies.
        .target(
            name: "HTTPRequests",
            dependencies: [
                "Locking", "TextCoding",
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
            ],
            path: "Sources/Client/HTTPRequests",
            swiftSettings: settings
        ),
        .target(
            name: "HTTPTransport",
            dependencies: [
                "CBrotli", "ContentKeySession", "CZlib", "HTTPRequests", "OfflineAssets", "StreamPlayer",
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "NIOCore", package: "swift-nio"),
            ],
            path: "Sources/Client/HTTPTransport",
            swiftSettings: settings
        ),
        .target(
            name: "VirtualDevice",
            dependencies: ["ByteCoding", "TextCoding", "FPSCrypto", "Locking"],
            path: "Sources/FairPlay/VirtualDevice",
            swiftSettings: settings
        ),
        .executableTarget(
            name: "keyway",
            dependencies: [
                "ByteCoding", "ContentKeySession", "ContentKeySessionTesting", "DASHManifest", "DRMSignaling",
                "FileWriting", "FPSCrypto", "FPSMessages", "HLSPlaylist", "HTTPRequests", "HTTPTransport",
                "KeyServerModule", "MediaDecryption", "MediaFormats", "OfflineAssets", "Packager", "SampleEncryption",
                "ServerCrypto", "StreamPlayer", "StreamValidation", "TextCoding", "ToolSupport", "VirtualDevice",
                "XMLDocuments",
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Histogram", package: "hdrhistogram-swift"),
                .product(name: "JWTKit", package: "jwt-kit"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "NIOTLS", package: "swift-nio"),
                .product(name: "Yams", package: "Yams"),
            ],
            path: "Sources/Tools/keyway",
            swiftSettings: settings
        ),

        // Examples are no products: the integration tests run them.
        .executableTarget(
            name: "fairplay-story",
            dependencies: [
                "ContentKeySession", "ContentKeySessionTesting", "FPSCrypto", "HLSPlaylist", "HTTPTransport",
                "SimulatedClocks", "StreamPlayer", "TextCoding", "VirtualDevice",
            ],
            path: "Examples/fairplay-story",
            swiftSettings: settings
        ),
        .executableTarget(
            name: "rotation-load",
            dependencies: [
                "ContentKeySession", .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Examples/rotation-load",
            swiftSettings: settings
        ),

        // A test target, because only these are built with the module Testing.
        .testTarget(name: "OwnThreads", path: "Tests/OwnThreads", swiftSettings: settings),
        .target(name: "VectorFiles", path: "Tests/VectorFiles", swiftSettings: settings),
        .target(
            name: "SimulatedClocks",
            dependencies: ["Locking", "VirtualDevice"],
            path: "Tests/SimulatedClocks",
            swiftSettings: settings
        ),
        .testTarget(name: "FileWritingTests", dependencies: ["FileWriting"], swiftSettings: settings),
        .testTarget(name: "LockingTests", dependencies: ["Locking"], swiftSettings: settings),
        .testTarget(name: "TextCodingTests", dependencies: ["TextCoding"], swiftSettings: settings),
        .testTarget(name: "ByteCodingTests", dependencies: ["ByteCoding"], swiftSettings: settings),
        .testTarget(
            name: "HLSPlaylistTests",
            dependencies: ["HLSPlaylist", "OwnThreads", "VectorFiles"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "FPSCryptoTests",
            dependencies: ["FPSCrypto", "OwnThreads"],
            resources: [.copy("Fixtures")],
            swiftSettings: settings
        ),
        .testTarget(
            name: "ServerCryptoTests",
            dependencies: ["CLibcrypto", "FPSCrypto", "ServerCrypto"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "FPSMessagesTests",
            dependencies: ["ByteCoding", "FPSMessages", "VectorFiles"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "MediaFormatsTests",
            dependencies: ["ByteCoding", "MediaFormats"],
            resources: [.copy("Fixtures")],
            swiftSettings: settings
        ),
        .testTarget(name: "BulkAESTests", dependencies: ["BulkAES", "FPSCrypto"], swiftSettings: settings),
        .testTarget(
            name: "SampleEncryptionTests",
            dependencies: ["FPSCrypto", "SampleEncryption"],
            resources: [.copy("Fixtures")],
            swiftSettings: settings
        ),
        .testTarget(name: "XMLDocumentsTests", dependencies: ["XMLDocuments"], swiftSettings: settings),
        .testTarget(
            name: "DASHManifestTests",
            dependencies: ["DASHManifest", "VectorFiles"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "DRMSignalingTests",
            dependencies: ["ByteCoding", "DRMSignaling", "FPSCrypto", "ServerCrypto"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "PackagerTests",
            dependencies: [
                "ByteCoding", "DASHManifest", "DRMSignaling", "FileWriting", "FPSCrypto", "HLSPlaylist",
                "MediaDecryption", "MediaFormats", "Packager", "SampleEncryption", "ServerCrypto",
            ],
            resources: [.copy("Fixtures")],
            swiftSettings: settings
        ),
        .testTarget(
            name: "StreamValidationTests",
            dependencies: [
                "ByteCoding", "DRMSignaling", "FPSCrypto", "HLSPlaylist", "MediaDecryption", "MediaFormats",
                "SampleEncryption", "StreamValidation",
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "KeyServerModuleTests",
            dependencies: ["ByteCoding", "FPSCrypto", "FPSMessages", "KeyServerModule", "TextCoding", "VectorFiles"],
            swiftSettings: settings
        ),
        .target(
            name: "KeyStoreTestSupport",
            dependencies: ["FPSCrypto", "KeyStore"],
            path: "Tests/KeyStoreTestSupport",
            swiftSettings: settings
        ),
        .testTarget(
            name: "KeyStoreTests",
            dependencies: ["FPSCrypto", "KeyStore", "KeyStoreTestSupport"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "KeyStoreSQLiteTests",
            dependencies: [
                "FPSCrypto", "KeyStore", "KeyStoreSQLite", "KeyStoreTestSupport", "KeyStoreTests",
                .product(name: "GRDB", package: "GRDB.swift"),
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "KeyStorePostgresTests",
            dependencies: ["FPSCrypto", "KeyStore", "KeyStorePostgres", "KeyStoreSQLite", "KeyStoreTests"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "KeyServerTests",
            dependencies: [
                "ByteCoding", "ContentKeySession", "CWebFiles", "DRMSignaling", "FPSCrypto", "FPSMessages", "KeyServer",
                "KeyServerModule", "KeyStore", "KeyStoreTestSupport", "KeywayTesting", "ServerCrypto", "TextCoding",
                "VirtualDevice",
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "JWTKit", package: "jwt-kit"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "HummingbirdTesting", package: "hummingbird"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            exclude: ["ClientRequests"],
            swiftSettings: settings
        ),
        .testTarget(name: "HTTPListeningTests", dependencies: ["HTTPListening"], swiftSettings: settings),
        .testTarget(
            name: "StreamOriginTests",
            dependencies: [
                "FileAccess", "HLSPlaylist", "HTTPListening", "StreamOrigin",
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdTesting", package: "hummingbird"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
                .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
                .product(name: "NIOTLS", package: "swift-nio"),
            ],
            swiftSettings: settings
        ),
        // keyway-server is here so that it is built: the tests start it for plug-ins.
        .testTarget(
            name: "PluginProcessTests",
            dependencies: [
                "FPSCrypto", "FPSMessages", "KeyServer", "KeyServerModule", "keyway-server", "OwnThreads",
                "VectorFiles",
            ],
            exclude: ["Plugins"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "ContentKeySessionTests",
            dependencies: ["ContentKeySession", "HLSPlaylist", "KeywayTesting", "TextCoding"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "KeywayTestingTests",
            dependencies: [
                "ContentKeySession", "HLSPlaylist", "KeywayTesting", "KeywayTestingTraits", "VirtualDevice",
            ],
            swiftSettings: settings
        ),
        // The code of docs/tutorial-app.md, which scripts/check-tutorial copies. It has an app's settings.
        .target(name: "PlayerCore", dependencies: ["ContentKeySession"], path: "Tests/AppTutorial/PlayerCore"),
        .testTarget(
            name: "PlayerCoreTests",
            dependencies: ["ContentKeySession", "KeywayTesting", "KeywayTestingTraits", "PlayerCore"],
            path: "Tests/AppTutorial/PlayerCoreTests"
        ),
        .testTarget(
            name: "StreamPlayerTests",
            dependencies: [
                "ContentKeySession", "FPSCrypto", "HLSPlaylist", "KeywayTesting", "MediaDecryption", "SampleEncryption",
                "StreamPlayer",
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "HTTPTransportTests",
            dependencies: ["ContentKeySession", "HTTPRequests", "HTTPTransport", "OfflineAssets", "StreamPlayer"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "OfflineAssetsTests",
            dependencies: [
                "ContentKeySession", "ContentKeySessionTesting", "FPSCrypto", "HLSPlaylist", "HTTPTransport",
                "KeywayTesting", "OfflineAssets", "StreamPlayer", "VirtualDevice",
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "VirtualDeviceTests",
            dependencies: [
                "ByteCoding", "ContentKeySession", "ContentKeySessionTesting", "FPSCrypto", "ServerCrypto",
                "VectorFiles", "VirtualDevice",
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "ToolSupportTests",
            dependencies: [
                "CommandSupport", "FPSCrypto", "TextCoding", "ToolSupport",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: settings
        ),
        // keyway-origin is here so that it is built: the transcripts contain its help.
        .testTarget(
            name: "KeywayCommandTests",
            dependencies: [
                "ByteCoding", "ContentKeySession", "CZlib", "FPSCrypto", "FPSMessages", "HLSPlaylist", "HTTPRequests",
                "HTTPTransport", "KeyServerModule", "keyway", "keyway-origin", "MediaDecryption", "MediaFormats",
                "OfflineAssets", "OwnThreads", "Packager", "ServerCrypto", "StreamPlayer", "StreamValidation",
                "TextCoding", "ToolSupport", "VectorFiles", "VirtualDevice", "XMLDocuments",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "JWTKit", package: "jwt-kit"),
            ],
            exclude: ["Media", "Playlists", "Transcripts"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "RotationLoadTests",
            dependencies: [
                "ContentKeySession", "rotation-load",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "EndToEndTests",
            dependencies: [
                "ContentKeySession", "ContentKeySessionTesting", "FPSCrypto", "FPSMessages", "KeyServerModule",
                "ServerCrypto", "VirtualDevice",
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "KeyPathTests",
            dependencies: [
                "ContentKeySession", "ContentKeySessionTesting", "DRMSignaling", "FPSCrypto", "HLSPlaylist",
                "HTTPRequests", "HTTPTransport", "KeyServer", "KeyServerModule", "KeyStore", "KeyStoreSQLite",
                "KeywayTesting", "MediaFormats", "OfflineAssets", "Packager", "ServerCrypto", "SimulatedClocks",
                "StreamPlayer",
                "TextCoding", "VirtualDevice",
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            resources: [.copy("Fixtures")],
            swiftSettings: settings
        ),
    ]
)
