// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public import Foundation
import Locking

public let AVPlayerItemFailedToPlayToEndTimeErrorKey = "AVPlayerItemFailedToPlayToEndTimeErrorKey"

@MainActor open class AVPlayerItem: NSObject {
    public enum Status: Int, Sendable { case unknown, readyToPlay, failed }

    public static nonisolated let didPlayToEndTimeNotification = Notification.Name(
        "AVPlayerItemDidPlayToEndTimeNotification"
    )
    public static nonisolated let failedToPlayToEndTimeNotification = Notification.Name(
        "AVPlayerItemFailedToPlayToEndTimeNotification"
    )

    nonisolated let engine: PlaybackEngine
    public nonisolated let asset: AVAsset

    public nonisolated init(asset: AVAsset, automaticallyLoadedAssetKeys: [String]?) {
        self.asset = asset
        engine = PlaybackEngine(asset)
        super.init()
        engine.item.object = self
    }
    public nonisolated convenience init(asset: AVAsset) { self.init(asset: asset, automaticallyLoadedAssetKeys: nil) }
    public nonisolated convenience init(url URL: URL) { self.init(asset: AVURLAsset(url: URL)) }

    open var status: Status {
        switch engine.state.withLock({ $0.status }) {
        case .unknown: .unknown
        case .ready: .readyToPlay
        case .failed: .failed
        }
    }
    /// The error with domain and code of the failed key or load (rule 20).
    open var error: (any Error)? { engine.state.withLock { $0.error } }
    open func errorLog() -> AVPlayerItemErrorLog? {
        let errors = engine.state.withLock { $0.errors }
        return errors.isEmpty ? nil : AVPlayerItemErrorLog(errors, date: engine.system.clock.date)
    }
    open func currentTime() -> CMTime { engine.currentTime }
    open var duration: CMTime {
        guard let content = engine.state.withLock({ $0.content?.content }) else { return .indefinite }
        return content.duration.map { CMTime(seconds: $0, preferredTimescale: 600) } ?? .indefinite
    }
    open var isPlaybackLikelyToKeepUp: Bool { engine.state.withLock { $0.runningSince != nil } }
    open func select(_ mediaSelectionOption: AVMediaSelectionOption?, in mediaSelectionGroup: AVMediaSelectionGroup) {
        engine.select(mediaSelectionOption?.rendition, kind: mediaSelectionGroup.kind)
    }
    open var currentMediaSelection: AVMediaSelection {
        AVMediaSelection(engine.state.withLock { $0.selection }, asset: asset)
    }
    @available(iOS 18, macOS 15, tvOS 18, visionOS 2, *)
    public nonisolated func metrics<Event: AVMetricEvent>(forType metricType: Event.Type) -> AVMetrics<Event> {
        AVMetrics { [log = engine.metrics] in log.events(of: metricType) }
    }
}

extension PlaybackEngine {
    var currentTime: CMTime {
        let now = system.clock.now
        let seconds = state.withLock { state in
            guard let since = state.runningSince, state.interstitial == nil else { return state.position }
            return min(
                state.position + since.duration(to: now) / .seconds(1),
                state.content?.content.duration ?? .infinity
            )
        }
        return CMTime(seconds: seconds, preferredTimescale: 600)
    }
}

open class AVPlayerItemErrorLog: NSObject, @unchecked Sendable {
    public let events: [AVPlayerItemErrorLogEvent]
    init(_ errors: [NSError], date: Date) { events = errors.map { AVPlayerItemErrorLogEvent($0, date: date) } }
}

open class AVPlayerItemErrorLogEvent: NSObject, @unchecked Sendable {
    public let date: Date?
    public let errorStatusCode: Int
    public let errorDomain: String
    public let errorComment: String?

    init(_ error: NSError, date: Date) {
        (self.date, errorStatusCode, errorDomain, errorComment) = (date, error.code, error.domain, nil)
    }
}

@MainActor open class AVPlayer: NSObject {
    public enum Status: Int, Sendable { case unknown, readyToPlay, failed }
    public enum TimeControlStatus: Int, Sendable { case paused, waitingToPlayAtSpecifiedRate, playing }

    open private(set) var currentItem: AVPlayerItem?
    private var wantsToPlay = false

    public override init() { super.init() }
    public init(playerItem item: AVPlayerItem?) {
        super.init()
        replaceCurrentItem(with: item)
    }
    public convenience init(url URL: URL) { self.init(playerItem: AVPlayerItem(url: URL)) }

    open var status: Status { .readyToPlay }
    open var error: (any Error)? { nil }

    open var allowsExternalPlayback = true {
        didSet { currentItem?.engine.setExternal(allows: allowsExternalPlayback) }
    }
    @available(iOS 6, tvOS 9, *)
    @available(macOS, unavailable)
    open var usesExternalPlaybackWhileExternalScreenIsActive: Bool {
        get { usesExternalOnScreen }
        set { usesExternalOnScreen = newValue }
    }
    private var usesExternalOnScreen = false {
        didSet { currentItem?.engine.setExternal(usesOnScreen: usesExternalOnScreen) }
    }
    open var isExternalPlaybackActive: Bool { currentItem?.engine.state.withLock { $0.isExternal } ?? false }
    /// Rule 84: the output is not protected as the key requires.
    open var isOutputObscuredDueToInsufficientExternalProtection: Bool {
        currentItem?.engine.state.withLock { state in
            state.keys.values.contains { key in
                if case .fairPlay(let key) = key { return !key.isOutputSufficient }
                return false
            }
        } ?? false
    }

    open func play() {
        wantsToPlay = true
        currentItem?.engine.play()
    }
    open func pause() {
        wantsToPlay = false
        currentItem?.engine.pause()
    }
    open var rate: Float {
        get { wantsToPlay ? 1 : 0 }
        set { newValue == 0 ? pause() : play() }
    }
    open var timeControlStatus: TimeControlStatus {
        guard wantsToPlay, let engine = currentItem?.engine else { return .paused }
        let (isRunning, hasStopped) = engine.state.withLock { ($0.runningSince != nil, $0.hasEnded || $0.error != nil) }
        if hasStopped { return .paused }
        return isRunning ? .playing : .waitingToPlayAtSpecifiedRate
    }
    open func currentTime() -> CMTime { currentItem?.currentTime() ?? .zero }

    open func replaceCurrentItem(with item: AVPlayerItem?) {
        guard item !== currentItem else { return }
        currentItem?.engine.detach()
        currentItem = item
        guard let engine = item?.engine else { return }
        engine.setExternal(allows: allowsExternalPlayback, usesOnScreen: usesExternalOnScreen)
        engine.load()
        if wantsToPlay { engine.play() }
    }
}
