// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public import Foundation
public import FoundationNetworking
import Locking

@available(iOS, introduced: 9, deprecated: 27)
@available(macOS, introduced: 10.15, deprecated: 27)
@available(visionOS, introduced: 1, deprecated: 27)
@available(tvOS, unavailable)
public let AVAssetDownloadTaskMediaSelectionKey = "AVAssetDownloadTaskMediaSelectionKey"
@available(iOS, introduced: 9, deprecated: 27)
@available(macOS, introduced: 10.15, deprecated: 27)
@available(visionOS, introduced: 1, deprecated: 27)
@available(tvOS, unavailable)
public let AVAssetDownloadTaskMinimumRequiredMediaBitrateKey = "AVAssetDownloadTaskMinimumRequiredMediaBitrateKey"

@available(iOS 9, macOS 10.15, visionOS 1, *)
@available(tvOS, unavailable)
open class AVAssetDownloadTask: URLSessionTask, @unchecked Sendable {
    public let urlAsset: AVURLAsset
    let id: UInt64
    private let service: DownloadService
    private let number: Int
    // Progress synchronizes itself.
    private let loading = Progress(totalUnitCount: 100)

    init(_ id: UInt64, number: Int, asset: AVURLAsset, service: DownloadService) {
        (self.id, self.number, urlAsset, self.service) = (id, number, asset, service)
        super.init()
        update(seconds: service.record(id)?.fraction ?? 0, total: 1)
    }

    open override var taskIdentifier: Int { number }
    open override var taskDescription: String? {
        get { service.record(id)?.description }
        set { service.update(id) { $0.description = newValue } }
    }
    open override var progress: Progress { loading }
    open override var error: (any Error)? { service.record(id)?.error }
    open override var state: URLSessionTask.State {
        switch service.record(id)?.phase {
        case .suspended: .suspended
        case .running: .running
        case .canceling: .canceling
        case .ended, nil: .completed
        }
    }
    open override func resume() { service.resume(id) }
    open override func suspend() { service.suspend(id) }
    open override func cancel() { service.cancel(id) }

    @available(*, unavailable)
    open override var originalRequest: URLRequest? { nil }
    @available(*, unavailable)
    open override var currentRequest: URLRequest? { nil }
    @available(*, unavailable)
    open override var response: URLResponse? { nil }

    @available(iOS, introduced: 10, deprecated: 27, message: "Use progress")
    @available(macOS, introduced: 10.15, deprecated: 27, message: "Use progress")
    @available(visionOS, introduced: 1, deprecated: 27, message: "Use progress")
    open var loadedTimeRanges: [NSValue] {
        guard let record = service.record(id), let total = record.content?.duration, record.fraction > 0 else {
            return []
        }
        let loaded = CMTime(seconds: total * record.fraction, preferredTimescale: 600)
        return [NSValue(timeRange: CMTimeRange(start: .zero, duration: loaded))]
    }

    /// The location of the package in the container of this process.
    var location: URL? { service.record(id)?.path.map(service.location) }

    func update(seconds: Double, total: Double) {
        loading.completedUnitCount = total > 0 ? Int64((seconds / total * 100).rounded()) : 0
    }

    @available(iOS 26, macOS 26, tvOS 26, visionOS 26, *)
    func summary(_ error: NSError?) -> AVMetricDownloadSummaryEvent {
        let record = service.record(id)
        let now = urlAsset.system.clock.now
        return AVMetricDownloadSummaryEvent(
            date: now.date,
            error: error,
            requests: Int((record?.fraction ?? 0) * 4),
            duration: record?.startedAt.map { $0.duration(to: now) / .seconds(1) } ?? 0,
            variants: record?.variant.map { [AVAssetVariant($0)] } ?? []
        )
    }
}

@available(iOS 9, macOS 10.15, visionOS 1, *)
@available(tvOS, unavailable)
public protocol AVAssetDownloadDelegate: URLSessionTaskDelegate {
    @available(iOS 18, macOS 14, visionOS 1, *)
    func urlSession(_ session: URLSession, assetDownloadTask: AVAssetDownloadTask, willDownloadTo location: URL)
    func urlSession(_ session: URLSession, assetDownloadTask: AVAssetDownloadTask, didFinishDownloadingTo location: URL)
    func urlSession(
        _ session: URLSession,
        assetDownloadTask: AVAssetDownloadTask,
        didLoad timeRange: CMTimeRange,
        totalTimeRangesLoaded loadedTimeRanges: [NSValue],
        timeRangeExpectedToLoad: CMTimeRange
    )
    func urlSession(
        _ session: URLSession,
        assetDownloadTask: AVAssetDownloadTask,
        didResolve resolvedMediaSelection: AVMediaSelection
    )
    @available(iOS 15, macOS 12, visionOS 1, *)
    func urlSession(
        _ session: URLSession,
        assetDownloadTask: AVAssetDownloadTask,
        willDownloadVariants variants: [AVAssetVariant]
    )
    @available(iOS 26, macOS 26, visionOS 26, *)
    func urlSession(
        _ session: URLSession,
        assetDownloadTask: AVAssetDownloadTask,
        didReceive metricEvent: AVMetricEvent
    )
    // Inherited on Apple's systems; Foundation on Linux lacks it.
    func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession)
}

// The methods are optional in Objective-C. Those that the adapter implements are required where the names are checked.
#if !ALL_METHODS_REQUIRED
@available(tvOS, unavailable)
extension AVAssetDownloadDelegate {
    @available(iOS 18, macOS 14, visionOS 1, *)
    public func urlSession(
        _ session: URLSession,
        assetDownloadTask: AVAssetDownloadTask,
        willDownloadTo location: URL
    ) {}
    public func urlSession(
        _ session: URLSession,
        assetDownloadTask: AVAssetDownloadTask,
        didFinishDownloadingTo location: URL
    ) {}
    public func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) {}
}
#endif
@available(tvOS, unavailable)
extension AVAssetDownloadDelegate {
    public func urlSession(
        _ session: URLSession,
        assetDownloadTask: AVAssetDownloadTask,
        didLoad timeRange: CMTimeRange,
        totalTimeRangesLoaded loadedTimeRanges: [NSValue],
        timeRangeExpectedToLoad: CMTimeRange
    ) {}
    public func urlSession(
        _ session: URLSession,
        assetDownloadTask: AVAssetDownloadTask,
        didResolve resolvedMediaSelection: AVMediaSelection
    ) {}
    @available(iOS 15, macOS 12, visionOS 1, *)
    public func urlSession(
        _ session: URLSession,
        assetDownloadTask: AVAssetDownloadTask,
        willDownloadVariants variants: [AVAssetVariant]
    ) {}
    @available(iOS 26, macOS 26, visionOS 26, *)
    public func urlSession(
        _ session: URLSession,
        assetDownloadTask: AVAssetDownloadTask,
        didReceive metricEvent: AVMetricEvent
    ) {}
}
