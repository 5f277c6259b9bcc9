package import KeyServerModule

/// The networks of trusted proxies, whose X-Forwarded-For header is used.
package struct TrustedProxies: Sendable, Equatable {
    /// No trusted proxies.
    package static let none = Self([])
    /// The maximum length of a chain of proxies.
    private static let longestChain = 32

    private let networks: [IPNetwork]

    /// Creates trusted proxies from their networks.
    package init(_ networks: [IPNetwork]) { self.networks = networks }

    /// Returns whether the address is one of a trusted proxy.
    package func contains(_ address: ClientAddress) -> Bool { networks.contains { $0.contains(bytes: address.bytes) } }

    /// Returns the client's address: that of the peer, or the one in `X-Forwarded-For` if the peer is trusted.
    ///
    /// Each proxy appends the address of its client on the right, and a client can send any addresses on the left. The
    /// list is therefore read from the right, as long as the addresses are those of trusted proxies. An entry that
    /// cannot be parsed ends the search: the result is then the address of the last known proxy.
    ///
    /// - Parameter fields: The values of the header, in the order in which they arrived.
    package func client(peer: ClientAddress?, forwardedFor fields: [String]) -> ClientAddress? {
        guard var client = peer, !fields.isEmpty else { return peer }
        var hops = fields.flatMap { $0.split(separator: ",", omittingEmptySubsequences: false) }[...]
        var length = 0
        while contains(client), length < Self.longestChain, let hop = hops.popLast() {
            guard let address = ClientAddress(forwarded: hop) else { break }
            client = address
            length += 1
        }
        return client
    }
}
