#if canImport(AVFoundation) && !os(tvOS) && !os(watchOS)
public import AVFoundation
public import ContentKeySession
import Locking

/// The named downloads of an app, with an AVAssetDownloadURLSession, whose tasks continue when the app is not running.
///
/// Create it at every launch of the app, with the same identifier: it then reports the downloads that continued.
public final class AssetDownloads: Sendable {
    /// An event of a download.
    public enum Event: Sendable {
        /// The download will be stored at this location. Store ``AssetDownloads/relativePath(of:)`` of it: the app's
        /// container moves, and the download itself must not be moved.
        case willDownload(name: String, to: URL)
        /// The download has finished.
        case didFinish(name: String)
        /// The download failed, with the domain and code of AVFoundation's error. It can be started again.
        case didFail(name: String, domain: String, code: Int)
        /// All events that occurred while the app was not running have been reported. Now call the completion handler
        /// that `UIApplicationDelegate` received.
        case didFinishBackgroundEvents
    }

    private let delegate: DownloadDelegate
    private let session: AVAssetDownloadURLSession

    /// Creates the download session.
    ///
    /// - Parameter identifier: The identifier of the background session, the same at each launch.
    public init(identifier: String) {
        delegate = DownloadDelegate()
        session = AVAssetDownloadURLSession(
            configuration: .background(withIdentifier: identifier),
            assetDownloadDelegate: delegate,
            delegateQueue: nil
        )
    }

    /// The events. Each access starts a new sequence.
    public var events: AsyncStream<Event> { delegate.broadcast.sequence() }

    /// Starts a download after its keys have been loaded, because a download without keys cannot be played.
    ///
    /// - Parameters:
    ///   - asset: The asset to download. This method adds it to the key session, so it must not have started to load.
    ///   - name: The name that identifies the download, also after the next launch of the app.
    ///   - title: The title in the system's settings, where users can delete downloads.
    ///   - keys: The key identifiers, from the app's own service.
    ///   - session: The content key session, which stores the keys.
    ///   - loader: The key loader that answers the session's requests.
    ///   - configure: A function that selects qualities and languages.
    /// - Throws: The error of a key; then nothing is downloaded.
    public func start(
        _ asset: AVURLAsset,
        name: String,
        title: String,
        keys: [String],
        session keySession: PlatformContentKeySession,
        loader: KeyLoader,
        configure: (AVAssetDownloadConfiguration) -> Void = { _ in }
    ) async throws(ContentKeyError) {
        try await keySession.load(keys, by: loader)
        keySession.platform.addContentKeyRecipient(asset)
        begin(asset, name: name, title: title, configure: configure)
    }

    /// Starts a download whose keys are loaded in another way, for example by ``ResourceLoaderDelegate``.
    public func begin(
        _ asset: AVURLAsset,
        name: String,
        title: String,
        configure: (AVAssetDownloadConfiguration) -> Void = { _ in }
    ) {
        let configuration = AVAssetDownloadConfiguration(asset: asset, title: title)
        configure(configuration)
        let task = session.makeAssetDownloadTask(downloadConfiguration: configuration)
        task.taskDescription = name
        task.resume()
    }

    /// The progress of the unfinished downloads by name, from 0 to 1.
    public var progress: [String: Double] {
        get async {
            var progress: [String: Double] = [:]
            for task in await tasks() {
                if let name = task.taskDescription { progress[name] = task.progress.fractionCompleted }
            }
            return progress
        }
    }

    /// Pauses a download.
    public func pause(_ name: String) async { for task in await tasks(name) { task.suspend() } }
    /// Resumes a download.
    public func resume(_ name: String) async { for task in await tasks(name) { task.resume() } }
    /// Cancels a download. ``Event/didFail(name:domain:code:)`` follows.
    public func cancel(_ name: String) async { for task in await tasks(name) { task.cancel() } }

    private func tasks(_ name: String? = nil) async -> [URLSessionTask] {
        await withCheckedContinuation { continuation in
            session.getAllTasks { tasks in
                continuation.resume(returning: tasks.filter { name == nil || $0.taskDescription == name })
            }
        }
    }

    /// Returns the path of a download's location to store.
    public static func relativePath(of location: URL) -> String { location.relativePath }

    /// Returns the current location of a download from a stored path.
    public static func location(ofRelativePath path: String) -> URL {
        URL(fileURLWithPath: NSHomeDirectory()).appendingPathComponent(path)
    }
}

/// The delegate that records the events of the session. Its only property is constant and Sendable, which the compiler
/// cannot see through NSObject.
private final class DownloadDelegate: NSObject, AVAssetDownloadDelegate, @unchecked Sendable {
    let broadcast = Broadcast<AssetDownloads.Event>()

    func urlSession(_ session: URLSession, assetDownloadTask: AVAssetDownloadTask, willDownloadTo location: URL) {
        guard let name = assetDownloadTask.taskDescription else { return }
        broadcast.add(.willDownload(name: name, to: location))
    }

    /// iOS before 18 and macOS before 14 report the location only at the end.
    func urlSession(_ session: URLSession, assetDownloadTask: AVAssetDownloadTask, didFinishDownloadingTo location: URL)
    {
        if #available(iOS 18, macOS 14, visionOS 1, *) { return }
        guard let name = assetDownloadTask.taskDescription else { return }
        broadcast.add(.willDownload(name: name, to: location))
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        guard let name = task.taskDescription else { return }
        if let error = error as NSError? {
            broadcast.add(.didFail(name: name, domain: error.domain, code: error.code))
        } else {
            broadcast.add(.didFinish(name: name))
        }
    }

    func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) {
        broadcast.add(.didFinishBackgroundEvents)
    }
}
#endif
