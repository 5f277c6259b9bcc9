import ArgumentParser

/// The playback tokens that a population's requests carry.
struct LoadTokens: Sendable {
    /// What has a token of its own.
    enum Scope: String, ExpressibleByArgument, CaseIterable {
        /// Each request, as where apps renew a lease with a fresh token: the server verifies a signature for each.
        case request
        /// Each playback, whose renewals carry the token of its first request.
        case session
        /// Each account: the server verifies a signature once and remembers it.
        case account
    }

    private let signer: PlaybackTokenSigner?
    private let options: TokenOptions
    private let scope: Scope
    private let accounts: [String]
    private let lifetime: Int64
    /// Those of accounts, where these share theirs.
    private var shared: [String] = []

    /// Makes the signer that the options ask for, and the key set on disk where it is wanted.
    ///
    /// - Parameter lifetime: How long a token is valid, in seconds.
    init(_ options: TokenOptions, per scope: Scope, accounts: [String], lifetime: Int64) async throws {
        signer = try await options.signer()
        self.options = options
        self.scope = scope
        self.accounts = accounts
        self.lifetime = lifetime
        guard let signer, scope == .account else { return }
        for name in accounts {
            shared.append(try await signer.token(options.claims(account: name, lifetime: lifetime)))
        }
    }

    /// Whether there are any.
    var areWanted: Bool { signer != nil }

    /// The token of an account's next request; nil for none.
    ///
    /// - Parameter last: What the request before it in its session carried; nil for a session's first.
    func token(account: Int, last: String?) async throws -> String? {
        guard let signer else { return nil }
        switch (scope, last) {
        case (.account, _): return shared[account]
        case (.session, let last?): return last
        case (.session, nil), (.request, _):
            return try await signer.token(options.claims(account: accounts[account], lifetime: lifetime))
        }
    }
}
