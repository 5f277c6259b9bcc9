package import FPSCrypto
package import KeyServerModule
import TextCoding

/// A secret that signs key URLs, with an ID, so that URLs stay valid after another secret has replaced it.
package struct KeyURLSecret: Sendable {
    /// The ID in the URL: 1 to 32 characters of `a-z 0-9 - _`.
    package let id: String
    let secret: SecretBytes

    /// Creates a secret; nil unless the ID is valid and the secret has 32 to 1,024 bytes.
    package init?(id: String, secret: SecretBytes) {
        let letters = Set("abcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
        guard (1...32).contains(id.utf8.count), id.utf8.allSatisfy(letters.contains),
            (32...1_024).contains(secret.count)
        else { return nil }
        self.id = id
        self.secret = secret
    }
}

/// Creates and verifies signed, expiring URLs of AES-128 keys, for players that fetch keys without a token in a header.
///
///     /keys/000102030405060708090a0b0c0d0e0f?exp=1800000000&acc=viewer-1&key=2026a&sig=…
///
/// `exp` is the expiry time in Unix seconds, `acc` the account, `net` the network that the client must be in
/// (optional), `key` the ID of the secret. `sig` is HMAC-SHA256 in base64url without padding over these bytes, with
/// lengths and numbers in big-endian order:
///
///     bytes    field
///     0-15     "keyway-key-url-1"
///     16-31    key ID
///     32-39    expiry time
///     40-43    length of the account, then the account in UTF-8
///     then     4 bytes length of the network, then the network as in the URL; zero if there is none
package struct KeyURLSigner: Sendable {
    private let current: KeyURLSecret
    private let secrets: [String: SecretBytes]

    /// Creates a signer that signs with one secret and accepts URLs signed with previous ones; nil if two have the same
    /// ID.
    package init?(current: KeyURLSecret, former: [KeyURLSecret] = []) {
        let all = [current] + former
        guard Set(all.map(\.id)).count == all.count else { return nil }
        self.current = current
        secrets = Dictionary(uniqueKeysWithValues: all.map { ($0.id, $0.secret) })
    }

    /// The contents of a valid URL.
    package struct Grant: Sendable, Equatable {
        /// The account that may have the key.
        package let account: String
        /// The expiry time of the URL, in Unix seconds.
        package let expires: Int64
    }

    /// Returns the path and query for a key.
    ///
    /// - Parameters:
    ///   - keyID: The key ID, 16 bytes.
    ///   - account: The account that may have the key, 1 to 200 bytes.
    ///   - expires: The expiry time, in Unix seconds.
    ///   - network: The network that the client must be in.
    /// - Returns: nil if the key ID or the account has another size.
    package func path(keyID: [UInt8], account: String, expires: Int64, network: IPNetwork? = nil) -> String? {
        guard keyID.count == 16, (1...200).contains(account.utf8.count) else { return nil }
        let message = Self.message(keyID, expires, account, network?.rawValue ?? "")
        let signature = HMACSHA256.authenticate(message, key: current.secret)
        let net = network.map { "&net=\(PercentEncoding.encode($0.rawValue))" } ?? ""
        return
            "/keys/\(Hexadecimal.encode(keyID))?exp=\(expires)&acc=\(PercentEncoding.encode(account))\(net)&key=\(current.id)"
            + "&sig=\(Base64.encodeURLSafe(signature))"
    }

    /// Verifies a URL.
    ///
    /// - Parameter query: Returns the percent-decoded values of a parameter. A parameter that appears more than once
    ///   counts as missing.
    /// - Throws: `key-url-signature`, `key-url-expired`; `forbidden` for a client in another network.
    package func verify(
        keyID: [UInt8],
        remoteAddress: String?,
        now: Int64,
        query: (String) -> [String]
    ) throws(ProblemDocument) -> Grant {
        func only(_ name: String) -> String? {
            let values = query(name)
            return values.count == 1 ? values[0] : nil
        }
        let network = only("net") ?? ""
        guard keyID.count == 16, query("net").count <= 1,
            let end = only("exp"), let expires = Int64(end), "\(expires)" == end, expires >= 0,
            let account = only("acc"), (1...200).contains(account.utf8.count), network.utf8.count <= 64,
            let id = only("key"), let secret = secrets[id],
            let text = only("sig"), text.utf8.count <= 64, let signature = Base64.decode(text, .base64url),
            SecretBytes.constantTimeEquals(
                HMACSHA256.authenticate(Self.message(keyID, expires, account, network), key: secret),
                signature
            )
        else { throw ProblemDocument(.keyURLSignature) }
        guard now < expires else { throw ProblemDocument(.keyURLExpired, auditAccount: account) }
        if !network.isEmpty {
            guard let allowed = IPNetwork(rawValue: network), let remoteAddress, allowed.contains(remoteAddress) else {
                throw ProblemDocument(
                    .forbidden,
                    detail: "The URL is for another network.",
                    reason: "network-denied",
                    auditAccount: account
                )
            }
        }
        return Grant(account: account, expires: expires)
    }

    private static func message(_ keyID: [UInt8], _ expires: Int64, _ account: String, _ network: String) -> [UInt8] {
        func counted(_ text: String) -> [UInt8] { bigEndian(UInt32(text.utf8.count)) + Array(text.utf8) }
        return Array("keyway-key-url-1".utf8) + keyID + bigEndian(expires) + counted(account) + counted(network)
    }

    private static func bigEndian(_ number: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: number.bigEndian) { Array($0) }
    }

}
