import StreamPlayer
import Testing

@testable import OfflineAssets

@Suite("Resuming a file")
struct ResumeDecisionTests {
    private let whole = BundleResource(file: "media/a/1", url: "https://a/1", range: nil)
    private let inner = BundleResource(file: "media/a/2", url: "https://a/1", range: 100..<200)
    private let known = ResumeDecision.Known(length: 40, validators: Validators(etag: "\"1\""))

    private func decide(
        _ resource: BundleResource,
        _ known: ResumeDecision.Known,
        status: Int,
        part: Range<UInt64>? = nil,
        total: UInt64? = nil,
        length: UInt64? = nil,
        etag: String? = "\"1\"",
        limits: DownloadLimits = DownloadLimits()
    ) -> ResumeDecision {
        var answer = DownloadResponse(status: status, url: resource.url) { () async throws(MediaLoadError) in nil }
        answer.validators = Validators(etag: etag)
        answer.part = part.map { .init(range: $0, total: total) }
        answer.length = length
        let request = ResumeDecision.request(resource, known)
        return ResumeDecision.decide(answer, to: request, for: resource, known, limits: limits)
    }

    @Test func asksForWhatIsMissing() {
        #expect(ResumeDecision.request(whole, .init()).range == nil)
        #expect(ResumeDecision.request(whole, known).range == "bytes=40-")
        #expect(ResumeDecision.request(whole, known).ifRange == "\"1\"")
        #expect(ResumeDecision.request(inner, .init()).range == "bytes=100-199")
        #expect(ResumeDecision.request(inner, .init()).ifRange == nil)
        #expect(ResumeDecision.request(inner, known).range == "bytes=140-199")
        #expect(ResumeDecision.obstacle(.init(length: 1)) == .noValidator)
        #expect(ResumeDecision.obstacle(known) == nil)
    }

    @Test func writesTheWholeOfIt() {
        #expect(decide(whole, .init(), status: 200, length: 90) == .write(at: 0, skipping: 0, length: 90, restart: nil))
        #expect(decide(whole, .init(), status: 200) == .write(at: 0, skipping: 0, length: nil, restart: nil))
    }

    @Test func appendsTheRest() {
        let rest = decide(whole, known, status: 206, part: 40..<90, total: 90)
        #expect(rest == .write(at: 40, skipping: 0, length: 90, restart: nil))
        let inside = decide(inner, known, status: 206, part: 140..<200, total: 900)
        #expect(inside == .write(at: 40, skipping: 0, length: 100, restart: nil))
    }

    @Test func beginsAnewAndSaysWhy() {
        #expect(
            decide(whole, known, status: 200, length: 90, etag: "\"2\"")
                == .write(at: 0, skipping: 0, length: 90, restart: .changed)
        )
        #expect(
            decide(whole, known, status: 200, length: 90) == .write(at: 0, skipping: 0, length: 90, restart: .noRanges)
        )
        #expect(decide(whole, known, status: 206, part: 40..<90, total: 90, etag: "\"2\"") == .requestAgain(.changed))
        #expect(decide(whole, known, status: 416) == .requestAgain(.outOfRange))
    }

    @Test func passesOverWhatIsBeforeAPartUpToALimit() {
        #expect(
            decide(inner, .init(), status: 200, length: 900) == .write(at: 0, skipping: 100, length: 100, restart: nil)
        )
        #expect(decide(inner, known, status: 200) == .write(at: 0, skipping: 100, length: 100, restart: .noRanges))
        var limits = DownloadLimits()
        limits.skippedBytes = 99
        #expect(decide(inner, .init(), status: 200, length: 900, limits: limits) == .rangeTooFar)
        let short = decide(inner, .init(), status: 200, length: 150)
        #expect(short == .fail(MediaLoadError(.wrongRange, inner.url, status: 200)))
    }

    @Test(arguments: [0..<60, 100..<199, 101..<200, 100..<201] as [Range<UInt64>])
    func refusesAPartThatWasNotAskedFor(part: Range<UInt64>) {
        let decision = decide(inner, .init(), status: 206, part: part, total: 900)
        #expect(decision == .fail(MediaLoadError(.wrongRange, inner.url, status: 206)))
    }

    @Test func refusesAPartWhereNobodyAskedForOne() {
        let decision = decide(whole, .init(), status: 206, part: 0..<90, total: 90)
        #expect(decision == .fail(MediaLoadError(.wrongRange, whole.url, status: 206)))
        #expect(decide(inner, .init(), status: 206) == .fail(MediaLoadError(.wrongRange, inner.url, status: 206)))
    }

    @Test(arguments: [
        (404, MediaLoadError.Code.notFound, false), (410, .notFound, false), (403, .status, false),
        (429, .status, true), (500, .status, true), (501, .status, false), (503, .status, true),
        (416, .wrongRange, true),
    ])
    func takesOtherStatusesForErrors(status: Int, code: MediaLoadError.Code, passes: Bool) {
        let error = MediaLoadError(code, whole.url, status: status)
        #expect(decide(whole, .init(), status: status) == .fail(error))
        #expect(error.canRetryDownload == passes)
    }

    @Test func refusesWhatIsTooLarge() {
        var limits = DownloadLimits()
        limits.resourceBytes = 50
        let tooLarge = ResumeDecision.fail(MediaLoadError(.tooLarge, whole.url, status: 200))
        #expect(decide(whole, .init(), status: 200, length: 51, limits: limits) == tooLarge)
        #expect(decide(inner, .init(), status: 200, length: 900, limits: limits) == tooLarge)
        #expect(
            decide(whole, known, status: 206, part: 40..<900, total: 900, limits: limits)
                == .fail(MediaLoadError(.tooLarge, whole.url, status: 206))
        )
    }

    @Test(arguments: ["bytes 0-99/1000", "bytes 5-5/*", "BYTES 0-0/1"])
    func readsContentRange(field: String) { #expect(DownloadResponse.Part(field) != nil) }

    @Test(arguments: [
        "", "bytes", "bytes */100", "bytes 5-4/100", "bytes 0-99/99", "bytes 0-9", "bytes -5/100", "bytes 0-/9",
        "items 0-9/10", "bytes 0-18446744073709551615/*", "bytes 0-9/10/11",
    ])
    func readsNoContentRangeThatIsNone(field: String) { #expect(DownloadResponse.Part(field) == nil) }
}
