import ContentKeySession
import FPSCrypto
import HLSPlaylist
import MediaDecryption
import SampleEncryption

/// A content key recipient that gets the keys of segments from the sessions.
///
/// Each segment requests its key from the session. On the local route, a loaded key is returned at once; over AirPlay
/// and the adapter each segment makes a request, because keys can be requested for every segment there.
final class PlayerKeyRecipient: ContentKeyRecipient {
    private let systems: PlayerKeySystems

    /// False, because the player adds the recipient before it loads anything.
    let hasBegunLoading = false

    init(_ systems: PlayerKeySystems) { self.systems = systems }

    /// Adds this recipient to the sessions.
    func join() async throws(ContentKeyError) {
        try await systems.fairPlay?.addContentKeyRecipient(self)
        try await systems.clearKey?.addContentKeyRecipient(self)
    }

    /// Removes this recipient from the sessions, which cancels requests that only it needs.
    func leave() async {
        await systems.fairPlay?.removeContentKeyRecipient(self)
        await systems.clearKey?.removeContentKeyRecipient(self)
    }

    /// Returns the key for the EXT-X-KEY tags of a segment, by the URI of its tag. The result is empty for clear media,
    /// and for a key in a `data:` URI (RFC 2397), which the decryptor reads from the tag. A clear key in a local file is
    /// read without a session.
    ///
    /// - Parameters:
    ///   - context: The EXT-X-KEY tags that apply.
    ///   - base: The playlist's URL, against which the URIs of clear keys are resolved.
    /// - Throws: ``PlayerError`` `no-key-system`, or `key` with the error of the session or the device, or of a `data:` URI.
    func keys(for context: KeyContext, base: String) async throws(PlayerError) -> DecryptionKeys {
        guard context.isEncrypted else { return DecryptionKeys() }
        for tag in context.keys {
            do throws(DecryptionError) {
                if try EmbeddedKey(tag) != nil { return DecryptionKeys() }
            } catch {
                throw PlayerError(.key(ContentKeyError(.wrongResponse, .response, reason: error.reason)), tag.uri ?? "")
            }
            guard let uri = tag.uri, tag.keyFormat == .identity || session(for: tag.keyFormat) != nil else { continue }
            // A FairPlay key URI is an identifier, not an address, like the name of a stored key in a local playlist.
            let isAddress = tag.keyFormat == .identity && URIReference.scheme(of: uri) != "urn"
            let identifier = isAddress ? try ResourceFetcher.resolve(uri, against: base) : uri
            if tag.keyFormat == .identity, URIReference.scheme(of: identifier) == "file" {
                var keys = DecryptionKeys()
                keys.uris[uri] = try await Self.key(inFileAt: identifier)
                return keys
            }
            guard let session = session(for: tag.keyFormat) else { continue }
            do throws(ContentKeyError) {
                var options = ContentKeyRequestOptions()
                if tag.keyFormat == .fairPlay {
                    options = systems.fairPlayOptions
                    options.protocolVersions = tag.protocolVersions
                }
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

    /// Returns the key in a file of 16 bytes, to which only a local playlist can refer.
    private static func key(inFileAt url: String) async throws(PlayerError) -> DecryptionKey {
        let bytes: [UInt8]
        do throws(MediaLoadError) {
            bytes = try await FileMediaLoader().load(MediaResource(url, maximumSize: 4096)).bytes
        } catch {
            throw PlayerError(.load(error), url)
        }
        guard bytes.count == 16 else {
            let reason = "the key file has \(bytes.count) bytes, must have 16"
            throw PlayerError(.key(ContentKeyError(.wrongResponse, .response, reason: reason)), url)
        }
        return DecryptionKey(key: SecretBytes(copying: bytes))
    }

    /// Returns the key for decryption. A persistent key may have become invalid by the time it plays; then another is
    /// requested, once.
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
        // Has no effect for a key that already plays; a renewed key is a different one.
        try await key.beginPlayback()
        guard let protected = key.protectedKey else { throw ContentKeyError(.keyNotLoaded, .session) }
        if let clear = protected as? ClearContentKey {
            guard let bytes = clear.key else { throw ContentKeyError(.keyNotLoaded, .session) }
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
            throw ContentKeyError(.keyNotLoaded, .device, reason: "the device does not allow the key to be used")
        }
    }

    private static func vector(_ bytes: [UInt8]?) -> CipherIV? {
        bytes.flatMap { try? CipherIV($0) }
    }
}
