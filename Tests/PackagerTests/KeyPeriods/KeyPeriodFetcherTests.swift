import DRMSignaling
import FPSCrypto
import Synchronization
import Testing

@testable import Packager

/// A source whose behavior is defined by a test.
struct ScriptedKeyPeriods: ContentKeyPeriods {
    let body: @Sendable (KeyPeriodRequest) async throws -> ContentKeyPeriod
    func period(_ request: KeyPeriodRequest) async throws -> ContentKeyPeriod { try await body(request) }
}

@Suite("Requests for key periods")
struct KeyPeriodFetcherTests {
    private struct Trouble: Error, CustomStringConvertible {
        let description = "the line is dead"
    }

    private let request = KeyPeriodRequest(number: 3, trackClasses: [.audio], duration: 60)

    @Test("are retried until keys arrive")
    func retries() async throws {
        let calls = Mutex(0)
        let fetcher = KeyPeriodFetcher(
            ScriptedKeyPeriods { request in
                let call = calls.withLock { count in
                    count += 1
                    return count
                }
                guard call > 2 else { throw Trouble() }
                return ContentKeyPeriod(number: request.number, keys: ContentKeys())
            },
            timeout: .seconds(3600),
            initialDelay: .milliseconds(1)
        )
        #expect(try await fetcher.period(request).number == 3)
        #expect(calls.withLock { $0 } == 3)
        #expect(await fetcher.ready(3) != nil)
    }

    @Test("fail with the last error after the timeout")
    func timeout() async throws {
        let fetcher = KeyPeriodFetcher(
            ScriptedKeyPeriods { _ in throw Trouble() },
            timeout: .milliseconds(50),
            initialDelay: .milliseconds(1)
        )
        let error = await #expect(throws: KeyPeriodFailure.self) { try await fetcher.period(request) }
        #expect(error?.number == 3)
    }

    @Test("fail at once if a retry cannot help")
    func failure() async throws {
        let calls = Mutex(0)
        let fetcher = KeyPeriodFetcher(
            ScriptedKeyPeriods { request in
                calls.withLock { $0 += 1 }
                throw KeyPeriodFailure(request.number, "there are no more")
            },
            timeout: .seconds(3600)
        )
        let error = await #expect(throws: KeyPeriodFailure.self) { try await fetcher.period(request) }
        #expect(error?.reason == "there are no more")
        #expect(calls.withLock { $0 } == 1)
    }

    @Test("reject the keys of another period")
    func otherNumber() async throws {
        let fetcher = KeyPeriodFetcher(
            ScriptedKeyPeriods { _ in ContentKeyPeriod(number: 9, keys: ContentKeys()) },
            timeout: .seconds(3600)
        )
        await #expect(throws: KeyPeriodFailure.self) { try await fetcher.period(request) }
    }
}
