// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public import Foundation
public import FoundationNetworking
import Locking

@available(iOS 9, macOS 10.15, visionOS 1, *)
@available(tvOS, unavailable)
open class AVAssetDownloadURLSession: URLSession, @unchecked Sendable {
    private struct State {
        var tasks: [UInt64: AVAssetDownloadTask] = [:]
        var isInvalid = false
        var isInvalidTold = false
        var isDetached = false
        var hasFinishedEvents = false
    }
    let system = AppleSystem.current
    private let sessionState = Lock(State())
    private let bridge = DispatchQueue(label: "AVAssetDownloadURLSession")

    public convenience init(
        configuration: URLSessionConfiguration,
        assetDownloadDelegate delegate: (any AVAssetDownloadDelegate)?,
        delegateQueue: OperationQueue?
    ) {
        self.init(configuration: configuration, delegate: delegate, delegateQueue: delegateQueue)
        system.downloads.attach(self, system: system)
    }

    // MARK: Tasks

    @available(iOS 15, macOS 12, visionOS 1, *)
    open func makeAssetDownloadTask(downloadConfiguration: AVAssetDownloadConfiguration) -> AVAssetDownloadTask {
        let primary = downloadConfiguration.primaryContentConfiguration
        let all = [primary] + downloadConfiguration.auxiliaryContentConfigurations
        let qualifiers = primary.variantQualifiers
        return makeTask(
            downloadConfiguration.asset,
            title: downloadConfiguration.title,
            selections: all.flatMap(\.mediaSelections).map(\.selection),
            includesInterstitials: downloadConfiguration.includesInterstitials,
            qualifies: { variant in qualifiers.contains { $0.accepts(variant) } }
        )
    }

    @available(iOS, introduced: 10, deprecated: 27, message: "Use makeAssetDownloadTask(downloadConfiguration:)")
    @available(macOS, introduced: 10.15, deprecated: 27, message: "Use makeAssetDownloadTask(downloadConfiguration:)")
    @available(visionOS, introduced: 1, deprecated: 27, message: "Use makeAssetDownloadTask(downloadConfiguration:)")
    open func makeAssetDownloadTask(
        asset URLAsset: AVURLAsset,
        assetTitle title: String,
        assetArtworkData artworkData: Data?,
        options: [String: Any]? = nil
    ) -> AVAssetDownloadTask? {
        guard !sessionState.withLock({ $0.isInvalid }) else { return nil }
        let selection = options?["AVAssetDownloadTaskMediaSelectionKey"] as? AVMediaSelection
        return makeTask(URLAsset, title: title, selections: selection.map { [$0.selection] } ?? [])
    }

    /// Declared only: aggregate tasks have no behavior here.
    @available(iOS, introduced: 11, deprecated: 27, message: "Use makeAssetDownloadTask(downloadConfiguration:)")
    @available(macOS, introduced: 10.15, deprecated: 27, message: "Use makeAssetDownloadTask(downloadConfiguration:)")
    @available(visionOS, introduced: 1, deprecated: 27, message: "Use makeAssetDownloadTask(downloadConfiguration:)")
    open func aggregateAssetDownloadTask(
        with URLAsset: AVURLAsset,
        mediaSelections: [AVMediaSelection],
        assetTitle title: String,
        assetArtworkData artworkData: Data?,
        options: [String: Any]? = nil
    ) -> AVAggregateAssetDownloadTask? { nil }

    private func makeTask(
        _ asset: AVURLAsset,
        title: String,
        selections: [StreamContent.Selection],
        includesInterstitials: Bool = false,
        qualifies: @escaping @Sendable (StreamContent.Variant) -> Bool = { _ in false }
    ) -> AVAssetDownloadTask {
        let identifier = configuration.identifier
        let isUsable = identifier != nil && !sessionState.withLock { $0.isInvalid }
        // Rule 102.
        if !isUsable { system.raise(.invalidArgument, "the session was invalidated, or is not a background session") }
        // Rule 104: the asset begins to load, so it cannot become a recipient any more.
        asset.markLoaded()
        asset.configureCache()
        let allowsCellular = configuration.allowsCellularAccess
        let access = NetworkAccess(
            cellular: allowsCellular,
            expensive: configuration.allowsExpensiveNetworkAccess,
            constrained: configuration.allowsConstrainedNetworkAccess
        )
        let isDiscretionary = configuration.isDiscretionary
        // Rule 117: a task on a package adds to it. Its path stays when the container moves.
        let packagePath = asset.url.isFileURL ? system.downloads.path(of: asset.url) : nil
        let id = system.downloads.add { id, number in
            DownloadRecord(
                id: id,
                session: identifier ?? "",
                taskIdentifier: number,
                url: asset.url,
                title: title,
                selections: selections,
                qualifies: qualifies,
                includesInterstitials: includesInterstitials,
                isDiscretionary: isDiscretionary,
                access: [access, asset.networkAccess],
                phase: isUsable ? .suspended : .ended,
                path: packagePath
            )
        }
        let task = AVAssetDownloadTask(id, number: Int(id), asset: asset, service: system.downloads)
        if isUsable { sessionState.withLock { $0.tasks[id] = task } }
        return task
    }

    func task(_ id: UInt64) -> AVAssetDownloadTask? { sessionState.withLock { $0.tasks[id] } }

    /// Adds a task of an earlier process (rule 110).
    func add(_ record: DownloadRecord) {
        let url = system.downloads.currentURL(of: record)
        let asset = AppleSystem.$current.withValue(system) { AVURLAsset(url: url) }
        asset.configureCache()
        let task = AVAssetDownloadTask(
            record.id,
            number: record.taskIdentifier,
            asset: asset,
            service: system.downloads
        )
        sessionState.withLock { $0.tasks[record.id] = task }
    }

    private var openTasks: [AVAssetDownloadTask] {
        sessionState.withLock { state in state.tasks.sorted { $0.key < $1.key }.map(\.value) }
            .filter { $0.state != .completed }
    }

    open override func getAllTasks(completionHandler: @escaping @Sendable ([URLSessionTask]) -> Void) {
        let tasks = openTasks
        deliver { completionHandler(tasks) }
    }

    // MARK: The end of the session

    open override func finishTasksAndInvalidate() {
        sessionState.withLock { $0.isInvalid = true }
        if openTasks.isEmpty { becomeInvalid() }
    }

    open override func invalidateAndCancel() {
        sessionState.withLock { $0.isInvalid = true }
        for task in openTasks { task.cancel() }
        becomeInvalid()
    }

    private func becomeInvalid() {
        let isFirst = sessionState.withLock { state in
            defer { state.isInvalidTold = true }
            return !state.isInvalidTold
        }
        guard isFirst else { return }
        deliver { [self] in
            delegate?.urlSession(self, didBecomeInvalidWithError: nil)
            system.downloads.remove(self)
        }
    }

    // MARK: Delivery

    var hasFinishedEvents: Bool { sessionState.withLock { $0.hasFinishedEvents } }

    /// The process has ended: nothing is called any more.
    func detach() { sessionState.withLock { $0.isDetached = true } }

    /// Runs a call on the delegate's queue, later.
    private func deliver(_ call: @escaping @Sendable () -> Void) {
        system.deliver(on: bridge) { [self] in
            let operation = BlockOperation { [self] in
                guard !sessionState.withLock({ $0.isDetached }) else { return }
                AppleSystem.$current.withValue(system) { call() }
            }
            delegateQueue.addOperation(operation)
            operation.waitUntilFinished()
        }
    }

    func deliverEndOfEvents() {
        deliver { [self] in
            sessionState.withLock { $0.hasFinishedEvents = true }
            (delegate as? any AVAssetDownloadDelegate)?.urlSessionDidFinishEvents(forBackgroundURLSession: self)
        }
    }

    func deliver(_ event: DownloadEvent) {
        guard let task = task(event.task) else { return }
        deliver { [self] in
            guard let delegate = delegate as? any AVAssetDownloadDelegate else { return }
            call(delegate, task, event.kind)
        }
    }

    private func call(_ delegate: any AVAssetDownloadDelegate, _ task: AVAssetDownloadTask, _ kind: DownloadEvent.Kind)
    {
        switch kind {
        case .willDownload:
            guard let location = task.location else { return }
            delegate.urlSession(self, assetDownloadTask: task, willDownloadTo: location)
        case .variants(let variants):
            let variants = variants.map(AVAssetVariant.init)
            delegate.urlSession(self, assetDownloadTask: task, willDownloadVariants: variants)
        case .resolved(let selection):
            let selection = AVMediaSelection(selection, asset: task.urlAsset)
            delegate.urlSession(self, assetDownloadTask: task, didResolve: selection)
        case .loaded(let seconds, let total):
            task.update(seconds: seconds, total: total)
            let loaded = CMTimeRange(start: .zero, duration: CMTime(seconds: seconds, preferredTimescale: 600))
            delegate.urlSession(
                self,
                assetDownloadTask: task,
                didLoad: loaded,
                totalTimeRangesLoaded: [NSValue(timeRange: loaded)],
                timeRangeExpectedToLoad: CMTimeRange(
                    start: .zero,
                    duration: CMTime(seconds: total, preferredTimescale: 600)
                )
            )
        case .finishedLoading:
            guard let location = task.location else { return }
            delegate.urlSession(self, assetDownloadTask: task, didFinishDownloadingTo: location)
        case .summary(let error):
            guard #available(iOS 26, macOS 26, tvOS 26, visionOS 26, *) else { return }
            delegate.urlSession(self, assetDownloadTask: task, didReceive: task.summary(error))
        case .completed(let error):
            delegate.urlSession(self, task: task, didCompleteWithError: error)
            if sessionState.withLock({ $0.isInvalid }), openTasks.isEmpty { becomeInvalid() }
        }
    }
}

@available(iOS 11, macOS 10.15, visionOS 1, *)
@available(tvOS, unavailable)
open class AVAggregateAssetDownloadTask: URLSessionTask, @unchecked Sendable {
    public let urlAsset: AVURLAsset

    init(_ asset: AVURLAsset) {
        urlAsset = asset
        super.init()
    }
}

// Foundation on Linux lacks these.
extension URLSession {
    public var allTasks: [URLSessionTask] {
        get async { await withCheckedContinuation { result in getAllTasks { result.resume(returning: $0) } } }
    }
}

extension URLSessionConfiguration {
    // Foundation on Linux has this name, but marks it unavailable.
    public class func background(withIdentifier identifier: String) -> URLSessionConfiguration {
        let configuration = URLSessionConfiguration.default
        configuration.identifier = identifier
        return configuration
    }

    /// A flag that a copy of the configuration keeps too.
    private subscript(flag: String) -> Bool {
        get { connectionProxyDictionary?["AVFoundation.\(flag)"] as? Bool ?? true }
        set {
            connectionProxyDictionary = (connectionProxyDictionary ?? [:]).merging(["AVFoundation.\(flag)": newValue]) {
                $1
            }
        }
    }
    public var allowsExpensiveNetworkAccess: Bool {
        get { self["expensive"] }
        set { self["expensive"] = newValue }
    }
    public var allowsConstrainedNetworkAccess: Bool {
        get { self["constrained"] }
        set { self["constrained"] = newValue }
    }
    public var sessionSendsLaunchEvents: Bool {
        get { self["launch"] }
        set { self["launch"] = newValue }
    }
}
