/// Why a bundle cannot be read, or is not what it should be.
public struct AssetBundleError: Error, Hashable, CustomStringConvertible {
    /// What is wrong.
    public enum Code: String, Sendable, CaseIterable {
        /// There is no `bundle.json`.
        case notABundle = "not-a-bundle"
        /// `bundle.json` is not as it is written here.
        case malformed
        /// It was written by a later version.
        case unknownVersion = "unknown-version"
        /// It is not complete: resume the download.
        case incomplete
        /// A file is not there.
        case missing
        /// A file has another length or other bytes than when it was complete.
        case damaged
        /// The system refuses to read or write.
        case storage
    }

    /// What is wrong.
    public let code: Code
    /// The bundle's folder, or the file in it.
    public let place: String
    /// What is wrong, and what can be done about it.
    public let reason: String

    init(_ code: Code, _ place: String, _ reason: String) {
        (self.code, self.place, self.reason) = (code, place, reason)
    }

    /// One line.
    public var description: String { "\(place): \(reason) (\(code.rawValue))" }
}
