import HTTPRequests
import Synchronization

/// A limit of bytes per second over all requests: after a response, the next requests wait until its bytes would have
/// arrived at that rate.
final class DownloadRate: Sendable {
    private let bytesPerSecond: Double
    private let next: Mutex<ContinuousClock.Instant>

    init(bytesPerSecond: UInt64, now: ContinuousClock.Instant = .now) {
        self.bytesPerSecond = Double(bytesPerSecond)
        next = Mutex(now)
    }

    /// Returns the time to wait before a request is sent; nil if it may be sent now.
    func delay(now: ContinuousClock.Instant = .now) -> Duration? {
        let delay = next.withLock { $0 - now }
        return delay > .zero ? delay : nil
    }

    /// Counts the bytes of a response.
    func add(_ count: Int, now: ContinuousClock.Instant = .now) {
        let time = Duration.seconds(min(Double(count) / bytesPerSecond, 1e6))
        next.withLock { $0 = max($0, now) + time }
    }
}

/// An HTTP client that loads no more bytes per second than a limit.
struct LimitedExchange: HTTPExchange {
    let client: any HTTPExchange
    let rate: DownloadRate

    func send(
        _ request: BoundedHTTP.Request,
        while shouldContinue: (@Sendable (BoundedHTTP.Progress) async -> Bool)?
    ) async throws(BoundedHTTP.Failure) -> BoundedHTTP.Answer {
        // A response to another request may have arrived meanwhile.
        while let delay = rate.delay(), !Task.isCancelled { try? await Task.sleep(for: delay) }
        let answer = try await client.send(request, while: shouldContinue)
        rate.add(answer.body.count)
        return answer
    }

    func open(_ request: BoundedHTTP.Request) async throws(BoundedHTTP.Failure) -> BoundedHTTP.Head {
        try await client.open(request)
    }
}
