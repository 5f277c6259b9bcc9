#if canImport(AVFoundation) && !os(tvOS) && !os(watchOS)
public import AVFoundation
public import ContentKeySession
public import HLSPlaylist
import Locking

/// The named downloads of an app, with an AVAssetDownloadURLSession, whose tasks continue when the app is not running.
///
/// Create it at every launch of the app, with the same identifier: it then receives the events of downloads that
/// continued. It writes the state of each download to a file when the event arrives, because the app may be ended at
/// any time, and AVFoundation does not repeat events.
public final class AssetDownloads: Sendable {
    /// An event of a download. Events that arrive before the first sequence are kept for it, except the progress.
    public enum Event: Sendable {
        /// The location of the download is known and stored.
        case willDownload(name: String)
        /// More of the media was loaded; the fraction is 0 to 1. Occurs as often as the system reports it.
        case didProgress(name: String, fraction: Double)
        /// The download has finished.
        case didFinish(name: String)
        /// The download failed. It can be started again.
        case didFail(name: String, ContentKeyError)
        /// The download was cancelled, by the app, in the system's settings or in the Live Activity, or because the
        /// viewer ended the app. Its partial media was deleted. `keys` are the identifiers of its stored keys.
        case didCancel(name: String, keys: [String])
        /// The state of the download could not be written to the file of the records. It is kept in memory and written
        /// with the next change of any download; it is lost if the app ends before. The event precedes the one that
        /// changed the state.
        case didNotRecord(name: String, AssetDownloadError)
        /// A key of a cancelled download was not invalidated, or the server did not receive the proof. The event follows
        /// ``didCancel(name:keys:)``.
        case didNotInvalidateKey(name: String, AssetDownloadError)
        /// All events that occurred while the app was not running have been reported.
        case didFinishBackgroundEvents
    }

    /// The settings of the downloads.
    public struct Settings: Sendable {
        /// The app's home directory, to which stored paths are relative: it changes between launches.
        public var homeDirectory = URL(fileURLWithPath: NSHomeDirectory())
        /// True if the keys of a cancelled or deleted download are invalidated, and the server receives the proof.
        public var invalidatesKeys = true
        /// Called with the selection of languages of a download when AVFoundation has resolved it, on AVFoundation's
        /// queue. Select the same options when you play the download.
        public var didResolve: @Sendable (_ name: String, AVMediaSelection) -> Void = { _, _ in }

        /// Creates settings.
        public init() {}
    }

    private let identifier: String
    private let delegate: DownloadDelegate
    private let session: AVAssetDownloadURLSession
    private let keys: PlatformPersistentKeys?
    private let settings: Settings
    /// The sessions that provide the keys of running downloads, by name.
    private let playbacks = Lock<[String: Task<Void, Never>]>([:])

    /// Creates the download session.
    ///
    /// - Parameters:
    ///   - identifier: The identifier of the background session, the same at each launch.
    ///   - records: The file in which the downloads are recorded. Its folder is created.
    ///   - keys: The persistent keys of the app; nil if its downloads have no FairPlay keys.
    ///   - settings: The settings.
    /// - Throws: ``AssetDownloadError/identifierInUse``; ``AssetDownloadError/unreadableRecords``.
    public init(
        identifier: String,
        records: URL,
        keys: PlatformPersistentKeys?,
        settings: Settings = Settings()
    ) throws(AssetDownloadError) {
        let events = KeptBroadcast<Event>()
        let records = try DownloadRecords(records, home: settings.homeDirectory, events: events)
        guard BackgroundSessions.shared.open(identifier) else { throw .identifierInUse }
        (self.identifier, self.keys, self.settings) = (identifier, keys, settings)
        delegate = DownloadDelegate(identifier, records, events, settings)
        let configuration = URLSessionConfiguration.background(withIdentifier: identifier)
        session = AVAssetDownloadURLSession(
            configuration: configuration,
            assetDownloadDelegate: delegate,
            delegateQueue: nil
        )
        delegate.attach(to: self)
    }

    deinit {
        for task in playbacks.withLock({ $0.values.map(\.self) }) { task.cancel() }
        session.finishTasksAndInvalidate()
        delegate.events.finish()
        BackgroundSessions.shared.close(identifier)
    }

    /// Passes on the completion handler that `UIApplicationDelegate` receives with `handleEventsForBackgroundURLSession`.
    /// It is called once, on the main queue, when all events have been reported.
    public static func handleEvents(
        forBackgroundURLSession identifier: String,
        completionHandler: @escaping @MainActor @Sendable () -> Void
    ) { BackgroundSessions.shared.handle(identifier, completionHandler) }

    /// The events. Each access starts a new sequence; the first begins with the events that have arrived before.
    public var events: AsyncStream<Event> { delegate.events.sequence() }

    // MARK: Starting

    /// Acquires the keys of a title, and then starts its download, because a download without keys cannot be played.
    ///
    /// - Parameters:
    ///   - asset: The asset to download. This method adds it to a key session, so it must not have started to load.
    ///   - name: The name that identifies the download, also after the next launch of the app.
    ///   - title: The title in the system's settings, where viewers can delete downloads.
    ///   - identifiers: The key identifiers (the URIs of EXT-X-KEY), from the app's own service.
    ///   - tags: The tags that declare the keys, if the app has the playlist, as for
    ///     ``PlatformPersistentKeys/acquire(_:declaredBy:)``.
    ///   - configure: A function that selects qualities and languages. The keys of each language must be in
    ///     `identifiers`.
    /// - Throws: The error of a key; then nothing is downloaded.
    public func start(
        _ asset: AVURLAsset,
        name: String,
        title: String,
        keys identifiers: [String],
        declaredBy tags: [KeyTag] = [],
        configure: (AVAssetDownloadConfiguration) -> Void = { _ in }
    ) async throws(ContentKeyError) {
        guard let keys else {
            throw ContentKeyError(.notPersistable, .session, reason: "AssetDownloads was created without keys")
        }
        try await keys.acquire(identifiers, declaredBy: tags)
        // While the app runs, the download requests its keys like playback.
        let playback = keys.makePlayback()
        playback.session.platform.addContentKeyRecipient(asset)
        let running = Task { await playback.run() }
        playbacks.withLock { $0.updateValue(running, forKey: name) }?.cancel()
        begin(asset, name: name, title: title, keys: identifiers, configure: configure)
    }

    /// Starts a download whose keys are loaded in another way, for example by ``ResourceLoaderDelegate``.
    public func begin(
        _ asset: AVURLAsset,
        name: String,
        title: String,
        keys identifiers: [String] = [],
        configure: (AVAssetDownloadConfiguration) -> Void = { _ in }
    ) {
        let configuration = AVAssetDownloadConfiguration(asset: asset, title: title)
        configure(configuration)
        // Recorded first: the app may be ended as soon as the task runs.
        delegate.records.change(name) { old in
            DownloadRecord(
                title: title,
                keys: (old?.keys ?? []) + identifiers.filter { !(old?.keys ?? []).contains($0) },
                relativePath: old?.relativePath,
                state: .downloading
            )
        }
        let task = session.makeAssetDownloadTask(downloadConfiguration: configuration)
        task.taskDescription = name
        task.resume()
    }

    /// Adds languages to a finished download, after their keys have been acquired.
    ///
    /// - Throws: The error of a key; ``ContentKeyError/Code/notPersistable`` if there is no such download.
    public func add(
        to name: String,
        keys identifiers: [String],
        declaredBy tags: [KeyTag] = [],
        configure: (AVAssetDownloadConfiguration) -> Void
    ) async throws(ContentKeyError) {
        guard let record = delegate.records.all[name], let location = delegate.records.location(of: name) else {
            throw ContentKeyError(.notPersistable, .session, reason: "there is no download named \(name)")
        }
        try await start(
            AVURLAsset(url: location),
            name: name,
            title: record.title,
            keys: identifiers,
            declaredBy: tags,
            configure: configure
        )
    }

    // MARK: State

    /// The downloads by name.
    public var downloads: [String: DownloadedAsset] {
        get async {
            var progress: [String: Double] = [:]
            for task in await tasks() {
                if let name = task.taskDescription { progress[name] = task.progress.fractionCompleted }
            }
            return delegate.records.downloads(progress)
        }
    }

    /// Returns the asset of a finished download; nil if it has not finished, or if its media is missing.
    public func asset(of name: String) -> AVURLAsset? {
        guard case .finished(let location) = delegate.records.downloads([:])[name]?.state else { return nil }
        return AVURLAsset(url: location)
    }

    // MARK: Controlling

    /// Pauses a download.
    public func pause(_ name: String) async { for task in await tasks(name) { task.suspend() } }
    /// Resumes a download.
    public func resume(_ name: String) async { for task in await tasks(name) { task.resume() } }
    /// Cancels a download. ``Event/didCancel(name:keys:)`` follows.
    public func cancel(_ name: String) async { for task in await tasks(name) { task.cancel() } }

    /// Deletes a download: its media, its stored keys and its record.
    ///
    /// - Parameters:
    ///   - name: The name of the download.
    ///   - invalidatesKeys: True if the keys are invalidated with a proof for the server; false if they are only deleted,
    ///     for example to free space without a network; nil for ``Settings/invalidatesKeys``.
    /// - Throws: The error of the first key that could not be invalidated, because the server or the device refused or
    ///   there is no network; then the download is unchanged.
    public func delete(_ name: String, invalidatesKeys: Bool? = nil) async throws {
        for task in await tasks(name) { task.cancel() }
        if let record = delegate.records.all[name] {
            try await release(record.keys, invalidates: invalidatesKeys ?? settings.invalidatesKeys)
        }
        try delegate.records.remove(name)
    }

    private func release(_ identifiers: [String], invalidates: Bool) async throws {
        guard let keys else { return }
        for identifier in identifiers where await keys.store.key(for: identifier) != nil {
            if invalidates {
                try await keys.invalidate(identifier)
            } else {
                try await keys.delete([identifier])
            }
        }
    }

    /// Called when a task has ended.
    fileprivate func ended(_ name: String, releasing identifiers: [String]) {
        playbacks.withLock { $0.removeValue(forKey: name) }?.cancel()
        guard !identifiers.isEmpty else { return }
        Task {
            for identifier in identifiers {
                do { try await release([identifier], invalidates: true) } catch {
                    let failure = AssetDownloadError.keyNotInvalidated(identifier: identifier, reason: "\(error)")
                    delegate.events.add(.didNotInvalidateKey(name: name, failure))
                }
            }
        }
    }

    private func tasks(_ name: String? = nil) async -> [URLSessionTask] {
        await withCheckedContinuation { continuation in
            session.getAllTasks { tasks in
                continuation.resume(returning: tasks.filter { name == nil || $0.taskDescription == name })
            }
        }
    }
}

/// The delegate that records the events of the session. Its properties are constant and Sendable, which the compiler
/// cannot see through NSObject.
private final class DownloadDelegate: NSObject, AVAssetDownloadDelegate, @unchecked Sendable {
    let records: DownloadRecords
    let events: KeptBroadcast<AssetDownloads.Event>
    private let identifier: String
    private let settings: AssetDownloads.Settings
    private let owner = Lock(Owner())

    private struct Owner {
        weak var downloads: AssetDownloads?
    }

    init(
        _ identifier: String,
        _ records: DownloadRecords,
        _ events: KeptBroadcast<AssetDownloads.Event>,
        _ settings: AssetDownloads.Settings
    ) {
        (self.identifier, self.records, self.events, self.settings) = (identifier, records, events, settings)
    }

    func attach(to downloads: AssetDownloads) { owner.withLock { [weak downloads] in $0.downloads = downloads } }

    func urlSession(_ session: URLSession, assetDownloadTask: AVAssetDownloadTask, willDownloadTo location: URL) {
        note(location, of: assetDownloadTask)
    }

    /// iOS before 18 and macOS before 14 report the location only at the end.
    func urlSession(_ session: URLSession, assetDownloadTask: AVAssetDownloadTask, didFinishDownloadingTo location: URL)
    {
        guard let name = assetDownloadTask.taskDescription, records.location(of: name) == nil else { return }
        note(location, of: assetDownloadTask)
    }

    func urlSession(
        _ session: URLSession,
        assetDownloadTask: AVAssetDownloadTask,
        didResolve resolvedMediaSelection: AVMediaSelection
    ) {
        guard let name = assetDownloadTask.taskDescription else { return }
        settings.didResolve(name, resolvedMediaSelection)
    }

    func urlSession(
        _ session: URLSession,
        assetDownloadTask: AVAssetDownloadTask,
        didLoad timeRange: CMTimeRange,
        totalTimeRangesLoaded loadedTimeRanges: [NSValue],
        timeRangeExpectedToLoad: CMTimeRange
    ) {
        guard let name = assetDownloadTask.taskDescription else { return }
        let loaded = loadedTimeRanges.reduce(0) { $0 + $1.timeRangeValue.duration.seconds }
        let fraction = loaded / timeRangeExpectedToLoad.duration.seconds
        // The expected duration can be zero or indefinite at first.
        guard fraction.isFinite else { return }
        events.add(.didProgress(name: name, fraction: min(max(fraction, 0), 1)), isKept: false)
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        guard let name = task.taskDescription else { return }
        let downloads = owner.withLock { $0.downloads }
        guard let error = error as NSError? else {
            records.change(name) { old in old.map { $0.with(.finished) } }
            downloads?.ended(name, releasing: [])
            return events.add(.didFinish(name: name))
        }
        guard Self.isCancellation(error) else {
            let failure = ContentKeyError(platform: error, .session)
            records.change(name) { old in old.map { $0.with(.failed(failure.description)) } }
            downloads?.ended(name, releasing: [])
            return events.add(.didFail(name: name, failure))
        }
        let keys = records.all[name]?.keys ?? []
        try? records.remove(name)
        events.add(.didCancel(name: name, keys: keys))
        downloads?.ended(name, releasing: settings.invalidatesKeys ? keys : [])
    }

    func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) {
        events.add(.didFinishBackgroundEvents)
        BackgroundSessions.shared.didFinishEvents(identifier)
    }

    private func note(_ location: URL, of task: AVAssetDownloadTask) {
        guard let name = task.taskDescription else { return }
        records.change(name) { old in
            var record = old ?? DownloadRecord(title: name, keys: [], relativePath: nil, state: .downloading)
            record.relativePath = records.relativePath(of: location)
            return record
        }
        events.add(.willDownload(name: name))
    }

    /// Cancelled by the app, by the viewer who ended the app, or in the Live Activity.
    private static func isCancellation(_ error: NSError) -> Bool {
        (error.domain == NSURLErrorDomain && error.code == NSURLErrorCancelled)
            || (error.domain == NSCocoaErrorDomain && error.code == 3072)
    }
}

/// The background sessions of this process, and the completion handlers that the system passed to the app.
private final class BackgroundSessions: Sendable {
    static let shared = BackgroundSessions()

    private struct State {
        var open: Set<String> = []
        var handlers: [String: @MainActor @Sendable () -> Void] = [:]
    }
    private let state = Lock(State())

    /// Two sessions with the same identifier in a process are not supported by URLSession.
    func open(_ identifier: String) -> Bool { state.withLock { $0.open.insert(identifier).inserted } }
    func close(_ identifier: String) { state.withLock { _ = $0.open.remove(identifier) } }

    func handle(_ identifier: String, _ handler: @escaping @MainActor @Sendable () -> Void) {
        state.withLock { $0.handlers[identifier] = handler }
    }

    func didFinishEvents(_ identifier: String) {
        guard let handler = state.withLock({ $0.handlers.removeValue(forKey: identifier) }) else { return }
        DispatchQueue.main.async { handler() }
    }
}
#endif
