public import KeyServerModule
public import KeyStore

// What clients without FairPlay ask for is looked up and merged as licences are.

extension LicenseService: KeyIDLookup {
    /// The content with a key ID, if its key is valid now.
    public func content(keyID: [UInt8]) async throws -> ContentLookup? {
        guard let content = try await store.lookup(keyID: keyID) else { return nil }
        try content.requireValid(at: clock() / 1000)
        return content
    }

    /// The policies of title, track, content and token in one.
    public func policy(
        for content: ContentLookup,
        _ authorization: PlaybackAuthorization
    ) async throws -> LicensePolicy {
        try await mergedPolicy(for: content, authorization)
    }
}
