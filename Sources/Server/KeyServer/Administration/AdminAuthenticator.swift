import FPSCrypto
package import KeyStore

/// Who a token for administration belongs to.
package struct AdminIdentity: Sendable, Equatable {
    /// The token's name, which the audit log shows.
    package let name: String
    /// What its holder may do.
    package let role: AdminRole

    /// Makes an identity.
    package init(name: String, role: AdminRole) {
        self.name = name
        self.role = role
    }
}

/// Knows tokens for administration.
package protocol AdminAuthenticator: Sendable {
    /// Whose the token with this SHA-256 is; nil when it is nobody's.
    ///
    /// - Parameter hash: 32 bytes, as `AdminTokenRecord.hash(ofToken:)` makes them of what was sent.
    func identity(ofTokenHash hash: [UInt8]) async throws(KeyStoreError) -> AdminIdentity?
}

/// The one token in a file of the data folder: it may do everything. It is kept as a hash from the server's start on, so
/// that memory holds the token itself only while the file is read and while a request is answered that sends it.
package struct SingleAdminToken: AdminAuthenticator {
    /// What the audit log calls it.
    package static let name = "admin-token"
    private let hash: [UInt8]

    /// Takes the token.
    package init(_ token: String) { hash = AdminTokenRecord.hash(ofToken: token) }

    /// Compares in constant time.
    package func identity(ofTokenHash other: [UInt8]) async throws(KeyStoreError) -> AdminIdentity? {
        guard SecretBytes.constantTimeEquals(other, hash) else { return nil }
        return AdminIdentity(name: Self.name, role: .admin)
    }
}

/// The tokens of a store, each with its role. They are found by their SHA-256, so that the time of a look-up says nothing
/// about a token: who guesses cannot choose how much of a hash is right.
package struct StoredAdminTokens: AdminAuthenticator {
    private let store: any AdminTokenStore
    private let clock: @Sendable () -> Int64

    /// Takes the store.
    ///
    /// - Parameter clock: the time, in milliseconds since 1970.
    package init(store: any AdminTokenStore, clock: @escaping @Sendable () -> Int64 = systemMilliseconds) {
        self.store = store
        self.clock = clock
    }

    /// Looks the token up, and notes the day.
    package func identity(ofTokenHash hash: [UInt8]) async throws(KeyStoreError) -> AdminIdentity? {
        guard let record = try await store.adminToken(hash: hash) else { return nil }
        let day = clock() / 86_400_000
        // That a day cannot be noted is no reason to refuse.
        if record.lastUsedDay ?? -1 < day { try? await store.noteUse(ofAdminToken: record.name, day: day) }
        return AdminIdentity(name: record.name, role: record.role)
    }
}

/// Several ways to know a token, one after the other: the file's first, by which the others are made.
package struct AdminAuthenticators: AdminAuthenticator {
    private let all: [any AdminAuthenticator]

    /// Takes them in the order in which they are asked.
    package init(_ all: [any AdminAuthenticator]) { self.all = all }

    /// The first answer.
    package func identity(ofTokenHash hash: [UInt8]) async throws(KeyStoreError) -> AdminIdentity? {
        for authenticator in all {
            if let identity = try await authenticator.identity(ofTokenHash: hash) { return identity }
        }
        return nil
    }
}
