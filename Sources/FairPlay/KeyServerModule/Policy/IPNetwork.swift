#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A network of IPv4 or IPv6 addresses, in CIDR notation: `192.0.2.0/24`, `2001:db8::/32`. An address without a prefix
/// length is a network with one address.
///
/// An IPv4-mapped IPv6 address (`::ffff:192.0.2.1`), which a dual-stack listener reports, counts as the IPv4 address. A
/// network must be written as IPv4.
public struct IPNetwork: RawRepresentable, Hashable, Sendable {
    /// The first address, 4 or 16 bytes.
    public let address: [UInt8]
    /// The number of significant bits of the address: 0 to 32, or 0 to 128.
    public let prefixLength: Int

    /// Parses CIDR notation. Returns nil for any other text, and if bits after the prefix are set.
    public init?(rawValue text: String) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let address = Self.bytes(of: String(parts[0])), !Self.isMapped(address) else { return nil }
        var length = address.count * 8
        if parts.count == 2 {
            // Only digits are valid: Int would accept a sign, and a leading zero is probably a typing error.
            guard (1...3).contains(parts[1].utf8.count), parts[1].utf8.allSatisfy({ (0x30...0x39).contains($0) }),
                parts[1] == "0" || !parts[1].hasPrefix("0"), let number = Int(parts[1]), number <= length
            else { return nil }
            length = number
        }
        guard Self.masked(address, length) == address else { return nil }
        self.address = address
        prefixLength = length
    }

    /// The network in CIDR notation.
    public var rawValue: String {
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        let family = address.count == 4 ? AF_INET : AF_INET6
        guard inet_ntop(family, address, &text, socklen_t(text.count)) != nil else { return "" }
        let digits = text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        return String(decoding: digits, as: UTF8.self) + "/\(prefixLength)"
    }

    /// Returns whether the network contains an address in text form; false if the text is not an address.
    public func contains(_ text: String) -> Bool {
        // A link-local address can have a zone ID.
        let withoutZone = text.prefix { $0 != "%" }
        guard var bytes = Self.bytes(of: String(withoutZone)) else { return false }
        if Self.isMapped(bytes) { bytes = Array(bytes.suffix(4)) }
        return contains(bytes: bytes)
    }

    /// Returns whether the network contains an address of 4 bytes (IPv4) or 16 bytes (IPv6), in network byte order.
    public func contains(bytes: [UInt8]) -> Bool {
        bytes.count == address.count && Self.masked(bytes, prefixLength) == address
    }

    /// Returns whether the network contains every address of the other network.
    public func contains(_ other: IPNetwork) -> Bool {
        other.address.count == address.count && prefixLength <= other.prefixLength
            && Self.masked(other.address, prefixLength) == address
    }

    private static func bytes(of text: String) -> [UInt8]? {
        // inet_pton would stop at a zero byte.
        guard text.utf8.count < Int(INET6_ADDRSTRLEN), !text.utf8.contains(0) else { return nil }
        var bytes = [UInt8](repeating: 0, count: text.utf8.contains(UInt8(ascii: ":")) ? 16 : 4)
        return inet_pton(bytes.count == 4 ? AF_INET : AF_INET6, text, &bytes) == 1 ? bytes : nil
    }

    private static func isMapped(_ address: [UInt8]) -> Bool {
        address.count == 16 && address.prefix(12) == [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff]
    }

    private static func masked(_ address: [UInt8], _ length: Int) -> [UInt8] {
        address.enumerated().map { index, byte in
            let bits = min(max(length - index * 8, 0), 8)
            return byte & UInt8(truncatingIfNeeded: 0xff00 >> bits)
        }
    }
}

extension IPNetwork: CustomStringConvertible {
    /// The network in CIDR notation.
    public var description: String { rawValue }
}

extension [IPNetwork] {
    /// Returns the addresses that are in a network of both lists. Two networks are either disjoint or one contains the
    /// other, so the result is again a list of networks, sorted and without nested networks.
    func intersection(_ others: [IPNetwork]) -> [IPNetwork] {
        flatMap { one in
            others.compactMap { other in one.contains(other) ? other : other.contains(one) ? one : nil }
        }.outermost
    }

    /// The list, sorted and without networks that another network of the list contains.
    var outermost: [IPNetwork] {
        let distinct = Set(self)
        return distinct.filter { network in !distinct.contains { $0 != network && $0.contains(network) } }
            .sorted { left, right in
                if left.address.count != right.address.count { return left.address.count < right.address.count }
                return left.address.lexicographicallyPrecedes(right.address)
            }
    }
}
