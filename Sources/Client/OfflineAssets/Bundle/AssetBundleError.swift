/// An error of a bundle that cannot be read or is damaged.
public struct AssetBundleError: Error, Hashable, CustomStringConvertible {
    /// The kind of error.
    public enum Code: String, Sendable, CaseIterable {
        /// There is no `bundle.json`.
        case notABundle = "not-a-bundle"
        /// `bundle.json` is malformed.
        case malformed
        /// `bundle.json` was written by a newer version.
        case unknownVersion = "unknown-version"
        /// The bundle is not complete: resume the download.
        case incomplete
        /// A file is missing.
        case missing
        /// A file's length or bytes have changed since it was complete.
        case damaged
        /// A file could not be read or written.
        case storage
        /// The disk is full.
        case diskFull = "disk-full"
    }

    /// The kind of error.
    public let code: Code
    /// The bundle's folder, or a file in it.
    public let place: String
    /// A description of the error and what to do about it.
    public let reason: String

    init(_ code: Code, _ place: String, _ reason: String) {
        (self.code, self.place, self.reason) = (code, place, reason)
    }

    /// The location, the reason and the code, on one line.
    public var description: String { "\(place): \(reason) (\(code.rawValue))" }
}
