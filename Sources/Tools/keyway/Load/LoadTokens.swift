import ArgumentParser

/// The playback tokens of a population's requests.
struct LoadTokens: Sendable {
    /// The scope of a token.
    enum Scope: String, ExpressibleByArgument, CaseIterable {
        /// Each request has a separate token, as in apps that renew a lease with a fresh token: the server verifies a
        /// signature for each.
        case request
        /// Each playback has a separate token, which its renewals send again.
        case session
        /// Each account has a separate token: the server verifies each signature once and caches the result.
        case account
    }

    private let signer: PlaybackTokenSigner?
    private let options: TokenOptions
    private let scope: Scope
    private let accounts: [String]
    private let lifetime: Int64
    /// The tokens of the accounts, for the scope ``Scope/account``.
    private var shared: [String] = []

    /// Creates the signer that the options specify, and writes the key set if the option is given.
    ///
    /// - Parameter lifetime: The lifetime of tokens, in seconds.
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

    /// True if requests have tokens.
    var isEnabled: Bool { options.tokens != .none }

    /// Returns the token of an account's next request; nil for none.
    ///
    /// - Parameter last: The token of the previous request in the session; nil for the first request.
    func token(account: Int, last: String?) async throws -> String? {
        guard let signer else { return options.tokens == .dev ? "dev:\(accounts[account])" : nil }
        switch (scope, last) {
        case (.account, _): return shared[account]
        case (.session, let last?): return last
        case (.session, nil), (.request, _):
            return try await signer.token(options.claims(account: accounts[account], lifetime: lifetime))
        }
    }
}
