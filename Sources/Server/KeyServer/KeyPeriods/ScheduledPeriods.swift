import KeyStore
import TextCoding

/// The key periods of a track that a schedule defines around a time, each with its key if it has been created.
struct ScheduledPeriods: Sendable {
    /// A period.
    struct Period: Sendable {
        /// The start, in Unix seconds.
        let start: Int64
        /// The end, in Unix seconds, which is not in the period.
        let end: Int64
        /// The key; nil if it has not been created.
        let key: ContentInfo?
    }

    let track: String
    /// The period at the time; nil before the start of the channel.
    let present: Period?
    /// The first period after the time.
    let next: Period
    /// The last period that is created in advance.
    let last: Period

    /// Looks up the periods of a plan.
    ///
    /// - Parameter time: The time, in Unix seconds.
    init(of plan: KeyPeriodPlan, at time: Int64, in store: any ContentStore) async throws(KeyStoreError) {
        func period(_ start: Int64) async throws(KeyStoreError) -> Period {
            let keyID = KeyPeriodCreator.keyID(title: plan.title, track: plan.track, start: start)
            let key = try await store.content(keyID: keyID)?.info
            return Period(start: start, end: key?.validUntil ?? start + plan.length, key: key)
        }
        let starts = plan.starts(at: time)
        // Without a first start, the channel begins later than periods are created in advance.
        let begin = plan.start ?? 0
        let first = starts.first ?? begin - begin % plan.length
        let hasBegun = !starts.isEmpty && first <= time
        track = plan.track
        present = hasBegun ? try await period(first) : nil
        next = try await period(hasBegun ? first + plan.length : first)
        last = try await period(starts.last ?? first)
    }

    var administrationJSON: JSONValue {
        .fields([
            ("track", .string(track)),
            ("present", present?.administrationJSON),
            ("next", next.administrationJSON),
            ("last", last.administrationJSON),
        ])
    }
}

extension ScheduledPeriods.Period {
    var administrationJSON: JSONValue {
        .fields(
            [
                ("start", AdminJSON.time(start)),
                ("end", AdminJSON.time(end)),
                ("keyId", key?.keyID.map { .string(Hexadecimal.encode($0)) }),
            ] + (key.map { AdminJSON.asset($0.assetID) } ?? [])
        )
    }
}
