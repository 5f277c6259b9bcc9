extension LintRule {
    /// The rules for the syntax of URIs.
    static let uriRules: [LintRule] = [
        LintRule(
            "uri-with-space",
            .error,
            .any,
            section: "4.1",
            "a URI must not contain a space",
            .playlist { findings in
                for line in findings.file.lines {
                    if case .uri(let uri) = line.content, !uri.utf8.contains(0x20) { continue }
                    guard let (attribute, uri) = line.uris.first(where: { $0.uri.utf8.contains(0x20) }) else {
                        continue
                    }
                    findings.report(
                        line,
                        attribute: attribute,
                        "the URI \(MessageFormat.uri(uri)) contains a space: write %20"
                    )
                }
            }
        ),
        LintRule(
            "uri-malformed",
            .warning,
            .any,
            section: "4.1",
            "a URI should have the syntax of RFC 3986",
            .playlist { findings in
                let variableRules: Set<RuleID> = [
                    .undefinedVariable, .invalidDefine, .unresolvedImport, .unresolvedQueryParameter,
                ]
                let hasUnknownVariable = findings.file.diagnostics.contains { variableRules.contains($0.rule) }
                for line in findings.file.lines {
                    // Most lines are segments with a simple URI.
                    if case .uri(let uri) = line.content, URISyntax.isPlain(uri) { continue }
                    for (attribute, uri) in line.uris {
                        // A reference that cannot be substituted is a violation of another rule.
                        guard let problem = URISyntax.problem(uri), !(hasUnknownVariable && line.refersToVariable)
                        else {
                            continue
                        }
                        let start = attribute.map { name in
                            // The column is known only without variables, which are longer or shorter than their values.
                            line.unquotedAttribute(name) == uri
                                ? line.column(ofAttribute: name) + name.utf8.count + 2 : 0
                        }
                        let first = start ?? (line.text == uri ? 1 : 0)
                        findings.report(
                            line,
                            attribute: attribute,
                            column: first > 0 ? first + problem.offset : nil,
                            "\(attribute.map { "\($0) " } ?? "")\(MessageFormat.uri(uri)) is not a valid URI: "
                                + problem.message
                        )
                        break
                    }
                }
            }
        ),
    ]
}

/// The syntax of RFC 3986, as far as the position of characters matters.
private enum URISyntax {
    /// Returns whether a URI has no scheme and only contains characters that are always allowed.
    static func isPlain(_ uri: String) -> Bool { uri.utf8.allSatisfy { classes[Int($0)] && $0 != 0x3A } }

    /// Returns the first problem of a URI reference, with its offset in bytes; nil for a valid reference. Spaces and control
    /// characters are violations of other rules.
    static func problem(_ uri: String) -> (offset: Int, message: String)? {
        let bytes = Array(uri.utf8)
        for (offset, byte) in bytes.enumerated() where !classes[Int(byte)] {
            switch byte {
            case UInt8(ascii: "%"):
                let digits = bytes.dropFirst(offset + 1).prefix(2)
                if digits.count == 2, digits.allSatisfy(isHexadecimal) { continue }
                return (offset, "two hexadecimal digits must follow %; write %25 for a percent sign")
            case UInt8(ascii: "["), UInt8(ascii: "]"):
                if let authority = authority(bytes), authority.contains(offset) {
                    if isAddress(bytes[authority]) { continue }
                    return (offset, "the IPv6 address of the host has no closing bracket, or characters follow it")
                }
                return (offset, "write \(escape(byte)) for \(character(byte))")
            case 0x80...:
                let scalar = String(decoding: bytes[offset...].prefix(4), as: UTF8.self).unicodeScalars.first
                let text = scalar.map { String(Character($0)) } ?? ""
                return (offset, "write \(text.utf8.map(escape).joined()) for \(ReadingContext.quoted(text))")
            default: return (offset, "write \(escape(byte)) for \(character(byte))")
            }
        }
        let scheme = URIReference.scheme(of: uri)
        if scheme == "http" || scheme == "https" {
            guard let authority = authority(bytes) else {
                return (0, "write // and the host after \(scheme ?? ""):")
            }
            if authority.isEmpty { return (authority.lowerBound, "the host is missing") }
        }
        return nil
    }

    /// The range of the authority: the bytes after `//` at the beginning or after the scheme.
    private static func authority(_ bytes: [UInt8]) -> Range<Int>? {
        let colon = bytes.firstIndex { $0 == 0x3A || $0 == 0x2F || $0 == 0x3F || $0 == 0x23 }
        let start = colon.flatMap { bytes[$0] == 0x3A ? $0 + 1 : nil } ?? 0
        guard bytes[start...].starts(with: [0x2F, 0x2F]) else { return nil }
        let rest = bytes[(start + 2)...]
        return start + 2..<(rest.firstIndex { $0 == 0x2F || $0 == 0x3F || $0 == 0x23 } ?? bytes.endIndex)
    }

    /// Returns whether the brackets of an authority enclose its host: `[…]`, before it a user name, after it a port.
    private static func isAddress(_ authority: ArraySlice<UInt8>) -> Bool {
        let host = authority[(authority.lastIndex(of: 0x40).map { $0 + 1 } ?? authority.startIndex)...]
        guard host.first == 0x5B, let close = host.firstIndex(of: 0x5D), host.lastIndex(of: 0x5B) == host.startIndex
        else { return false }
        let port = host[(close + 1)...]
        return port.isEmpty || (port.first == 0x3A && port.dropFirst().allSatisfy { (0x30...0x39).contains($0) })
    }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x46).contains(byte & 0xDF)
    }

    private static func escape(_ byte: UInt8) -> String {
        let digits = String(byte, radix: 16, uppercase: true)
        return digits.utf8.count == 1 ? "%0\(digits)" : "%\(digits)"
    }

    private static func character(_ byte: UInt8) -> String { "the character \(Character(Unicode.Scalar(byte)))" }

    /// True for the bytes that a URI may contain anywhere, and for spaces and control characters.
    private static let classes: [Bool] = {
        var result = Array(repeating: false, count: 256)
        for byte in 0...0x20 { result[byte] = true }
        result[0x7F] = true
        for byte in "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~:/?#@!$&'()*+,;=".utf8 {
            result[Int(byte)] = true
        }
        return result
    }()
}

extension PlaylistLine {
    /// The URIs of the line after variable substitution, with the names of their attributes, which are nil for a URI
    /// line.
    fileprivate var uris: [(attribute: String?, uri: String)] {
        func attribute(_ uri: String?) -> [(attribute: String?, uri: String)] { uri.map { [("URI", $0)] } ?? [] }
        return switch content {
        case .uri(let uri): [(nil, uri)]
        case .tag(.key(let tag)): attribute(tag.uri)
        case .tag(.sessionKey(let tag)): attribute(tag.key.uri)
        case .tag(.map(let tag)): attribute(tag.uri)
        case .tag(.part(let tag)): attribute(tag.uri)
        case .tag(.preloadHint(let tag)): attribute(tag.uri)
        case .tag(.renditionReport(let tag)): attribute(tag.uri)
        case .tag(.media(let tag)): attribute(tag.uri)
        case .tag(.iFrameStreamInf(let tag)): attribute(tag.uri)
        case .tag(.sessionData(let tag)): attribute(tag.uri)
        case .tag(.contentSteering(let tag)): [("SERVER-URI", tag.serverURI)]
        case .tag(.dateRange(let tag)):
            ["X-ASSET-URI", "X-ASSET-LIST", "X-URI"].compactMap { name in tag[name].map { (name, $0) } }
        default: []
        }
    }
}
