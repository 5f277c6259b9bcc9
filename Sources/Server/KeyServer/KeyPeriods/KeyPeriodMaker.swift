import DRMSignaling
import FPSCrypto
package import KeyStore

/// Makes key periods ahead of the time. Any number of servers may at once, and again and again: each period is made once.
///
/// What makes sure of it is the key ID, which follows from title, track and beginning, and which the store keeps unique:
///
///     key ID = the first 16 bytes of SHA-256("keyway key period" 00 title 00 track 00 start), as a UUID of version 8
///     start  = Unix seconds in decimal digits
///
/// Keys and initialization vectors are random. A period that is there stays as it is, also where it has another length.
package struct KeyPeriodMaker: Sendable {
    private let store: any ContentStore & TitleStore & PolicyStore

    /// How often somebody else may be first.
    private static let attempts = 8

    /// Takes the store.
    package init(store: any ContentStore & TitleStore & PolicyStore) { self.store = store }

    /// The key ID of a period.
    static func keyID(title: String, track: String, start: Int64) -> [UInt8] {
        let parts = ["keyway key period", title, track, "\(start)"]
        var bytes = Array(SHA256.hash(Array(parts.joined(separator: "\0").utf8)).prefix(16))
        bytes[6] = bytes[6] & 0x0F | 0x80
        bytes[8] = bytes[8] & 0x3F | 0x80
        return bytes
    }

    /// Makes those periods of a plan that are not there.
    ///
    /// - Parameters:
    ///   - time: Unix seconds.
    ///   - actor: In whose name it is written down, in the transaction that stores the periods.
    /// - Returns: The periods that were made, in the order in which they begin.
    /// - Throws: `KeyStoreError`: `missingReference` when there is no such track, `conflict` for a policy that does not fit
    ///   it, or a key URI of which two periods come to the same.
    @discardableResult
    package func make(_ plan: KeyPeriodPlan, at time: Int64, by actor: AdminActor) async throws -> [ContentInfo] {
        var lost = KeyStoreError(.conflict, place: "key periods", reason: "others change the same track all the time")
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
                let what = "\(records.count) key periods of \(place) made, until \(records.last?.info.validUntil ?? 0)"
                let audit = actor.audit("periods-make", what)
                try await store.put(ContentBatch(contents: records), replacing: false, audit: audit)
                return records.map(\.info)
            } catch {
                guard error.code == .conflict else { throw error }
                lost = error
            }
        }
        throw lost
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
