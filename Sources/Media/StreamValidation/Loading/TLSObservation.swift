import HLSPlaylist

/// A host that delivers resources over TLS.
public struct TLSHost: Hashable, Sendable, CustomStringConvertible {
    /// The name or the address in lowercase; an IPv6 address without brackets.
    public let name: String
    /// The port.
    public let port: Int

    /// Creates the host of an https URL; nil for other URLs.
    public init?(url: String) {
        guard URIReference.scheme(of: url) == "https", let slashes = url.firstRange(of: "://") else { return nil }
        let rest = url[slashes.upperBound...]
        var authority = rest.prefix { !"/?#".contains($0) }
        // User information ends at the last @ of the authority.
        if let at = authority.lastIndex(of: "@") { authority = authority[authority.index(after: at)...] }
        var port = 443
        // The colons within brackets are those of an IPv6 address.
        if let colon = authority.lastIndex(of: ":"), !authority[colon...].contains("]") {
            let digits = authority[authority.index(after: colon)...]
            authority = authority[..<colon]
            if !digits.isEmpty {
                guard let number = UInt16(digits) else { return nil }
                port = Int(number)
            }
        }
        if authority.hasPrefix("["), authority.hasSuffix("]") { authority = authority.dropFirst().dropLast() }
        guard !authority.isEmpty else { return nil }
        (name, self.port) = (authority.lowercased(), port)
    }

    /// The name, and the port unless it is 443.
    public var description: String {
        let text = name.contains(":") ? "[\(name)]" : name
        return port == 443 ? text : "\(text):\(port)"
    }
}

/// The observations of a TLS connection. A value that is not known is nil, and violates no rule.
public struct TLSObservation: Hashable, Sendable {
    /// The public key of a certificate.
    public struct Key: Hashable, Sendable {
        /// The kinds of keys for which Apple's authoring specification has a minimum size.
        public enum Kind: String, Hashable, Sendable {
            /// RSA.
            case rsa = "RSA"
            /// Elliptic curves of NIST.
            case ellipticCurve = "EC"

            /// The minimum size in bits.
            var minimum: Int { self == .rsa ? 2048 : 256 }
        }

        /// The kind.
        public var kind: Kind
        /// The size of the modulus or of the field in bits.
        public var bits: Int

        /// Creates a key.
        public init(_ kind: Kind, bits: Int) { (self.kind, self.bits) = (kind, bits) }
    }

    /// The number after the point of the version of TLS, such as 2 for TLS 1.2.
    public var minorVersion: Int?
    /// The public key of the server's certificate.
    public var key: Key?

    /// Creates an observation.
    public init(minorVersion: Int? = nil, key: Key? = nil) { (self.minorVersion, self.key) = (minorVersion, key) }
}

extension MeasuredPresentation {
    /// The maximum number of hosts to which a connection is made to observe TLS.
    private static let maximumTLSHosts = 32

    /// The hosts that delivered resources over TLS, each with the first playlist that they delivered or that refers to
    /// them; at most 32.
    var tlsHosts: [(host: TLSHost, place: ValidationFinding.Place)] {
        var hosts: [(host: TLSHost, place: ValidationFinding.Place)] = []
        var known: Set<TLSHost> = []
        func add(_ url: String, _ http: HTTPObservation?, _ place: ValidationFinding.Place) {
            guard http?.isSecure == true, hosts.count < Self.maximumTLSHosts, let host = TLSHost(url: url),
                known.insert(host).inserted
            else { return }
            hosts.append((host, place))
        }
        if let multivariant { add(multivariant.name, http, .init(multivariant.name)) }
        for rendition in renditions {
            add(rendition.name, rendition.http, .init(rendition.name))
            for segment in rendition.segments where segment.http?.isSecure == true {
                let url = URIReference.resolve(segment.uri, against: rendition.name)
                add(url, segment.http, .init(rendition.name, line: segment.line))
            }
        }
        return hosts
    }
}
