/// A web origin as browsers send it in the `Origin` header, for example `https://play.example.com` or
/// `http://localhost:8080`.
public struct WebOrigin: RawRepresentable, Hashable, Sendable {
    /// The scheme, the host, and the port if it is not the default port of the scheme.
    public let rawValue: String

    /// Parses an origin exactly as a browser sends it: in lowercase, without a path and without the scheme's default
    /// port. Returns nil for any other text, because it would never match.
    public init?(rawValue text: String) {
        guard text.utf8.count <= 300, let colon = text.firstIndex(of: ":") else { return nil }
        let (scheme, rest) = (text[..<colon], text[colon...])
        guard let first = scheme.utf8.first, Self.isLetter(first),
            scheme.utf8.allSatisfy({ Self.isLetter($0) || Self.isDigit($0) || [0x2b, 0x2d, 0x2e].contains($0) }),
            rest.hasPrefix("://")
        else { return nil }
        var host = rest.dropFirst(3)
        if let bracket = host.lastIndex(of: "]"), host.first == "[" {
            let inner = host[..<bracket].dropFirst()
            guard inner.contains(":"), IPNetwork(rawValue: String(inner)) != nil, inner == inner.lowercased() else {
                return nil
            }
            host = host[bracket...].dropFirst()
        } else {
            let name = host.prefix { $0 != ":" }
            guard !name.isEmpty,
                name.utf8.allSatisfy({ Self.isLetter($0) || Self.isDigit($0) || [0x2d, 0x2e, 0x5f].contains($0) })
            else { return nil }
            host = host.dropFirst(name.count)
        }
        if !host.isEmpty {
            let port = host.dropFirst()
            guard host.first == ":", (1...5).contains(port.utf8.count), port.utf8.allSatisfy(Self.isDigit),
                !port.hasPrefix("0"), let number = UInt32(port), number <= 65_535,
                ["http": 80, "https": 443][String(scheme)] != number
            else { return nil }
        }
        rawValue = text
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) }
    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
}

extension WebOrigin: CustomStringConvertible {
    /// The origin.
    public var description: String { rawValue }
}
