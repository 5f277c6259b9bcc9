/// The version of the package, which both executables print and the server's metrics report.
package enum KeywayVersion {
    /// The version number, as in Semantic Versioning. `scripts/release` reads this line.
    package static let current = "0.9.0"
}
