import AsyncHTTPClient
import Foundation
import Locking
import NIOCore
import NIOHTTP1

/// A delegate that collects one response. It runs on the event loop of the connection, so that the parts of a body wait
/// for no task; a part costs one copy of its bytes.
final class ResponseCollector: HTTPClientResponseDelegate {
    typealias Response = Void
    typealias Outcome = Result<BoundedHTTP.Answer, BoundedHTTP.Failure>

    /// The error that ends an exchange whose outcome is already known.
    private struct Ended: Error {}

    private struct State {
        /// The URL of the request, after redirects.
        var url: String
        /// The response; nil before its head.
        var answer: BoundedHTTP.Answer?
        var isFinished = false
        var continuation: CheckedContinuation<Outcome, Never>?
        var exchange: HTTPClient.Task<Void>?
        var timer: Scheduled<Void>?
    }

    private let request: BoundedHTTP.Request
    private let meter: DownloadMeter
    private let deadline: ContinuousClock.Instant
    private let state: Lock<State>

    /// Creates a collector for the response to a request, whose timeout begins now.
    init(_ request: BoundedHTTP.Request, _ meter: DownloadMeter) {
        (self.request, self.meter) = (request, meter)
        deadline = .now + request.timeout
        state = Lock(State(url: request.url))
    }

    /// Sends the request, and returns the response or the failure. It ends at the timeouts of the request, or when the
    /// task is cancelled.
    func run(_ outgoing: HTTPClient.Request, _ client: HTTPClient) async -> Outcome {
        // All connections of a client are on one event loop: an exchange whose delegate is on another one costs a
        // switch of threads for each part.
        var loops = client.eventLoopGroup.makeIterator()
        let loop = loops.next() ?? client.eventLoopGroup.any()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let starts = state.withLock { state in
                    if !state.isFinished { state.continuation = continuation }
                    return !state.isFinished
                }
                guard starts else { return continuation.resume(returning: .failure(Self.cancelled)) }
                // Setting the timer and sending from other threads would wake the event loop twice.
                loop.execute { self.start(outgoing, client, loop) }
            }
        } onCancel: {
            stop(Self.cancelled)
        }
    }

    private func start(_ outgoing: HTTPClient.Request, _ client: HTTPClient, _ loop: any EventLoop) {
        watch(loop)
        guard !state.withLock({ $0.isFinished }) else { return }
        let exchange = client.execute(request: outgoing, delegate: self, eventLoop: .delegate(on: loop))
        let isFinished = state.withLock { state in
            if !state.isFinished { state.exchange = exchange }
            return state.isFinished
        }
        if isFinished { exchange.cancel() }
        // The delegate is not told of redirects that are cyclic or too many.
        exchange.futureResult.whenFailure { self.fail($0) }
    }

    private static let cancelled = BoundedHTTP.Failure(.cancelled, "cancelled")

    // MARK: Timeouts

    /// Stops the exchange at its deadline, or when there was no progress for the idle timeout; otherwise sets a timer
    /// for the next check.
    private func watch(_ loop: any EventLoop) {
        let now = ContinuousClock.now
        let idleEnd = request.idleTimeout.map { meter.lastActivity + $0 }
        guard deadline > now else {
            return stop(BoundedHTTP.Failure(.deadline, "the response was not complete in time"))
        }
        guard idleEnd.map({ $0 > now }) ?? true else {
            return stop(BoundedHTTP.Failure(.deadline, "the server did not respond in time, or stopped sending"))
        }
        let delay = min(deadline, idleEnd ?? deadline) - now
        let timer = loop.scheduleTask(in: BoundedHTTP.amount(delay) + .milliseconds(1)) { self.watch(loop) }
        let isFinished = state.withLock { state in
            if !state.isFinished { state.timer = timer }
            return state.isFinished
        }
        if isFinished { timer.cancel() }
    }

    // MARK: Outcome

    /// Ends the exchange with a failure, unless it has an outcome.
    private func stop(_ failure: BoundedHTTP.Failure) { finish(.failure(failure))?.cancel() }

    /// Returns the outcome to the caller, unless there was one before.
    ///
    /// - Returns: The exchange, if it has started and has not ended.
    @discardableResult
    private func finish(_ outcome: Outcome) -> HTTPClient.Task<Void>? {
        let (exchange, timer, continuation) = state.withLock { state in
            state.isFinished = true
            defer { (state.exchange, state.timer, state.continuation) = (nil, nil, nil) }
            return (state.exchange, state.timer, state.continuation)
        }
        timer?.cancel()
        continuation?.resume(returning: outcome)
        return exchange
    }

    private func fail(_ error: any Error) {
        let hasHead = state.withLock { $0.answer != nil }
        finish(
            .failure(hasHead ? BoundedHTTP.Failure(withinAnswer: error) : BoundedHTTP.Failure(beforeAnswer: error))
        )
    }

    /// Ends the exchange from within the delegate.
    private func end(_ outcome: Outcome, _ loop: any EventLoop) -> EventLoopFuture<Void> {
        finish(outcome)
        return loop.makeFailedFuture(Ended())
    }

    private var tooLarge: Outcome {
        .failure(
            BoundedHTTP.Failure(.tooLarge, "the response is longer than \(request.maximumResponseSize) bytes")
        )
    }

    // MARK: Delegate

    func didVisitURL(task: HTTPClient.Task<Void>, _ request: HTTPClient.Request, _ head: HTTPResponseHead) {
        state.withLock { $0.url = request.url.absoluteString }
    }

    func didReceiveHead(task: HTTPClient.Task<Void>, _ head: HTTPResponseHead) -> EventLoopFuture<Void> {
        var answer = BoundedHTTP.Answer(
            status: Int(head.status.code),
            headers: head.headers.map { BoundedHTTP.Header($0.name, $0.value) },
            url: state.withLock { $0.url },
            majorVersion: head.version.major
        )
        guard request.readsBody(answer.status) else { return end(.success(answer), task.eventLoop) }
        let expected = answer.header("Content-Length").flatMap { UInt64($0) }
        meter.start(expecting: expected)
        if request.method != "HEAD" {
            guard expected ?? 0 <= UInt64(clamping: request.maximumResponseSize) else {
                return end(tooLarge, task.eventLoop)
            }
            // Whatever size the server claims, no more than this is allocated before bytes arrive.
            answer.body.reserveCapacity(Int(clamping: min(expected ?? 0, 64 << 20)))
        }
        let started = answer
        state.withLock { $0.answer = started }
        return task.eventLoop.makeSucceededVoidFuture()
    }

    func didReceiveBodyPart(task: HTTPClient.Task<Void>, _ buffer: ByteBuffer) -> EventLoopFuture<Void> {
        let maximum = request.maximumResponseSize
        let received: Int? = state.withLock { state in
            guard let count = state.answer?.body.count, buffer.readableBytes <= maximum - count else { return nil }
            state.answer?.body.append(contentsOf: buffer.readableBytesView)
            return count + buffer.readableBytes
        }
        guard let received else { return end(tooLarge, task.eventLoop) }
        meter.update(received: received)
        return task.eventLoop.makeSucceededVoidFuture()
    }

    func didFinishRequest(task: HTTPClient.Task<Void>) throws {
        let answer = state.withLock { state in
            defer { state.answer = nil }
            return state.answer
        }
        if let answer { finish(.success(answer)) }
    }
}
