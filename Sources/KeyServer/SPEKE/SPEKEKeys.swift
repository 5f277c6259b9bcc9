import DRMSignalling
import FPSCrypto
import KeyStore

/// Finds the keys that encoders ask for, and makes those that are not there.
///
/// A key ID has one key, whoever asks first. All that is missing is stored in one transaction with the audit record,
/// without replacing: of two servers that make the same key at once one is told of a conflict, and finds the other's.
struct SPEKEKeys: Sendable {
    let store: any ContentStore & TitleStore & PolicyStore & AuditLog

    /// What was found and made.
    struct Outcome: Sendable {
        /// By key ID, all that was asked for.
        var records: [ContentKeyID: ContentRecord] = [:]
        /// Which of them were not there before.
        var made: [ContentKeyID] = []
    }

    /// How often somebody else may be first: with the title, with the track, with a key.
    private static let attempts = 8

    /// The keys of a question, which are written down before they are given.
    ///
    /// - Parameters:
    ///   - time: Unix seconds.
    ///   - audit: The audit record of what is found and made.
    /// - Throws: ``ProblemDocument`` with `conflict` for a key that is another title's or track's, or is used at another
    ///   time; `KeyStoreError`.
    func keys(
        for question: SPEKEQuestion,
        at time: Int64,
        audit: (Outcome) -> AuditRecord
    ) async throws -> Outcome {
        var lost = KeyStoreError(.conflict, place: "SPEKE", reason: "others change the same content all the time")
        for _ in 0..<Self.attempts {
            var outcome = Outcome()
            for key in question.keys {
                guard let found = try await store.content(keyID: key.keyID.bytes) else { continue }
                try Self.check(found.info, key, question.title)
                outcome.records[key.keyID] = found
            }
            let missing = question.keys.filter { outcome.records[$0.keyID] == nil }
            guard !missing.isEmpty else {
                try await store.append(audit(outcome))
                return outcome
            }
            let batch = try await batch(missing, question.title, time)
            for (key, record) in zip(missing, batch.contents) { outcome.records[key.keyID] = record }
            outcome.made = missing.map(\.keyID)
            do throws(KeyStoreError) {
                try await store.put(batch, replacing: false, audit: audit(outcome))
                return outcome
            } catch {
                guard error.code == .conflict else { throw error }
                lost = error
            }
        }
        throw lost
    }

    /// A key that stands alone, such as one that was imported, is anybody's.
    private static func check(
        _ info: ContentInfo,
        _ key: SPEKEQuestion.Key,
        _ title: String
    ) throws(ProblemDocument) {
        let uuid = key.keyID.uuid
        guard info.titleName == nil || (info.titleName == title && info.trackName == key.track) else {
            throw ProblemDocument(
                .conflict,
                detail: "KID \(uuid) is the key of another title or track.",
                reason: "key-id-in-use"
            )
        }
        let times = [(info.validFrom, key.validFrom), (info.validUntil, key.validUntil)]
        guard times.allSatisfy({ $0.0 == nil || $0.1 == nil || $0.0 == $0.1 }) else {
            throw ProblemDocument(
                .conflict,
                detail: "KID \(uuid) is there, for another key period.",
                reason: "key-period"
            )
        }
    }

    private func batch(
        _ keys: [SPEKEQuestion.Key],
        _ titleName: String,
        _ time: Int64
    ) async throws -> ContentBatch {
        var batch = ContentBatch()
        let stored = try await store.title(name: titleName)
        let title = try stored ?? TitleRecord(name: titleName, time: time)
        if stored == nil { batch.titles = [title] }
        var tracks: [String: TrackRecord] = [:]
        for track in try await store.tracks(title: titleName) { tracks[track.name] = track }
        var check = ContentCheck(store)
        var random = SecureRandom()
        for key in keys {
            let track: TrackRecord
            if let known = tracks[key.track] {
                track = known
            } else {
                track = try TrackRecord(title: titleName, name: key.track, kind: key.kind ?? .unspecified)
                tracks[key.track] = track
                batch.tracks.append(track)
            }
            let record = try record(key, title, time, &random)
            let names = ContentLookup.policyNames(governing: record.info, title, track)
            try await check.check(names, track.kind, of: record.info.place, for: record.info.place)
            batch.contents.append(record)
        }
        return batch
    }

    private func record(
        _ key: SPEKEQuestion.Key,
        _ title: TitleRecord,
        _ time: Int64,
        _ random: inout SecureRandom
    ) throws -> ContentRecord {
        let assetID: [UInt8]
        do {
            assetID = try ContentDefaults.assetID(
                title: title,
                track: key.track,
                keyID: key.keyID.bytes,
                validFrom: key.validFrom
            )
        } catch let error as SignallingError {
            throw ProblemDocument(.conflict, detail: "The title's key URI: \(error.reason).", reason: "key-uri")
        }
        return try ContentRecord(
            assetID: assetID,
            keyID: key.keyID.bytes,
            contentKey: SecretBytes(count: 16, randomFrom: &random),
            iv: key.explicitIV ?? random.bytes(16),
            titleName: title.name,
            trackName: key.track,
            validFrom: key.validFrom,
            validUntil: key.validUntil,
            time: time
        )
    }
}
