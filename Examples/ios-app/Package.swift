// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "ios-app",
    // @Observable requires iOS 17.
    platforms: [.iOS(.v17)],
    products: [.library(name: "Films", targets: ["FilmKeys", "FilmViews"])],
    dependencies: [.package(name: "keyway", path: "../..")],
    targets: [
        // The models, without views.
        .target(
            name: "FilmKeys",
            dependencies: [
                .product(name: "ContentKeySession", package: "keyway"),
                .product(name: "ContentKeySessionAVFoundation", package: "keyway"),
            ]
        ),
        .target(name: "FilmViews", dependencies: ["FilmKeys"]),
    ]
)
