import DRMSignaling
import FPSCrypto
import KeyStore

/// Finds the keys that encoders request, and creates missing ones.
///
/// A key ID has one key, independent of the order of requests. Missing keys are stored together with their audit
/// record, without replacing existing ones: if two servers create the same key at once, one of them gets a conflict,
/// and then finds the key of the other.
///
/// A document may request 500 keys, and licenses wait for the current transaction. Keys are therefore stored
/// ``batchSize`` at a time, each batch in a transaction with a separate audit record, and by one request at a time. If
/// a request fails halfway, its stored keys are audited, and the next request with the same key IDs finds them.
struct SPEKEKeys: Sendable {
    let store: any ContentStore & TitleStore & PolicyStore & AuditLog
    let work: EncoderWork

    /// The number of keys per transaction, and per lookup.
    static let batchSize = 10

    /// The keys of a request.
    struct Outcome: Sendable {
        /// All keys of the request, by key ID.
        var records: [ContentKeyID: ContentRecord] = [:]
        /// The IDs of the keys that were created for this request.
        var made: [ContentKeyID] = []
    }

    /// The maximum number of tries for a batch if other requests store the same title, track or key first.
    private static let attempts = 8

    /// Returns the keys of a request, after they have been stored and audited.
    ///
    /// - Parameters:
    ///   - time: The time in Unix seconds.
    ///   - audit: Returns the audit record for the found and created keys.
    /// - Throws: ``ProblemDocument`` with `conflict` for a key that belongs to another title, track or key period;
    ///   `KeyStoreError`.
    func keys(
        for spekeRequest: SPEKERequest,
        at time: Int64,
        audit: (Outcome) -> AuditRecord
    ) async throws -> Outcome {
        // Look up all keys first, so that a refused request stores nothing.
        var outcome = Outcome()
        for keys in spekeRequest.keys.batches(of: Self.batchSize) {
            outcome.records.merge(try await stored(keys, spekeRequest.title)) { $1 }
        }
        let missing = spekeRequest.keys.filter { outcome.records[$0.keyID] == nil }
        let fitsOneBatch = missing.count <= Self.batchSize
        for keys in missing.batches(of: Self.batchSize) {
            let part = try await work.serialized {
                try await store(
                    keys,
                    spekeRequest.title,
                    time,
                    beside: fitsOneBatch ? outcome : Outcome(),
                    audit: audit
                )
            }
            outcome.records.merge(part.records) { $1 }
            outcome.made += part.made
        }
        if !fitsOneBatch || outcome.made.isEmpty { try await store.append(audit(outcome)) }
        return outcome
    }

    /// Returns the keys of a request that are already stored.
    private func stored(
        _ keys: ArraySlice<SPEKERequest.Key>,
        _ title: String
    ) async throws -> [ContentKeyID: ContentRecord] {
        let found = try await store.contents(keyIDs: keys.map(\.keyID.bytes))
        let byID = Dictionary(found.map { ($0.info.keyID, $0) }) { $1 }
        var records: [ContentKeyID: ContentRecord] = [:]
        for key in keys {
            guard let record = byID[key.keyID.bytes] else { continue }
            try Self.check(record.info, key, title)
            records[key.keyID] = record
        }
        return records
    }

    /// Creates and stores the missing keys, with an audit record if there are any.
    private func store(
        _ keys: ArraySlice<SPEKERequest.Key>,
        _ title: String,
        _ time: Int64,
        beside known: Outcome,
        audit: (Outcome) -> AuditRecord
    ) async throws -> Outcome {
        var lastError = KeyStoreError(
            .conflict,
            place: "SPEKE",
            reason: "gave up because of concurrent changes to the content; try again"
        )
        for _ in 0..<Self.attempts {
            var outcome = known
            outcome.records.merge(try await stored(keys, title)) { $1 }
            let missing = keys.filter { outcome.records[$0.keyID] == nil }
            guard !missing.isEmpty else { return outcome }
            let batch = try await batch(missing, title, time)
            for (key, record) in zip(missing, batch.contents) { outcome.records[key.keyID] = record }
            outcome.made = missing.map(\.keyID)
            do throws(KeyStoreError) {
                try await store.put(batch, replacing: false, audit: audit(outcome))
                return outcome
            } catch {
                guard error.code == .conflict else { throw error }
                lastError = error
            }
        }
        throw lastError
    }

    /// Checks that the request may use a stored key. A key without a title, for example an imported one, may be used by
    /// any title.
    private static func check(
        _ info: ContentInfo,
        _ key: SPEKERequest.Key,
        _ title: String
    ) throws(ProblemDocument) {
        let uuid = key.keyID.uuid
        guard info.titleName == nil || (info.titleName == title && info.trackName == key.track) else {
            throw ProblemDocument(
                .conflict,
                detail: "KID \(uuid) belongs to another title or track.",
                reason: "key-id-in-use"
            )
        }
        let times = [(info.validFrom, key.validFrom), (info.validUntil, key.validUntil)]
        guard times.allSatisfy({ $0.0 == nil || $0.1 == nil || $0.0 == $0.1 }) else {
            throw ProblemDocument(
                .conflict,
                detail: "KID \(uuid) already exists for another key period.",
                reason: "key-period"
            )
        }
    }

    private func batch(
        _ keys: [SPEKERequest.Key],
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
        _ key: SPEKERequest.Key,
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
        } catch let error as SignalingError {
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

extension Array {
    /// Returns the elements in batches of up to `size`, in order.
    fileprivate func batches(of size: Int) -> [ArraySlice<Element>] {
        stride(from: 0, to: count, by: size).map { self[$0..<Swift.min($0 + size, count)] }
    }
}
