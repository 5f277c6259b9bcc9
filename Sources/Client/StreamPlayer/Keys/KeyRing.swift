import ContentKeySession
import FPSCrypto
import HLSPlaylist
import MediaDecryption
import SampleEncryption

/// Gets the keys of segments from the sessions, as their recipient.
///
/// Each segment asks the session. On the local route that costs nothing while the key is loaded; over AirPlay and the
/// adapter each is a request, as there keys may be asked for with every segment.
final class KeyRing: ContentKeyRecipient {
    private let systems: PlayerKeySystems

    /// Always false: the player adds it before it loads anything.
    let hasBegunLoading = false

    init(_ systems: PlayerKeySystems) { self.systems = systems }

    /// Adds this to the sessions.
    func join() async throws(ContentKeyError) {
        try await systems.fairPlay?.addContentKeyRecipient(self)
        try await systems.clearKey?.addContentKeyRecipient(self)
    }

    /// Leaves the sessions: what nobody else wants is cancelled.
    func leave() async {
        await systems.fairPlay?.removeContentKeyRecipient(self)
        await systems.clearKey?.removeContentKeyRecipient(self)
    }

    /// The key that decrypts what some EXT-X-KEY tags apply to, by the URI of its tag; none for what is clear.
    ///
    /// - Parameter base: the playlist's URL, which the URIs of clear keys are relative to.
    /// - Throws: ``PlayerError`` `no-key-system`; `key` with the reason of the session or the device.
    func keys(for context: KeyContext, base: String) async throws(PlayerError) -> DecryptionKeys {
        guard context.isEncrypted else { return DecryptionKeys() }
        for tag in context.keys {
            guard let session = session(for: tag.keyFormat), let uri = tag.uri else { continue }
            // A FairPlay key's URI is a name, and no address.
            let identifier = tag.keyFormat == .identity ? try ResourceFetcher.resolve(uri, against: base) : uri
            do throws(ContentKeyError) {
                let options = tag.keyFormat == .fairPlay ? systems.fairPlayOptions : ContentKeyRequestOptions()
                let content = try await content(identifier, from: session, options)
                var keys = DecryptionKeys()
                keys.uris[uri] = content
                return keys
            } catch {
                throw PlayerError(.key(error), uri)
            }
        }
        throw PlayerError(.noKeySystem, context.keys.map(\.keyFormat.rawValue).joined(separator: ", "))
    }

    /// A key that was kept may be void by the time that it plays: then another is asked for, once.
    private func content(
        _ identifier: String,
        from session: KeySession,
        _ options: ContentKeyRequestOptions
    ) async throws(ContentKeyError) -> DecryptionKey {
        let key = try await session.contentKey(identifier: identifier, options: options, for: self)
        do throws(ContentKeyError) {
            return try await content(of: key)
        } catch  where options.isPersistable && error.retryReason == .receivedObsoleteContentKey {
            await key.revoke()
            return try await content(of: session.contentKey(identifier: identifier, options: options, for: self))
        }
    }

    private func session(for format: KeyFormat) -> KeySession? {
        switch format {
        case .fairPlay: systems.fairPlay
        case .identity: systems.clearKey
        default: nil
        }
    }

    private func content(of key: ContentKey) async throws(ContentKeyError) -> DecryptionKey {
        // Does nothing for a key that plays already, and a renewed one is another.
        try await key.beginPlayback()
        guard let protected = key.protectedKey else { throw ContentKeyError(.keyGone, .session) }
        if let clear = protected as? ClearContentKey {
            guard let bytes = clear.key else { throw ContentKeyError(.keyGone, .session) }
            return DecryptionKey(
                key: SecretBytes(copying: bytes.bytes),
                iv: Self.vector(clear.initializationVector?.bytes)
            )
        }
        do {
            let content = try systems.content(protected)
            return DecryptionKey(key: content.key, iv: Self.vector(content.initializationVector))
        } catch let error as ContentKeyError {
            throw error
        } catch {
            throw ContentKeyError(.keyGone, .device, reason: "the device does not let it be used")
        }
    }

    private static func vector(_ bytes: [UInt8]?) -> CipherIV? {
        bytes.flatMap { try? CipherIV($0) }
    }
}
