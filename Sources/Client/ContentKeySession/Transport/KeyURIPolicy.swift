import HLSPlaylist
import TextCoding

/// How the URI of a key becomes an asset ID. Every packager has its own habit.
///
/// | Policy | `skd://movie/hd?x=1` |
/// |---|---|
/// | ``afterScheme`` | `movie/hd` |
/// | ``host`` | `movie` |
/// | ``lastPathComponent`` | `hd` |
/// | ``queryItem(_:)`` with `x` | `1` |
/// | ``wholeURI`` | `skd://movie/hd?x=1` |
/// | ``init(_:)`` | whatever it says |
///
/// All but the last two take `skd` alone, in any case, and decode percent signs. What came out must have 2 to 200 bytes, as
/// the asset ID of an SPC does; its UTF-8 bytes are the content identifier unless the policy says otherwise.
public struct KeyURIPolicy: Sendable {
    /// Whom a key belongs to.
    public struct Identity: Hashable, Sendable {
        /// For the key server.
        public let assetID: String
        /// For the device, which writes it into the SPC as its asset ID.
        public let contentIdentifier: [UInt8]

        /// Makes an identity.
        ///
        /// - Parameter contentIdentifier: The asset ID's UTF-8 bytes unless given.
        public init(assetID: String, contentIdentifier: [UInt8]? = nil) {
            self.assetID = assetID
            self.contentIdentifier = contentIdentifier ?? Array(assetID.utf8)
        }
    }

    private let rule: @Sendable (String) -> Identity?

    /// A policy of one's own; nil where a URI does not follow it.
    public init(_ rule: @escaping @Sendable (String) -> Identity?) { self.rule = rule }

    /// What a URI names; nil where it does not follow the policy, or names something of the wrong size.
    public func identity(of uri: String) -> Identity? {
        guard let identity = rule(uri), (2...200).contains(identity.contentIdentifier.count) else { return nil }
        return identity
    }

    /// All between `skd://` and the query.
    public static let afterScheme = skd { host, path, _ in host + path }
    /// What stands before the first slash.
    public static let host = skd { host, _, _ in host }
    /// What stands behind the last slash; the host where there is no path.
    public static let lastPathComponent = skd { host, path, _ in
        path.split(separator: "/").last.map(String.init) ?? host
    }

    /// The value of a field of the query.
    public static func queryItem(_ name: String) -> KeyURIPolicy {
        skd { _, _, query in
            for item in query.split(separator: "&") {
                let parts = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                if parts.count == 2, PercentEncoding.decode(parts[0]) == name { return String(parts[1]) }
            }
            return nil
        }
    }

    /// The URI as it stands.
    public static let wholeURI = KeyURIPolicy { Identity(assetID: $0) }

    private static func skd(_ part: @escaping @Sendable (String, String, String) -> String?) -> KeyURIPolicy {
        KeyURIPolicy { uri in
            guard URIReference.scheme(of: uri) == "skd" else { return nil }
            var rest = uri.dropFirst(4)
            // `skd:movie` occurs too.
            if rest.hasPrefix("//") { rest = rest.dropFirst(2) }
            rest = rest.prefix { $0 != "#" }
            let path = rest.prefix { $0 != "?" }
            let host = path.prefix { $0 != "/" }
            let query = rest.dropFirst(path.count + 1)
            return part(String(host), String(path.dropFirst(host.count)), String(query))
                .flatMap { PercentEncoding.decode($0) }
                .map { Identity(assetID: $0) }
        }
    }
}
