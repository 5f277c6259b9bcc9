// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public import Foundation
import Locking

@available(iOS 18, macOS 15, tvOS 18, visionOS 2, *)
open class AVMetricEvent: NSObject, @unchecked Sendable {
    public let date: Date
    public let mediaTime: CMTime
    public let sessionID: String?

    init(date: Date, mediaTime: CMTime = .invalid, sessionID: String? = nil) {
        (self.date, self.mediaTime, self.sessionID) = (date, mediaTime, sessionID)
    }
}

@available(iOS 18, macOS 15, tvOS 18, visionOS 2, *)
open class AVMetricMediaResourceRequestEvent: AVMetricEvent, @unchecked Sendable {
    public let url: URL?

    init(url: URL?, date: Date) {
        self.url = url
        super.init(date: date)
    }
}

@available(iOS 18, macOS 15, tvOS 18, visionOS 2, *)
open class AVMetricContentKeyRequestEvent: AVMetricEvent, @unchecked Sendable {
    public let contentKeySpecifier: AVContentKeySpecifier
    public let mediaType: AVMediaType
    public let isClientInitiated: Bool
    public let mediaResourceRequestEvent: AVMetricMediaResourceRequestEvent?

    package init(
        _ specifier: AVContentKeySpecifier,
        mediaType: AVMediaType,
        isClientInitiated: Bool,
        request: AVMetricMediaResourceRequestEvent?,
        date: Date
    ) {
        (contentKeySpecifier, self.mediaType) = (specifier, mediaType)
        (self.isClientInitiated, mediaResourceRequestEvent) = (isClientInitiated, request)
        super.init(date: date)
    }
}

@available(iOS 26, macOS 26, tvOS 26, visionOS 26, *)
open class AVMetricDownloadSummaryEvent: AVMetricEvent, @unchecked Sendable {
    public let errorEvent: AVMetricErrorEvent?
    public let recoverableErrorCount: Int
    public let mediaResourceRequestCount: Int
    public let bytesDownloadedCount: Int
    public let downloadDuration: TimeInterval
    public let variants: [AVAssetVariant]

    init(date: Date, error: NSError?, requests: Int, duration: TimeInterval, variants: [AVAssetVariant]) {
        errorEvent = error.map { AVMetricErrorEvent($0, date: date) }
        (recoverableErrorCount, mediaResourceRequestCount, bytesDownloadedCount) = (0, requests, 0)
        (downloadDuration, self.variants) = (duration, variants)
        super.init(date: date)
    }
}

@available(iOS 18, macOS 15, tvOS 18, visionOS 2, *)
open class AVMetricErrorEvent: AVMetricEvent, @unchecked Sendable {
    public let didRecover: Bool
    public let error: any Error

    init(_ error: NSError, date: Date) {
        (didRecover, self.error) = (false, error)
        super.init(date: date)
    }
}

/// The metrics of one type.
@available(iOS 18, macOS 15, tvOS 18, visionOS 2, *)
public struct AVMetrics<Event: AVMetricEvent>: AsyncSequence, Sendable {
    public typealias Element = Event
    let stream: @Sendable () -> AsyncStream<Event>

    public struct AsyncIterator: AsyncIteratorProtocol {
        var base: AsyncStream<Event>.Iterator
        public mutating func next() async throws -> Event? { await base.next() }
    }
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(base: stream().makeAsyncIterator()) }
}

/// The events of an item, for each reader from the beginning.
final class MetricLog: Sendable {
    private struct State {
        var events: [AVMetricEvent] = []
        var readers: [AsyncStream<AVMetricEvent>.Continuation] = []
    }
    private let state = Lock(State())

    func add(_ event: AVMetricEvent) {
        for reader in state.withLock({ state in
            state.events.append(event)
            return state.readers
        }) {
            reader.yield(event)
        }
    }

    func events<Event: AVMetricEvent>(of type: Event.Type) -> AsyncStream<Event> {
        let (all, continuation) = AsyncStream.makeStream(of: AVMetricEvent.self)
        for event in state.withLock({ state in
            state.readers.append(continuation)
            return state.events
        }) {
            continuation.yield(event)
        }
        return AsyncStream {
            for await event in all { if let event = event as? Event { return event } }
            return nil
        }
    }
}
