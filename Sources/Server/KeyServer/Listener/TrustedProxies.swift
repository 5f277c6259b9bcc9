package import KeyServerModule

/// The networks whose word on a client's address is taken.
package struct TrustedProxies: Sendable, Equatable {
    /// Nobody's word is taken.
    package static let none = Self([])
    /// A chain of proxies is shorter than this.
    private static let longestChain = 32

    private let networks: [IPNetwork]

    /// Takes the word of these networks.
    package init(_ networks: [IPNetwork]) { self.networks = networks }

    /// Whether the address is one of theirs.
    package func contains(_ address: ClientAddress) -> Bool { networks.contains { $0.contains(bytes: address.bytes) } }

    /// The client's address: the peer, or what a trusted peer says in `X-Forwarded-For`.
    ///
    /// Each proxy adds whom it was called by at the right, and a client can write anything at the left. So it is read
    /// from the right, for as long as those who wrote are trusted. What cannot be read ends it: then the address is
    /// that of the last proxy that is known.
    ///
    /// - Parameter fields: the values of the header, in the order in which they came.
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
