/// The versions of FairPlay Streaming that the key server supports for a presentation: KEYFORMATVERSIONS of its FairPlay
/// keys (RFC 8216bis, 4.4.4.4). A device uses the newest one that it supports.
///
///     versions = "1" / "1/2"
package struct FairPlayVersions: Hashable, Sendable, CustomStringConvertible {
    /// The versions that devices support (FairPlay Streaming guide, Tables 2-8 and 2-9).
    private static let known = ["1", "2"]

    /// The value of the attribute, in ascending order.
    package let description: String

    /// Version 1, which every device and every key server supports.
    package static let first = FairPlayVersions(description: "1")

    private init(description: String) { self.description = description }

    /// Parses a list of versions; nil if it contains anything else than versions of FPS, or one of them twice, or not
    /// version 1: without it, some devices have no version in common with the playlist.
    package init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard parts.allSatisfy(Self.known.contains), Set(parts).count == parts.count, parts.contains("1") else {
            return nil
        }
        description = parts.sorted().joined(separator: "/")
    }
}
