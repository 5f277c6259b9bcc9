// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "ios-app",
    platforms: [.iOS(.v16)],
    products: [.library(name: "FilmKeys", targets: ["FilmKeys"])],
    dependencies: [.package(name: "keyway", path: "../..")],
    targets: [
        .target(
            name: "FilmKeys",
            dependencies: [
                .product(name: "ContentKeySession", package: "keyway"),
                .product(name: "ContentKeySessionAVFoundation", package: "keyway"),
            ]
        )
    ]
)
