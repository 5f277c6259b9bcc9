import Foundation

/// Hosts on this machine and in private networks (RFC 1918, RFC 4193, RFC 3927, RFC 4291), as their addresses or names in
/// a URL show.
enum PrivateHost {
    /// Returns whether a host is on this machine or in a private network. The addresses of other names are not looked up.
    static func isPrivate(_ host: String) -> Bool {
        let name = host.lowercased().trimmingCharacters(in: CharacterSet(charactersIn: "[]."))
        if name == "localhost" || name.hasSuffix(".localhost") || name.hasSuffix(".local")
            || name.hasSuffix(".internal")
        {
            return true
        }
        if let bytes = address(name, AF_INET, 4) { return isPrivate(version4: bytes) }
        guard let bytes = address(name, AF_INET6, 16) else { return false }
        // An IPv4 address in an IPv6 address (::ffff:0:0/96).
        if bytes.prefix(10).allSatisfy({ $0 == 0 }), bytes[10...11] == [0xFF, 0xFF] {
            return isPrivate(version4: Array(bytes.suffix(4)))
        }
        let isUnspecifiedOrLoopback = bytes.dropLast().allSatisfy { $0 == 0 } && bytes[15] <= 1
        return isUnspecifiedOrLoopback || bytes[0] & 0xFE == 0xFC || bytes[0] == 0xFE && bytes[1] & 0xC0 == 0x80
    }

    private static func isPrivate(version4 bytes: [UInt8]) -> Bool {
        switch (bytes[0], bytes[1]) {
        case (0, _), (10, _), (127, _), (169, 254), (192, 168): true
        case (172, 16...31), (100, 64...127): true
        default: false
        }
    }

    private static func address(_ text: String, _ family: Int32, _ count: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        return inet_pton(family, text, &bytes) == 1 ? bytes : nil
    }
}
