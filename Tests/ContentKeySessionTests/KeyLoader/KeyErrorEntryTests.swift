import Testing

@testable import ContentKeySession

@Suite("Entries of the key loader's error log")
struct KeyErrorEntryTests {
    @Test("A delay is written in seconds, rounded to milliseconds")
    func delay() {
        let entry = KeyErrorEntry(
            label: KeyLabel("skd://film"),
            time: .zero,
            failure: KeyFailure(.noConnection),
            retryAfter: .nanoseconds(6_013_196_637)
        )
        #expect(entry.description.contains("no-connection, retry in 6.013 s. Check"))
    }
}
