#if canImport(AVFoundation)
public import AVFoundation
import ContentKeySession

/// A key request of a player item, as AVFoundation measured it.
public struct ContentKeyMetric: Sendable, Hashable {
    /// The time of the request.
    public let date: Date
    /// The URI of the EXT-X-KEY tag; nil if AVFoundation does not report it as text.
    public let identifier: String?
    /// True if the app requested the key, for example by preloading; false if playback needed it.
    public let isClientInitiated: Bool
}

@available(iOS 18, macOS 15, tvOS 18, visionOS 2, *)
extension AVPlayerItem {
    /// The key requests of this item, from its beginning. The sequence ends with the item.
    public nonisolated func contentKeyMetrics() -> AsyncStream<ContentKeyMetric> {
        let metrics = PlatformObject(metrics(forType: AVMetricContentKeyRequestEvent.self))
        let (stream, continuation) = AsyncStream.makeStream(of: ContentKeyMetric.self)
        let task = Task {
            // An error ends the metrics of the item, and nothing else.
            var events = metrics.object.makeAsyncIterator()
            while let event = try? await events.next() {
                continuation.yield(
                    ContentKeyMetric(
                        date: event.date,
                        identifier: text(ofIdentifier: event.contentKeySpecifier.identifier),
                        isClientInitiated: event.isClientInitiated
                    )
                )
            }
            continuation.finish()
        }
        continuation.onTermination = { _ in task.cancel() }
        return stream
    }
}
#endif
