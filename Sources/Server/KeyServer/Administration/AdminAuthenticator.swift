import FPSCrypto
package import KeyStore

/// The owner of a token for administration.
package struct AdminIdentity: Sendable, Equatable {
    /// The name of the token, which the audit log contains.
    package let name: String
    /// The role, which determines the permissions.
    package let role: AdminRole

    /// Creates an identity.
    package init(name: String, role: AdminRole) {
        self.name = name
        self.role = role
    }
}

/// A type that authenticates tokens for administration.
package protocol AdminAuthenticator: Sendable {
    /// Returns the identity of the token with this SHA-256 hash; nil if there is no such token.
    ///
    /// - Parameter hash: The hash of the token in the request, 32 bytes, from `AdminTokenRecord.hash(ofToken:)`.
    func identity(ofTokenHash hash: [UInt8]) async throws(KeyStoreError) -> AdminIdentity?
}

/// The authenticator for the token in a file of the data folder, which has all permissions. Only its hash is stored in
/// memory; the token itself is in memory only while the file is read and while a request with it is processed.
package struct SingleAdminToken: AdminAuthenticator {
    /// The name of the token in the audit log.
    package static let name = "admin-token"
    private let hash: [UInt8]

    /// Creates an authenticator for a token.
    package init(_ token: String) { hash = AdminTokenRecord.hash(ofToken: token) }

    /// Compares the hashes in constant time.
    package func identity(ofTokenHash other: [UInt8]) async throws(KeyStoreError) -> AdminIdentity? {
        guard SecretBytes.constantTimeEquals(other, hash) else { return nil }
        return AdminIdentity(name: Self.name, role: .admin)
    }
}

/// The authenticator for the tokens of a store, each with a role. Tokens are looked up by their SHA-256 hash, so that
/// the duration of a lookup reveals nothing about a token: an attacker cannot choose the hash of a guess.
package struct StoredAdminTokens: AdminAuthenticator {
    private let store: any AdminTokenStore
    private let clock: @Sendable () -> Int64

    /// Creates an authenticator for a store.
    ///
    /// - Parameter clock: Returns the time, in milliseconds since 1970.
    package init(store: any AdminTokenStore, clock: @escaping @Sendable () -> Int64 = systemMilliseconds) {
        self.store = store
        self.clock = clock
    }

    /// Looks up the token, and records the day of its use.
    package func identity(ofTokenHash hash: [UInt8]) async throws(KeyStoreError) -> AdminIdentity? {
        guard let record = try await store.adminToken(hash: hash) else { return nil }
        let day = clock() / 86_400_000
        // Failure to record the day is not a reason to refuse the request.
        if record.lastUsedDay ?? -1 < day { try? await store.noteUse(ofAdminToken: record.name, day: day) }
        return AdminIdentity(name: record.name, role: record.role)
    }
}

/// A sequence of authenticators that are tried in order: first that of the file, whose token creates the others.
package struct AdminAuthenticators: AdminAuthenticator {
    private let all: [any AdminAuthenticator]

    /// Creates an authenticator from others, in the order in which they are tried.
    package init(_ all: [any AdminAuthenticator]) { self.all = all }

    /// Returns the identity from the first authenticator that has one.
    package func identity(ofTokenHash hash: [UInt8]) async throws(KeyStoreError) -> AdminIdentity? {
        for authenticator in all {
            if let identity = try await authenticator.identity(ofTokenHash: hash) { return identity }
        }
        return nil
    }
}
