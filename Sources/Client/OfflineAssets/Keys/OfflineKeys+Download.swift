import ContentKeySession
import HLSPlaylist
import StreamPlayer

/// Keys of a download: they come first, and are judged last.
extension OfflineKeys: DownloadKeys {
    /// Gets keys and keeps them. Those that are kept already and that the device would take now are not asked for.
    ///
    /// Of the tags of a group FairPlay Streaming is used before a clear key; other key systems are not. FairPlay's keys come
    /// from the key server; a clear key is fetched from the URL that the playlist has for it, with or without one.
    public func acquire(_ keys: [[DownloadKey]], title: String) async throws(DownloadKeysError) {
        do {
            let chosen = try keys.map { group throws(DownloadKeysError) in try Self.choice(of: group) }
            let kept = try readable(title)
            var (fairPlay, clear): ([String], [String]) = ([], [])
            for key in chosen where try await !holds(kept?.keys[key.identifier]) {
                if key.tag.keyFormat == .fairPlay {
                    fairPlay.append(key.identifier)
                } else {
                    clear.append(key.identifier)
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
            throw DownloadKeysError(code: "cancelled", place: title, reason: "its keys were not waited for")
        }
    }

    /// Shows that a bundle starts to play with kept keys alone.
    ///
    /// | The kept keys of the bundle | What is shown |
    /// |---|---|
    /// | none of them waits for its first play | the first segments of each playlist decrypt |
    /// | one has two expiry periods and has not played | the device takes each key, and would start now |
    ///
    /// To decrypt with a key that waits for its first play would begin the playback period: the viewer's two days would
    /// run while nobody watches.
    public func prove(_ bundle: AssetBundle) async throws(DownloadKeysError) {
        let title = bundle.description.title
        do {
            let kept = try store.title(title)
            var waits = false
            for identifier in bundle.description.keys {
                guard let key = kept?.keys[identifier], let bytes = key.bytes?.bytes else { continue }
                guard key.kind == .fairPlay else { continue }
                try await rehearse(bytes, identifier)
                // Of a device that does not say, the worst is assumed.
                let facts = try? await device.facts(ofPersistableKey: bytes)
                if facts.map({ $0.hasDualExpiry && $0.firstPlayed == nil }) ?? true { waits = true }
            }
            guard !waits else { return }
            let playback = playback(of: title, .keptAlone)
            try await playback.whileAnswering { try await BundleProof.play(bundle, keys: playback.systems) }
        } catch let error as DownloadKeysError {
            throw error
        } catch let error as PlayerError {
            throw DownloadKeysError(code: error.code, place: error.place, reason: "it does not start: \(error)")
        } catch let error as OfflineStorageError {
            throw DownloadKeysError(code: error.code.rawValue, place: error.place, reason: "\(error): \(error.advice)")
        } catch {
            throw DownloadKeysError(code: "cancelled", place: title, reason: "it was not waited for")
        }
    }

    /// Has the device take a stored key, without beginning to play.
    private func rehearse(_ stored: [UInt8], _ identifier: String) async throws(DownloadKeysError) {
        do throws(ContentKeyError) {
            let key = try await device.loadPersistableKey(stored, session: device.makeSessionIdentifier())
            defer { key.stop() }
            guard key.isUsable else { throw ContentKeyError(.keyGone, .device) }
        } catch {
            throw DownloadKeysError(
                code: error.code.rawValue,
                place: identifier,
                reason: "the device does not take the kept key: \(error)"
            )
        }
    }

    /// What is kept of a title; nothing where its file is damaged, since its keys are lost and others take their place.
    private func readable(_ title: String) throws(OfflineStorageError) -> KeptTitle? {
        do throws(OfflineStorageError) {
            return try store.title(title)
        } catch  where error.code == .damaged {
            return nil
        }
    }

    /// Whether a key is kept that would be taken now.
    private func holds(_ key: KeptKey?) async throws(OfflineStorageError) -> Bool {
        guard let key, let bytes = key.bytes?.bytes, key.entry.state(at: clocks.now()).isWatchable else { return false }
        guard key.kind == .fairPlay else { return true }
        // A device that does not say will, when the key is loaded.
        do throws(ContentKeyError) {
            return try await device.facts(ofPersistableKey: bytes).isCurrent
        } catch {
            return error.code == .notOfKeySystem
        }
    }

    private static func choice(of group: [DownloadKey]) throws(DownloadKeysError) -> DownloadKey {
        for format in [KeyFormat.fairPlay, .identity] {
            if let key = group.first(where: { $0.tag.keyFormat == format }) { return key }
        }
        throw DownloadKeysError(
            code: "no-key-system",
            place: group.first?.identifier ?? "",
            reason: "its keys are for \(group.map { $0.tag.keyFormat.rawValue }.joined(separator: ", ")) alone, which "
                + "cannot be kept here"
        )
    }

    /// Gets keys of FairPlay Streaming, and keeps them; one that is refused is an error.
    private func obtain(fairPlay identifiers: [String], title: String) async throws {
        guard let first = identifiers.first else { return }
        guard service != nil else {
            throw DownloadKeysError(
                code: "no-server",
                place: first,
                reason: "its keys come from a key server, and none is known: give --server"
            )
        }
        let renewals = try await obtain(identifiers, title: title)
        for identifier in identifiers {
            if case .refused(let error)? = renewals[identifier] { throw DownloadKeysError(error) }
        }
    }

    /// Fetches clear keys, and keeps them.
    private func obtain(clear identifiers: [String], title: String) async throws {
        guard !identifiers.isEmpty else { return }
        // Their URLs say where they are: no key server is needed.
        let playback = OfflinePlayback(self, title: title, reach: .serverAlone)
        try await playback.whileAnswering {
            let recipient = KeyWaiter()
            try await playback.clearKey.addContentKeyRecipient(recipient)
            for identifier in identifiers {
                do throws(ContentKeyError) {
                    let key = try await playback.clearKey.contentKey(identifier: identifier, for: recipient)
                    guard let bytes = (key.protectedKey as? ClearContentKey)?.key?.bytes else {
                        throw ContentKeyError(.keyGone, .session)
                    }
                    playback.keys.keep(clear: bytes, for: identifier)
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
