import ContentKeySession
import Testing

@testable import OfflineAssets

@Suite("The history of a stored key")
struct KeyLedgerTests {
    private static let issued: Int64 = 1_800_000_000
    private static let dual = KeyHistoryEntry(terms: .dual(storage: 3_000, playback: 200), issued: issued)

    /// A row: the events with their times, and the expected values at a time. Times count from when the key was issued.
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var terms = KeyHistoryEntry.Terms.dual(storage: 3_000, playback: 200)
        var events: [(KeyHistoryEvent, Int64)] = []
        let moment: Int64
        let state: OfflineKeyState
        let remaining: Int64?
        let remedy: PersistentKeyRemedy
        let words: String
    }

    static let rows: [Row] = [
        Row(
            testDescription: "new",
            moment: 0,
            state: .stored,
            remaining: 3_000,
            remedy: .watch,
            words: "50 minutes to start, then 3 minutes 20 seconds to finish"
        ),
        Row(
            testDescription: "the last second of storage",
            moment: 2_999,
            state: .stored,
            remaining: 1,
            remedy: .watch,
            words: "1 second to start, then 3 minutes 20 seconds to finish"
        ),
        Row(
            testDescription: "the storage period is over",
            moment: 3_000,
            state: .storageExpired,
            remaining: 0,
            remedy: .renewOnline,
            words: "expired on 2027-01-15 08:50 UTC: playback was not started in time"
        ),
        Row(
            testDescription: "first playback in the last second",
            events: [(.played, 2_999)],
            moment: 3_100,
            state: .playing,
            remaining: 99,
            remedy: .watch,
            words: "for 1 minute 39 seconds"
        ),
        Row(
            testDescription: "a later playback does not start the period again",
            events: [(.played, 10), (.played, 100)],
            moment: 209,
            state: .playing,
            remaining: 1,
            remedy: .watch,
            words: "for 1 second"
        ),
        Row(
            testDescription: "the playback period is over",
            events: [(.played, 10)],
            moment: 210,
            state: .playbackExpired,
            remaining: 0,
            remedy: .renewOnline,
            words: "expired on 2027-01-15 08:03 UTC: the playback period is over"
        ),
        Row(
            testDescription: "an unlimited storage period",
            terms: .dual(storage: nil, playback: 86_400),
            moment: 9_000_000,
            state: .stored,
            remaining: nil,
            remedy: .watch,
            words: "any time to start, then 1 day to finish"
        ),
        Row(
            testDescription: "an unlimited playback period",
            terms: .dual(storage: 60, playback: nil),
            events: [(.played, 10)],
            moment: 9_000_000,
            state: .playing,
            remaining: nil,
            remedy: .watch,
            words: "without limit"
        ),
        Row(
            testDescription: "one expiry period",
            terms: .limited(90_000),
            moment: 3_600,
            state: .stored,
            remaining: 86_400,
            remedy: .watch,
            words: "for 1 day"
        ),
        Row(
            testDescription: "one expiry period is over, although the key was played",
            terms: .limited(60),
            events: [(.played, 10)],
            moment: 60,
            state: .storageExpired,
            remaining: 0,
            remedy: .renewOnline,
            words: "expired on 2027-01-15 08:01 UTC: playback was not started in time"
        ),
        Row(
            testDescription: "without limit",
            terms: .limited(nil),
            moment: .max - issued,
            state: .stored,
            remaining: nil,
            remedy: .watch,
            words: "without limit"
        ),
        Row(
            testDescription: "unknown terms",
            terms: .unknown,
            moment: 5,
            state: .stored,
            remaining: nil,
            remedy: .watch,
            words: "for as long as the device accepts the key"
        ),
        Row(
            testDescription: "the device reports that the storage period is over",
            events: [(.refused(.persistentKeyExpired), 20)],
            moment: 30,
            state: .storageExpired,
            remaining: 0,
            remedy: .renewOnline,
            words: "expired: playback was not started in time"
        ),
        Row(
            testDescription: "the device reports that the playback period is over",
            events: [(.played, 10), (.refused(.persistentKeyExpired), 20)],
            moment: 30,
            state: .playbackExpired,
            remaining: 0,
            remedy: .renewOnline,
            words: "expired: the playback period is over"
        ),
        Row(
            testDescription: "a security update",
            events: [(.refused(.persistentKeyOutdated), 20)],
            moment: 30,
            state: .refused,
            remaining: 0,
            remedy: .renewOnline,
            words: "not playable: the device rejects the key"
        ),
        Row(
            testDescription: "the device accepts the key again",
            events: [(.refused(.invalidPersistentKey), 20), (.taken, 25)],
            moment: 30,
            state: .stored,
            remaining: 2_970,
            remedy: .watch,
            words: "49 minutes 30 seconds to start, then 3 minutes 20 seconds to finish"
        ),
        Row(
            testDescription: "renewed after the playback period was over",
            events: [
                (.played, 10),
                (.renewed(KeyHistoryEntry(terms: .dual(storage: 3_000, playback: 200), issued: issued + 500)), 500),
            ],
            moment: 600,
            state: .stored,
            remaining: 2_900,
            remedy: .watch,
            words: "48 minutes 20 seconds to start, then 3 minutes 20 seconds to finish"
        ),
        Row(
            testDescription: "the server refused a renewal",
            events: [(.played, 10), (.renewalRefused(LogSafeWord("renewal-after-expiry")!), 500)],
            moment: 600,
            state: .playbackExpired,
            remaining: 0,
            remedy: .buyAgain,
            words: "expired on 2027-01-15 08:03 UTC: the playback period is over"
        ),
        Row(
            testDescription: "invalidated",
            events: [(.played, 10), (.invalidated, 20), (.taken, 25)],
            moment: 30,
            state: .revoked,
            remaining: 0,
            remedy: .downloadAgain,
            words: "not playable: the key was invalidated"
        ),
        Row(
            testDescription: "the clock was set back by two hours",
            terms: .limited(90_000),
            events: [(.timePassed, 10_000)],
            moment: 10_000 - 7_200,
            state: .stored,
            remaining: 80_000,
            remedy: .watch,
            words: "for 22 hours 13 minutes; the clock was set back by 2 hours, which does not extend the time"
        ),
        Row(
            testDescription: "the clock was set back before the end",
            events: [(.timePassed, 3_000)],
            moment: 100,
            state: .storageExpired,
            remaining: 0,
            remedy: .renewOnline,
            words:
                "expired on 2027-01-15 08:50 UTC: playback was not started in time; the clock was set back by 48 minutes 20 seconds, which does not extend the time"
        ),
    ]

    @Test("State, remaining time, remedy and text, by events", arguments: rows)
    func state(row: Row) {
        var entry = KeyHistoryEntry(terms: row.terms, issued: Self.issued)
        for (event, moment) in row.events { entry.note(event, at: Self.issued + moment) }
        let now = Self.issued + row.moment
        #expect(entry.state(at: now) == row.state)
        #expect(entry.remaining(at: now) == row.remaining)
        #expect(entry.remedy(at: now) == row.remedy)
        #expect(entry.remainingTimeText(at: now) == row.words)
    }

    @Test("Every state is the outcome of a row")
    func allStates() { #expect(Set(Self.rows.map(\.state)) == Set(OfflineKeyState.allCases)) }

    @Test("The advice contains the time, or the action to take")
    func advice() {
        var entry = Self.dual
        #expect(entry.advice(at: Self.issued) == "start before 2027-01-15 08:50 UTC")
        entry.note(.played, at: Self.issued + 10)
        #expect(entry.advice(at: Self.issued + 20) == "watch before 2027-01-15 08:03 UTC")
        #expect(entry.advice(at: Self.issued + 500) == "renew online: keyway offline renew")
        entry.note(.invalidated, at: Self.issued + 600)
        #expect(entry.advice(at: Self.issued + 600) == "download it again")
        #expect(KeyHistoryEntry(terms: .limited(nil), issued: 0).advice(at: 9) == "watch")
    }

    @Test("Renewals are counted; a renewal keeps the time of the report, but not a refusal")
    func renewals() {
        var entry = Self.dual
        entry.note(.reported, at: Self.issued + 5)
        entry.note(.renewalRefused(LogSafeWord("no-more")!), at: Self.issued + 6)
        for count in 1...3 as ClosedRange<UInt32> {
            entry.note(.renewed(KeyHistoryEntry(terms: .limited(7), issued: Self.issued + 10)), at: Self.issued + 10)
            #expect(entry.renewals == count)
        }
        #expect(entry.reported == Self.issued + 5)
        #expect(entry.renewed == Self.issued + 10)
        #expect(entry.renewalRefusal == nil)
        #expect(entry.terms == .limited(7))
    }

    @Test("Extreme times and durations do not trap")
    func extremes() {
        for moment in [Int64.min, -1, 0, 1, .max] {
            for duration in [Int64.min, -1, 0, 1, .max] {
                var entry = KeyHistoryEntry(terms: .dual(storage: duration, playback: duration), issued: moment)
                entry.note(.played, at: .max)
                for now in [Int64.min, 0, .max] {
                    #expect(!entry.remainingTimeText(at: now).isEmpty)
                    #expect(!entry.advice(at: now).isEmpty)
                }
            }
        }
    }

    @Test("A title has the state of its worst key, and ends with the first one")
    func title() {
        var short = Self.dual
        short.terms = .dual(storage: 100, playback: 200)
        var ledger = TitleKeyHistory(title: "film", entries: ["skd://a": Self.dual, "skd://b": short])
        #expect(ledger.deciding(at: Self.issued) == short)
        #expect(!ledger.isBegun(at: Self.issued))
        ledger.entries["skd://a"]?.note(.played, at: Self.issued + 1)
        #expect(ledger.deciding(at: Self.issued + 2)?.state(at: Self.issued + 2) == .playing)
        #expect(ledger.isBegun(at: Self.issued + 2))
        ledger.entries["skd://b"]?.note(.invalidated, at: Self.issued + 3)
        #expect(ledger.deciding(at: Self.issued + 4)?.state(at: Self.issued + 4) == .revoked)
        #expect(TitleKeyHistory(title: "none", entries: [:]).deciding(at: 0) == nil)
    }
}
