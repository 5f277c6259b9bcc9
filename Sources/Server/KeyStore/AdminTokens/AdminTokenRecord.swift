package import FPSCrypto
import TextCoding

/// The role of a token for administration. Every role except ``encoder`` may read.
package enum AdminRole: String, Sendable, CaseIterable {
    /// Reads only.
    case viewer
    /// Supports viewers: ends leases, deletes devices, revokes licenses.
    case support
    /// Manages content: titles, tracks, keys and policies.
    case content
    /// Gets content keys, as encoders do, and has no other permission.
    case encoder
    /// Has every permission, including managing tokens.
    case admin

    /// Returns whether the role has the permission.
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

/// A permission for administration requests.
package enum AdminPermission: String, Sendable, CaseIterable {
    /// Read everything that is not secret.
    case read
    /// End leases, delete devices, revoke licenses.
    case support
    /// Change content: titles, tracks, policies and keys.
    case content
    /// Get content keys, in the clear or encrypted to the client's certificate, and create them.
    case encode
    /// Create and delete tokens, and change certificates.
    case administer
}

/// The stored record of a token for administration. It contains a hash of the token, so the record cannot be used to
/// sign in.
package struct AdminTokenRecord: Sendable, Equatable {
    /// The primary key, which logs show: 1 to 100 ASCII letters, digits, dots, hyphens and underscores.
    package let name: String
    /// The role of the token.
    package let role: AdminRole
    /// The SHA-256 of the token as it is sent, 32 bytes. A random token needs no slow password hash.
    package let hash: [UInt8]
    /// The creation time, in Unix seconds.
    package let created: Int64
    /// The day on which the token was last used, in days since 1970, or nil if it was never used. A finer unit would
    /// require a write for every request.
    package var lastUsedDay: Int64?

    /// - Throws: ``KeyStoreError/Code/invalidRecord`` if a field is out of bounds.
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

    /// Creates a token of 32 random bytes at `time`, in Unix seconds. Returns its record and the token itself as text,
    /// 68 bytes of ASCII, which must be shown once and not be stored.
    ///
    /// - Throws: ``KeyStoreError/Code/invalidRecord`` if the name is out of bounds.
    package static func make(
        name: String,
        role: AdminRole,
        time: Int64
    ) throws(KeyStoreError) -> (record: AdminTokenRecord, token: SecretBytes) {
        var random = SecureRandom()
        // The prefix identifies the token to readers and to secret scanners.
        let token = SecretBytes(copying: Array("kwa_".utf8) + Array(Hexadecimal.encode(random.bytes(32)).utf8))
        let hash = token.withUnsafeBytes { SHA256.hash(Array($0)) }
        return (try AdminTokenRecord(name: name, role: role, hash: hash, created: time), token)
    }

    /// Returns the hash by which a received token is looked up.
    package static func hash(ofToken token: some StringProtocol) -> [UInt8] { SHA256.hash(Array(token.utf8)) }
}
