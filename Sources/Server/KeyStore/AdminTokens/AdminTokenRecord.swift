package import FPSCrypto
import TextCoding

/// What the holder of a token for administration may do. Each role may read, but for the encoder's.
package enum AdminRole: String, Sendable, CaseIterable {
    /// Reads, and nothing else.
    case viewer
    /// Helps viewers: ends leases, forgets devices, revokes licenses.
    case support
    /// Keeps content: titles, tracks, keys and policies.
    case content
    /// Gets content keys, as encoders do, and nothing else.
    case encoder
    /// Everything, tokens too.
    case admin

    /// Whether the role may do this.
    package func allows(_ permission: AdminPermission) -> Bool {
        switch self {
        case .viewer: permission == .read
        case .support: permission == .read || permission == .support
        case .content: permission == .read || permission == .content
        case .encoder: permission == .encode
        case .admin: true
        }
    }
}

/// A kind of thing that administration does.
package enum AdminPermission: String, Sendable, CaseIterable {
    /// Look at anything that is no secret.
    case read
    /// End leases, forget devices, revoke licenses.
    case support
    /// Change content, titles, tracks, policies and keys.
    case content
    /// Get content keys in the clear or encrypted to oneself, and have them made.
    case encode
    /// Make and remove tokens, and change certificates.
    case administer
}

/// A token for administration, without the token: who has the record cannot use it.
package struct AdminTokenRecord: Sendable, Equatable {
    /// The row's identity, which logs show: 1 to 100 ASCII letters, digits, dots, hyphens and underscores.
    package let name: String
    /// What its holder may do.
    package let role: AdminRole
    /// SHA-256 over the token as it is sent, 32 bytes. A random token needs no slower hash.
    package let hash: [UInt8]
    /// When it was made, in Unix seconds.
    package let created: Int64
    /// The day on which it was last used, in days since 1970; nil: never. It is no finer, so that not every request
    /// writes.
    package var lastUsedDay: Int64?

    /// - Throws: ``KeyStoreError/Code/invalidRecord`` when a field is out of bounds.
    package init(
        name: String,
        role: AdminRole,
        hash: [UInt8],
        created: Int64,
        lastUsedDay: Int64? = nil
    ) throws(KeyStoreError) {
        try requireName(name, in: "admin token")
        try requireCount(hash, 32...32, "hash", in: "admin token \(name)")
        self.name = name
        self.role = role
        self.hash = hash
        self.created = created
        self.lastUsedDay = lastUsedDay
    }

    /// Makes a token of 32 random bytes at `time`, in Unix seconds: its record, and the token itself as text, 68 bytes
    /// of ASCII, which is to be shown once and kept nowhere.
    ///
    /// - Throws: ``KeyStoreError/Code/invalidRecord`` when the name is out of bounds.
    package static func make(
        name: String,
        role: AdminRole,
        time: Int64
    ) throws(KeyStoreError) -> (record: AdminTokenRecord, token: SecretBytes) {
        var random = SecureRandom()
        // The beginning tells people, and programs that look for secrets in the wrong places, what it is.
        let token = SecretBytes(copying: Array("kwa_".utf8) + Array(Hexadecimal.encode(random.bytes(32)).utf8))
        let hash = token.withUnsafeBytes { SHA256.hash(Array($0)) }
        return (try AdminTokenRecord(name: name, role: role, hash: hash, created: time), token)
    }

    /// The hash under which a token that was sent is found.
    package static func hash(ofToken token: some StringProtocol) -> [UInt8] { SHA256.hash(Array(token.utf8)) }
}
