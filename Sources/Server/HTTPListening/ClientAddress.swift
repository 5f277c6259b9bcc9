import Glibc

/// An IPv4 or IPv6 address. An IPv4-mapped IPv6 address (`::ffff:192.0.2.1`) is converted to the IPv4 address.
package struct ClientAddress: Sendable, Hashable, CustomStringConvertible {
    /// The address in network byte order, 4 or 16 bytes.
    package let bytes: [UInt8]

    /// Creates an address from bytes; nil unless there are 4 or 16.
    package init?(bytes: [UInt8]) {
        let mappedPrefix: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]
        switch bytes.count {
        case 4: self.bytes = bytes
        case 16: self.bytes = bytes.starts(with: mappedPrefix) ? Array(bytes[12...]) : bytes
        default: return nil
        }
    }

    /// Parses an address without port, brackets or zone.
    package init?(_ text: some StringProtocol) {
        // Refuse text that the C library would parse only partly.
        guard text.utf8.count <= 45, !text.utf8.contains(0) else { return nil }
        let text = String(text)
        var bytes = [UInt8](repeating: 0, count: 16)
        if inet_pton(AF_INET, text, &bytes) == 1 {
            self.init(bytes: Array(bytes[..<4]))
        } else if inet_pton(AF_INET6, text, &bytes) == 1 {
            self.init(bytes: bytes)
        } else {
            return nil
        }
    }

    /// Parses an address as written by proxies: optionally with a port, in brackets, in quotes.
    package init?(forwarded text: some StringProtocol) {
        var rest = text[...].drop { $0 == " " || $0 == "\t" }
        while let last = rest.last, last == " " || last == "\t" { rest.removeLast() }
        if rest.count >= 2, rest.first == "\"", rest.last == "\"" { rest = rest.dropFirst().dropLast() }
        if rest.first == "[" {
            guard let end = rest.firstIndex(of: "]"), Self.isPort(rest[rest.index(after: end)...]) else { return nil }
            self.init(rest[rest.index(after: rest.startIndex)..<end])
        } else if rest.contains("."), let colon = rest.firstIndex(of: ":"), colon == rest.lastIndex(of: ":") {
            guard Self.isPort(rest[colon...]) else { return nil }
            self.init(rest[..<colon])
        } else {
            self.init(rest)
        }
    }

    private static func isPort(_ text: some StringProtocol) -> Bool {
        if text.isEmpty { return true }
        let digits = text.dropFirst()
        return text.first == ":" && digits.utf8.allSatisfy { (0x30...0x39).contains($0) } && UInt16(digits) != nil
    }

    /// True if it is an IPv4 address.
    package var isIPv4: Bool { bytes.count == 4 }

    /// True if it is a loopback address.
    package var isLoopback: Bool { isIPv4 ? bytes[0] == 127 : bytes == Array(repeating: 0, count: 15) + [1] }

    /// The address as text, IPv6 in its shortest form.
    package var description: String {
        String(unsafeUninitializedCapacity: Int(INET6_ADDRSTRLEN)) { text in
            text.withMemoryRebound(to: CChar.self) { text in
                guard let start = text.baseAddress,
                    inet_ntop(isIPv4 ? AF_INET : AF_INET6, bytes, start, socklen_t(text.count)) != nil
                else { return 0 }
                return strlen(start)
            }
        }
    }

    /// The bytes by which clients are limited: an IPv4 address, or the first 8 bytes of an IPv6 address, because a
    /// client usually has a whole /64 network.
    package var addressPrefix: [UInt8] { isIPv4 ? bytes : Array(bytes[..<8]) }
}
