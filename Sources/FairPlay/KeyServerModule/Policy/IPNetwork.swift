#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A network of IPv4 or IPv6 addresses, in CIDR notation: `192.0.2.0/24`, `2001:db8::/32`. An address alone is a network
/// of one.
///
/// An IPv4 address inside IPv6 (`::ffff:192.0.2.1`), which a dual-stack listener reports, counts as the IPv4 address that
/// it is; a network must be written as IPv4.
public struct IPNetwork: RawRepresentable, Hashable, Sendable {
    /// The first address, 4 or 16 bytes.
    public let address: [UInt8]
    /// How many bits of the address count: 0 to 32, or 0 to 128.
    public let prefixLength: Int

    /// Reads CIDR notation; nil for anything else, also where bits are set behind the prefix.
    public init?(rawValue text: String) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let address = Self.bytes(of: String(parts[0])), !Self.isMapped(address) else { return nil }
        var length = address.count * 8
        if parts.count == 2 {
            // Digits alone: Int would take a sign, and a zero in front is a slip.
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
        let written = text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        return String(decoding: written, as: UTF8.self) + "/\(prefixLength)"
    }

    /// Whether an address, as text, belongs to the network. What is no address belongs to none.
    public func contains(_ text: String) -> Bool {
        // A link-local address may carry its zone.
        let bare = text.prefix { $0 != "%" }
        guard var bytes = Self.bytes(of: String(bare)) else { return false }
        if Self.isMapped(bytes) { bytes = Array(bytes.suffix(4)) }
        return contains(bytes: bytes)
    }

    /// Whether an address of 4 or 16 bytes, in network order, belongs to the network. IPv4 has 4 bytes here.
    public func contains(bytes: [UInt8]) -> Bool {
        bytes.count == address.count && Self.masked(bytes, prefixLength) == address
    }

    /// Whether every address of the other network is one of this.
    public func contains(_ other: IPNetwork) -> Bool {
        other.address.count == address.count && prefixLength <= other.prefixLength
            && Self.masked(other.address, prefixLength) == address
    }

    private static func bytes(of text: String) -> [UInt8]? {
        // The C function would stop at a zero byte.
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
    /// The addresses that are in one of these networks and in one of those. Two networks are one inside the other or
    /// apart, so that this is a list of networks again, in order and without one inside another.
    func intersection(_ others: [IPNetwork]) -> [IPNetwork] {
        flatMap { one in
            others.compactMap { other in one.contains(other) ? other : other.contains(one) ? one : nil }
        }.outermost
    }

    /// The list in order, without networks that lie inside another of the list.
    var outermost: [IPNetwork] {
        let distinct = Set(self)
        return distinct.filter { network in !distinct.contains { $0 != network && $0.contains(network) } }
            .sorted { left, right in
                if left.address.count != right.address.count { return left.address.count < right.address.count }
                return left.address.lexicographicallyPrecedes(right.address)
            }
    }
}
