import DRMSignaling
import FPSCrypto
package import KeyStore
import TextCoding

/// Creates key periods in advance. Several servers may do that concurrently and repeatedly: each period is created only
/// once.
///
/// This is ensured by the key ID, which is derived from title, track and start, and is unique in the store:
///
///     key ID = the first 16 bytes of SHA-256("keyway key period" 00 title 00 track 00 start), as a UUID of version 8
///     start  = Unix seconds in decimal digits
///
/// Keys and initialization vectors are random. An existing period stays unchanged, even if it has another length.
package struct KeyPeriodCreator: Sendable {
    private let store: any ContentStore & TitleStore & PolicyStore

    /// The maximum number of tries if other servers store the same periods first.
    private static let attempts = 8

    /// Creates a creator of key periods for a store.
    package init(store: any ContentStore & TitleStore & PolicyStore) { self.store = store }

    /// Returns the key ID of a period.
    static func keyID(title: String, track: String, start: Int64) -> [UInt8] {
        let parts = ["keyway key period", title, track, "\(start)"]
        var bytes = Array(SHA256.hash(Array(parts.joined(separator: "\0").utf8)).prefix(16))
        bytes[6] = bytes[6] & 0x0F | 0x80
        bytes[8] = bytes[8] & 0x3F | 0x80
        return bytes
    }

    /// Creates the missing periods of a plan.
    ///
    /// - Parameters:
    ///   - time: The time in Unix seconds.
    ///   - actor: The actor in the audit record, which is written in the same transaction as the periods.
    /// - Returns: The created periods, ordered by start.
    /// - Throws: `KeyStoreError`: `missingReference` if the track does not exist, `conflict` for a policy that does not
    ///   fit it, or for a key URI that is the same for two periods.
    @discardableResult
    package func make(_ plan: KeyPeriodPlan, at time: Int64, by actor: AdminActor) async throws -> [ContentInfo] {
        var lastError = KeyStoreError(
            .conflict,
            place: "key periods",
            reason: "gave up because of concurrent changes to the track; try again"
        )
        for _ in 0..<Self.attempts {
            let place = "track \(plan.title)/\(plan.track)"
            guard let title = try await store.title(name: plan.title),
                let track = try await store.tracks(title: plan.title).first(where: { $0.name == plan.track })
            else { throw KeyStoreError.noTrack(plan.track, of: plan.title, place) }
            var records: [ContentRecord] = []
            for start in plan.starts(at: time) {
                let keyID = Self.keyID(title: title.name, track: track.name, start: start)
                guard try await store.content(keyID: keyID) == nil else { continue }
                records.append(try record(keyID, title, track, start, plan.length, time))
            }
            guard let first = records.first else { return [] }
            var check = ContentCheck(store)
            let names = ContentLookup.policyNames(governing: first.info, title, track)
            try await check.check(names, track.kind, of: place, for: place)
            do throws(KeyStoreError) {
                let end = records.last?.info.validUntil ?? 0
                let what = "\(counted(records.count, "key period")) of \(place) created, until \(end)"
                let audit = actor.audit("periods-create", what)
                try await store.put(ContentBatch(contents: records), replacing: false, audit: audit)
                return records.map(\.info)
            } catch {
                guard error.code == .conflict else { throw error }
                lastError = error
            }
        }
        throw lastError
    }

    private func record(
        _ keyID: [UInt8],
        _ title: TitleRecord,
        _ track: TrackRecord,
        _ start: Int64,
        _ length: Int64,
        _ time: Int64
    ) throws -> ContentRecord {
        let assetID: [UInt8]
        do {
            assetID = try ContentDefaults.assetID(title: title, track: track.name, keyID: keyID, validFrom: start)
        } catch let error as SignalingError {
            throw KeyStoreError(.conflict, place: title.place, reason: "key URI: \(error.reason)")
        }
        var random = SecureRandom()
        return try ContentRecord(
            assetID: assetID,
            keyID: keyID,
            contentKey: SecretBytes(count: 16, randomFrom: &random),
            iv: random.bytes(16),
            titleName: title.name,
            trackName: track.name,
            validFrom: start,
            validUntil: start + length,
            time: time
        )
    }
}
