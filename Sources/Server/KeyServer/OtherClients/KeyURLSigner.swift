package import FPSCrypto
package import KeyServerModule
import TextCoding

/// A secret that signs URLs of keys, with an ID by which it is found again once another one has taken its place.
package struct KeyURLSecret: Sendable {
    /// Stands in the URL. 1 to 32 of `a-z 0-9 - _`.
    package let id: String
    let secret: SecretBytes

    /// Makes a secret; nil unless the ID is one and the secret has 32 to 1,024 bytes.
    package init?(id: String, secret: SecretBytes) {
        let letters = Set("abcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
        guard (1...32).contains(id.utf8.count), id.utf8.allSatisfy(letters.contains),
            (32...1_024).contains(secret.count)
        else { return nil }
        self.id = id
        self.secret = secret
    }
}

/// Signs URLs of AES-128 keys that expire, and checks them: for players that fetch keys by themselves and send no header.
///
///     /keys/000102030405060708090a0b0c0d0e0f?exp=1800000000&acc=viewer-1&key=2026a&sig=…
///
/// `exp` is the end in Unix seconds, `acc` the account, `net`, where it is there, the network that the client must be in,
/// `key` the ID of the secret. `sig` is HMAC-SHA256 in base64url without padding over these bytes, lengths and numbers
/// big-endian:
///
///     bytes    field
///     0-15     "keyway-key-url-1"
///     16-31    key ID
///     32-39    end
///     40-43    length of the account, then the account in UTF-8
///     then     4 bytes length of the network, then the network as it stands in the URL; zero for none
package struct KeyURLSigner: Sendable {
    private let current: KeyURLSecret
    private let secrets: [String: SecretBytes]

    /// Makes a signer that signs with one secret, and still believes URLs of former ones; nil when two have one ID.
    package init?(current: KeyURLSecret, former: [KeyURLSecret] = []) {
        let all = [current] + former
        guard Set(all.map(\.id)).count == all.count else { return nil }
        self.current = current
        secrets = Dictionary(uniqueKeysWithValues: all.map { ($0.id, $0.secret) })
    }

    /// What a valid URL says.
    package struct Grant: Sendable, Equatable {
        /// Who may have the key.
        package let account: String
        /// When the URL ends, in Unix seconds.
        package let expires: Int64
    }

    /// Path and query for a key.
    ///
    /// - Parameters:
    ///   - keyID: 16 bytes.
    ///   - account: who is to have the key, 1 to 200 bytes.
    ///   - expires: the end, in Unix seconds.
    ///   - network: the network that the client must be in.
    /// - Returns: nil for another size of key ID or account.
    package func path(keyID: [UInt8], account: String, expires: Int64, network: IPNetwork? = nil) -> String? {
        guard keyID.count == 16, (1...200).contains(account.utf8.count) else { return nil }
        let message = Self.message(keyID, expires, account, network?.rawValue ?? "")
        let signature = HMACSHA256.authenticate(message, key: current.secret)
        let net = network.map { "&net=\(PercentEncoding.encode($0.rawValue))" } ?? ""
        return
            "/keys/\(Hexadecimal.encode(keyID))?exp=\(expires)&acc=\(PercentEncoding.encode(account))\(net)&key=\(current.id)"
            + "&sig=\(Base64.encodeURLSafe(signature))"
    }

    /// Checks a URL.
    ///
    /// - Parameter query: the values of a parameter, percent-decoded. Given twice, a parameter is no parameter.
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
            let text = only("sig"), text.utf8.count <= 64, let signature = Base64.decode(text, .url),
            SecretBytes.constantTimeEquals(
                HMACSHA256.authenticate(Self.message(keyID, expires, account, network), key: secret),
                signature
            )
        else { throw ProblemDocument(.keyURLSignature) }
        guard now < expires else { throw ProblemDocument(.keyURLExpired) }
        if !network.isEmpty {
            guard let allowed = IPNetwork(rawValue: network), let remoteAddress, allowed.contains(remoteAddress) else {
                throw ProblemDocument(.forbidden, detail: "The URL is for another network.", reason: "network-denied")
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
