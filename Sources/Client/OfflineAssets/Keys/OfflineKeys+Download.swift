import ContentKeySession
import HLSPlaylist
import StreamPlayer

/// Acquires the keys of a download before the media, and verifies them after the media.
extension OfflineKeys: DownloadKeys {
    /// Acquires keys and stores them. Keys that are already stored and that the device would accept now are not
    /// requested.
    ///
    /// In each group of tags, FairPlay Streaming takes precedence over a clear key; other key systems are not used.
    /// FairPlay keys are requested from the key server; a clear key is loaded from its URL in the playlist, or decoded
    /// from its `data:` URI, with or without a key server.
    public func acquire(_ keys: [[DownloadKey]], title: String) async throws(DownloadKeysError) {
        do {
            let chosen = try keys.map { group throws(DownloadKeysError) in try Self.choice(of: group) }
            let kept = try await readable(title)?.confirmed(by: device)
            var (fairPlay, clear): ([DownloadKey], [DownloadKey]) = ([], [])
            for key in chosen where try await !hasUsableKey(kept?.keys[key.identifier]) {
                if key.tag.keyFormat == .fairPlay {
                    fairPlay.append(key)
                } else {
                    clear.append(key)
                }
            }
            try await obtain(fairPlay: fairPlay, title: title)
            try await obtain(clear: clear, title: title)
        } catch let error as DownloadKeysError {
            throw error
        } catch let error as OfflineKeyError {
            throw DownloadKeysError(error)
        } catch let error as OfflineStorageError {
            throw DownloadKeysError(code: error.code.rawValue, place: error.place, reason: "\(error): \(error.advice)")
        } catch {
            throw DownloadKeysError(code: "cancelled", place: title, reason: "the request for its keys was cancelled")
        }
    }

    /// Verifies that a bundle can be played with stored keys alone.
    ///
    /// | Stored keys of the bundle | Verification |
    /// |---|---|
    /// | no key waits for its first playback | the first segments of each playlist can be decrypted |
    /// | a key has two expiry periods and has not been played | the device accepts each key and could play now |
    ///
    /// Decryption with a key that waits for its first playback would start its playback period, although the viewer is
    /// not watching yet.
    public func verify(_ bundle: AssetBundle) async throws(DownloadKeysError) {
        let title = bundle.description.title
        do {
            let kept = try store.title(title)
            var waits = false
            for identifier in bundle.description.keys {
                guard let key = kept?.keys[identifier], let bytes = key.bytes?.bytes else { continue }
                guard key.kind == .fairPlay else { continue }
                try await verifyAcceptance(bytes, identifier)
                // If the device does not provide the information, the key is assumed to wait for its first playback.
                let facts = try? await device.facts(ofPersistableKey: bytes)
                if facts.map({ $0.hasDualExpiry && $0.firstPlayed == nil }) ?? true { waits = true }
            }
            guard !waits else { return }
            let playback = playback(of: title, .storedOnly)
            try await playback.whileAnswering { try await OfflinePlaybackCheck.play(bundle, keys: playback.systems) }
        } catch let error as DownloadKeysError {
            throw error
        } catch let error as PlayerError {
            throw DownloadKeysError(code: error.code, place: error.place, reason: "playback does not start: \(error)")
        } catch let error as OfflineStorageError {
            throw DownloadKeysError(code: error.code.rawValue, place: error.place, reason: "\(error): \(error.advice)")
        } catch {
            throw DownloadKeysError(code: "cancelled", place: title, reason: "the verification was cancelled")
        }
    }

    /// Loads a persistent key on the device without starting playback.
    private func verifyAcceptance(_ stored: [UInt8], _ identifier: String) async throws(DownloadKeysError) {
        do throws(ContentKeyError) {
            let key = try await device.loadPersistableKey(stored, session: device.makeSessionIdentifier())
            defer { key.stop() }
            guard key.isUsable else { throw ContentKeyError(.keyNotLoaded, .device) }
        } catch {
            throw DownloadKeysError(
                code: error.code.rawValue,
                place: identifier,
                reason: "the device rejects the stored key: \(error)"
            )
        }
    }

    /// Returns the stored title; nil if its file is damaged, because then its keys are lost and will be replaced.
    private func readable(_ title: String) throws(OfflineStorageError) -> OfflineTitle? {
        do throws(OfflineStorageError) {
            return try store.title(title)
        } catch  where error.code == .damaged {
            return nil
        }
    }

    /// Returns whether a key is stored that the device would accept now.
    private func hasUsableKey(_ key: OfflineKeyRecord?) async throws(OfflineStorageError) -> Bool {
        guard let key, let bytes = key.bytes?.bytes, key.entry.state(at: clocks.now()).isPlayable else { return false }
        guard key.kind == .fairPlay else { return true }
        // A device that does not provide the information checks the key when it is loaded.
        do throws(ContentKeyError) {
            return try await device.facts(ofPersistableKey: bytes).isCurrent
        } catch {
            return error.code == .unsupportedOperation
        }
    }

    private static func choice(of group: [DownloadKey]) throws(DownloadKeysError) -> DownloadKey {
        for format in [KeyFormat.fairPlay, .identity] {
            if let key = group.first(where: { $0.tag.keyFormat == format }) { return key }
        }
        throw DownloadKeysError(
            code: "no-key-system",
            place: group.first?.identifier ?? "",
            reason:
                "the only key formats are \(group.map { $0.tag.keyFormat.rawValue }.joined(separator: ", ")), which "
                + "cannot be stored offline"
        )
    }

    /// Requests FairPlay Streaming keys and stores them; throws if one is refused.
    private func obtain(fairPlay keys: [DownloadKey], title: String) async throws {
        guard let first = keys.first?.identifier else { return }
        guard service != nil else {
            throw DownloadKeysError(
                code: "no-server",
                place: first,
                reason: "a key server is required for its keys: use --server"
            )
        }
        let identifiers = keys.map(\.identifier)
        let renewals = try await obtain(identifiers, tags: keys.map(\.tag), title: title)
        for identifier in identifiers {
            if case .refused(let error)? = renewals[identifier] { throw DownloadKeysError(error) }
        }
    }

    /// Loads clear keys and stores them.
    private func obtain(clear keys: [DownloadKey], title: String) async throws {
        guard !keys.isEmpty else { return }
        // Clear keys are loaded from their URLs, so a key server is not required.
        let playback = OfflinePlayback(self, title: title, reach: .serverOnly)
        for key in keys where InlineKey.isName(key.identifier) {
            guard let bytes = key.inlineKey?.bytes, bytes.count == 16 else {
                throw DownloadKeysError(
                    code: "malformed-key",
                    place: "EXT-X-KEY",
                    reason: "the data: URI of a key must contain 16 bytes, in base64 or percent-encoded"
                )
            }
            playback.keys.storeClearKey(bytes, for: key.identifier)
        }
        let identifiers = keys.map(\.identifier).filter { !InlineKey.isName($0) }
        try await playback.whileAnswering {
            let recipient = KeyWaiter()
            try await playback.clearKey.addContentKeyRecipient(recipient)
            for identifier in identifiers {
                do throws(ContentKeyError) {
                    let key = try await playback.clearKey.contentKey(identifier: identifier, for: recipient)
                    guard let bytes = (key.protectedKey as? ClearContentKey)?.key?.bytes else {
                        throw ContentKeyError(.keyNotLoaded, .session)
                    }
                    playback.keys.storeClearKey(bytes, for: identifier)
                } catch {
                    throw DownloadKeysError(code: error.code.rawValue, place: identifier, reason: "\(error)")
                }
            }
        }
        if let error = playback.keys.error {
            throw DownloadKeysError(code: error.code.rawValue, place: error.place, reason: "\(error): \(error.advice)")
        }
    }
}

extension DownloadKeysError {
    fileprivate init(_ error: OfflineKeyError) {
        self.init(code: error.code, place: error.place, reason: error.reason)
    }
}
