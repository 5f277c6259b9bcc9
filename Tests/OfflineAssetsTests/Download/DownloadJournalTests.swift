import ContentKeySession
import FPSCrypto
import Testing

@testable import OfflineAssets

@Suite("Download journal")
struct DownloadJournalTests {
    private let plan = SHA256.hash(Array("plan".utf8))
    private let records: [DownloadJournal.Record] = [
        .part(0, length: 4096, Validators(etag: "\"a b\"", lastModified: "Sun, 22 Nov 2026 22:00:00 GMT")),
        .done(2, .init(length: 7, sha256: SHA256.hash([1])), Validators(etag: "", lastModified: nil)),
        .done(0, .init(length: 9000, sha256: SHA256.hash([2])), Validators()),
        .drop(2),
        .part(1, length: .max, Validators(lastModified: "gestern Abend")),
    ]

    private var bytes: [UInt8] { DownloadJournal.header(plan: plan) + records.flatMap(\.line) }

    @Test func saysWhatWasWritten() {
        let (journal, length) = DownloadJournal.read(bytes, plan: plan, files: 3)
        #expect(length == bytes.count)
        #expect(
            journal.entries == [
                0: .done(.init(length: 9000, sha256: SHA256.hash([2])), Validators()),
                1: .part(length: .max, Validators(lastModified: "gestern Abend")),
            ]
        )
    }

    @Test func isWhatItsWholeLinesSayWhereverItIsCutOff() {
        let all = bytes
        var ends = [DownloadJournal.header(plan: plan).count]
        for record in records { ends.append((ends.last ?? 0) + record.line.count) }
        for length in 0...all.count {
            let (journal, valid) = DownloadJournal.read(Array(all.prefix(length)), plan: plan, files: 3)
            let whole = ends.filter { $0 <= length }.count - 1
            var expected = DownloadJournal()
            for record in records.prefix(max(0, whole)) { expected.apply(record) }
            #expect(journal == expected, "cut at \(length)")
            #expect(valid == (whole >= 0 ? ends[whole] : 0), "cut at \(length)")
        }
    }

    @Test func endsWhereAByteIsNotRight() {
        let all = bytes
        let header = DownloadJournal.header(plan: plan).count
        for place in all.indices {
            var spoiled = all
            spoiled[place] ^= 1
            let (_, valid) = DownloadJournal.read(spoiled, plan: plan, files: 3)
            #expect(valid <= place, "byte \(place)")
            #expect(place >= header || valid == 0, "byte \(place)")
        }
    }

    @Test func saysNothingOfAnotherPlanAndOfFilesThatAreNotThere() {
        let other = DownloadJournal.read(bytes, plan: SHA256.hash([3]), files: 3)
        #expect(other.journal.entries.isEmpty && other.validLength == 0)
        let fewer = DownloadJournal.read(bytes, plan: plan, files: 2)
        #expect(fewer.journal.entries.keys.sorted() == [0])
    }

    @Test func aPlanIsAnotherWhereAnyResourceIs() {
        let one = BundleResource(file: "media/a/1", url: "https://a/1", range: nil)
        let plans = [
            [one], [], [one, one], [BundleResource(file: "media/a/2", url: "https://a/1", range: nil)],
            [BundleResource(file: "media/a/1", url: "https://a/2", range: nil)],
            [BundleResource(file: "media/a/1", url: "https://a/1", range: 0..<1)],
        ].map(DownloadJournal.plan)
        #expect(Set(plans).count == plans.count)
    }

    @Test func onlyAStrongETagOrADateLetsADownloadGoOn() {
        #expect(Validators(etag: "\"1\"", lastModified: "d").ifRange == "\"1\"")
        #expect(Validators(etag: "W/\"1\"", lastModified: "d").ifRange == "d")
        #expect(Validators(etag: "W/\"1\"").ifRange == nil)
        #expect(Validators(etag: String(repeating: "x", count: 600)).etag == nil)
        #expect(Validators(etag: "\"1\"").contradicts(Validators(etag: "\"2\"")))
        #expect(!Validators(etag: "\"1\"").contradicts(Validators(lastModified: "d")))
    }
}
