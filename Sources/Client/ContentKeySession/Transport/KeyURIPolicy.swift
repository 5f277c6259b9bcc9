import HLSPlaylist
import TextCoding

/// The rule that converts a key URI into an asset ID. Packagers use different rules.
///
/// | Policy | `skd://movie/hd?x=1` |
/// |---|---|
/// | ``afterScheme`` | `movie/hd` |
/// | ``host`` | `movie` |
/// | ``lastPathComponent`` | `hd` |
/// | ``queryItem(_:)`` with `x` | `1` |
/// | ``wholeURI`` | `skd://movie/hd?x=1` |
/// | ``init(_:)`` | the result of the app's function |
///
/// All except the last two accept only the scheme `skd`, in any case, and decode percent-encoding. The result must have
/// 2 to 200 bytes, like the asset ID of an SPC; its UTF-8 bytes are the content identifier unless the policy returns
/// another.
public struct KeyURIPolicy: Sendable {
    /// The identity of a key.
    public struct Identity: Hashable, Sendable {
        /// The asset ID for the key server.
        public let assetID: String
        /// The content identifier, which the device writes into the SPC as the asset ID.
        public let contentIdentifier: [UInt8]

        /// Creates an identity.
        ///
        /// - Parameters:
        ///   - assetID: The asset ID for the key server.
        ///   - contentIdentifier: The content identifier; nil means the UTF-8 bytes of the asset ID.
        public init(assetID: String, contentIdentifier: [UInt8]? = nil) {
            self.assetID = assetID
            self.contentIdentifier = contentIdentifier ?? Array(assetID.utf8)
        }
    }

    private let rule: @Sendable (String) -> Identity?

    /// Creates a policy from a function, which returns nil for a URI that does not follow the policy.
    public init(_ rule: @escaping @Sendable (String) -> Identity?) { self.rule = rule }

    /// Returns the identity of a key URI; nil if the URI does not follow the policy or the content identifier has the
    /// wrong size.
    public func identity(of uri: String) -> Identity? {
        guard let identity = rule(uri), (2...200).contains(identity.contentIdentifier.count) else { return nil }
        return identity
    }

    /// The text between `skd://` and the query.
    public static let afterScheme = skd { host, path, _ in host + path }
    /// The text before the first slash.
    public static let host = skd { host, _, _ in host }
    /// The text after the last slash; the host if there is no path.
    public static let lastPathComponent = skd { host, path, _ in
        path.split(separator: "/").last.map(String.init) ?? host
    }

    /// Returns a policy that uses the value of a query item.
    public static func queryItem(_ name: String) -> KeyURIPolicy {
        skd { _, _, query in
            for item in query.split(separator: "&") {
                let parts = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                if parts.count == 2, PercentEncoding.decode(parts[0]) == name { return String(parts[1]) }
            }
            return nil
        }
    }

    /// The whole URI.
    public static let wholeURI = KeyURIPolicy { Identity(assetID: $0) }

    private static func skd(_ part: @escaping @Sendable (String, String, String) -> String?) -> KeyURIPolicy {
        KeyURIPolicy { uri in
            guard URIReference.scheme(of: uri) == "skd" else { return nil }
            var rest = uri.dropFirst(4)
            // `skd:movie` also occurs.
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
