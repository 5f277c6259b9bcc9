import FileWriting
import Foundation

/// The address of an input from the network: `udp://239.1.1.1:5000?interface=eth0`, `rtp://:5004`.
package struct NetworkAddress: Hashable, Sendable {
    /// How transport stream packets are sent.
    package enum Transport: String, Sendable {
        /// Datagrams of transport stream packets.
        case udp
        /// RTP with payload type 33 (RFC 2250).
        case rtp
    }

    /// The default size of the receive buffer that is requested from the system, in bytes: 4 MiB.
    package static let defaultBufferSize = 4 << 20
    private static let bufferSizes = 1 << 12...1 << 30

    /// How packets are sent.
    package let transport: Transport
    /// The numeric address: that of a multicast group to join, or a local one; empty for all local IPv4 addresses.
    package let host: String
    /// The port.
    package let port: UInt16
    /// True if the address is that of a multicast group.
    package let isMulticast: Bool
    /// The interface of a multicast group: its name, or one of its addresses; nil to let the system choose.
    package let interface: String?
    /// The size of the receive buffer that is requested from the system, in bytes.
    package let bufferSize: Int

    /// The URL without its options, for messages.
    package var name: String {
        "\(transport.rawValue)://\(host.contains(":") ? "[\(host)]" : host):\(port)"
    }

    /// Returns whether a path is a URL of UDP or RTP.
    package static func isAddress(_ path: String) -> Bool {
        URLText.scheme(of: path).flatMap { Transport(rawValue: $0) } != nil
    }

    /// Parses a URL.
    ///
    /// - Throws: ``JobFailure``.
    package init(parsing text: String) throws(JobFailure) {
        func failure(_ reason: String) -> JobFailure {
            JobFailure("input", "\(reason): write udp://GROUP:PORT, udp://:PORT or rtp://:PORT")
        }
        guard let scheme = URLText.scheme(of: text), let transport = Transport(rawValue: scheme) else {
            throw failure("the address is not a URL of UDP or RTP")
        }
        self.transport = transport
        let parts = text.dropFirst(scheme.count + 3).split(
            separator: "?",
            maxSplits: 1,
            omittingEmptySubsequences: false
        )
        var authority = parts[0][...]
        // Other programs write @ before the group.
        if authority.first == "@" { authority = authority.dropFirst() }
        if authority.last == "/" { authority = authority.dropLast() }
        guard let colon = authority.lastIndex(of: ":"), let port = UInt16(authority[authority.index(after: colon)...]),
            port > 0
        else { throw failure("the address has no port from 1 to 65535") }
        self.port = port
        var host = String(authority[..<colon])
        if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
        let bytes = Self.bytes(ofHost: host)
        guard host.isEmpty || bytes != nil else {
            throw failure("“\(host)” is not a numeric address")
        }
        self.host = host
        // 224.0.0.0/4 and ff00::/8.
        isMulticast = bytes.map { $0.count == 4 ? $0[0] >> 4 == 14 : $0[0] == 0xFF } ?? false
        var (interface, size) = (String?.none, Self.defaultBufferSize)
        for option in parts.count > 1 ? parts[1].split(separator: "&") : [] {
            let pair = option.split(separator: "=", maxSplits: 1).map(String.init)
            switch (pair.first, pair.count > 1 ? pair[1] : "") {
            case ("interface", let value) where !value.isEmpty: interface = value
            case ("buffer", let value):
                guard let bytes = Int(value), Self.bufferSizes.contains(bytes) else {
                    throw JobFailure("input", "buffer= of \(scheme):// is the size in bytes, from 4096 to 1073741824")
                }
                size = bytes
            default:
                throw JobFailure("input", "the options of \(scheme):// are interface= and buffer=: remove the others")
            }
        }
        guard interface == nil || isMulticast else {
            throw JobFailure(
                "input",
                "interface= of \(scheme):// is for multicast groups: give the address of a group, such as 239.1.1.1, or give "
                    + "the address of the interface instead of the group"
            )
        }
        (self.interface, bufferSize) = (interface, size)
    }

    /// Returns the 4 or 16 bytes of a numeric address; nil if it is not one.
    static func bytes(ofHost host: String) -> [UInt8]? {
        var (v4, v6) = (in_addr(), in6_addr())
        if inet_pton(AF_INET, host, &v4) == 1 { return withUnsafeBytes(of: v4) { Array($0) } }
        if inet_pton(AF_INET6, host, &v6) == 1 { return withUnsafeBytes(of: v6) { Array($0) } }
        return nil
    }
}
