#if canImport(AVFoundation) && !os(tvOS) && !os(watchOS)
public import AVFoundation
public import ContentKeySession
import Locking

/// Downloads of an app, each by a name of its own: AVAssetDownloadURLSession, whose tasks outlive the app.
///
/// Make it at every start of the app, with the same identifier: downloads that went on meanwhile are told of then.
public final class AssetDownloads: Sendable {
    /// What happens to a download.
    public enum Event: Sendable {
        /// It will lie here. Note ``AssetDownloads/relativePath(of:)``: the folder of an app moves, and the download must
        /// not be moved.
        case willDownload(name: String, to: URL)
        /// It is there.
        case didFinish(name: String)
        /// It is not, and why: AVFoundation's domain and number. It may be begun again.
        case didFail(name: String, domain: String, code: Int)
        /// All that happened while the app did not run was told. Now call what `UIApplicationDelegate` was given for it.
        case didFinishBackgroundEvents
    }

    private let delegate: DownloadDelegate
    private let session: AVAssetDownloadURLSession

    /// Begins.
    ///
    /// - Parameter identifier: Of the background session; the same at each start.
    public init(identifier: String) {
        delegate = DownloadDelegate()
        session = AVAssetDownloadURLSession(
            configuration: .background(withIdentifier: identifier),
            assetDownloadDelegate: delegate,
            delegateQueue: nil
        )
    }

    /// What happens. Each access begins a new sequence.
    public var events: AsyncStream<Event> { delegate.feed.sequence() }

    /// Begins a download. Its keys come first: what is on the disk without them does not play.
    ///
    /// - Parameters:
    ///   - asset: What is downloaded. It is added to the session of its keys here, so nothing of it may be loaded yet.
    ///   - name: By which it is known, after the next start of the app too.
    ///   - title: For the system's settings, where people delete downloads.
    ///   - keys: The identifiers of the keys, from the app's own service.
    ///   - session: The session of the keys, which keeps them.
    ///   - loader: Answers the session's requests.
    ///   - configure: Chooses qualities and languages.
    /// - Throws: why a key is not there; then nothing is downloaded.
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

    /// Begins a download whose keys are taken care of elsewhere, as by ``ResourceLoaderDelegate``.
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

    /// The names of the downloads that are not done, and how much of each is there, from 0 to 1.
    public var progress: [String: Double] {
        get async {
            var progress: [String: Double] = [:]
            for task in await tasks() {
                if let name = task.taskDescription { progress[name] = task.progress.fractionCompleted }
            }
            return progress
        }
    }

    /// Lets a download rest.
    public func pause(_ name: String) async { for task in await tasks(name) { task.suspend() } }
    /// Lets it go on.
    public func resume(_ name: String) async { for task in await tasks(name) { task.resume() } }
    /// Ends it. ``Event/didFail(name:domain:code:)`` follows.
    public func cancel(_ name: String) async { for task in await tasks(name) { task.cancel() } }

    private func tasks(_ name: String? = nil) async -> [URLSessionTask] {
        await withCheckedContinuation { continuation in
            session.getAllTasks { tasks in
                continuation.resume(returning: tasks.filter { name == nil || $0.taskDescription == name })
            }
        }
    }

    /// What to note of a download's location.
    public static func relativePath(of location: URL) -> String { location.relativePath }

    /// Where a download lies now.
    public static func location(ofRelativePath path: String) -> URL {
        URL(fileURLWithPath: NSHomeDirectory()).appendingPathComponent(path)
    }
}

/// Notes what the session tells. Its one property is constant and Sendable; the compiler cannot see that through NSObject.
private final class DownloadDelegate: NSObject, AVAssetDownloadDelegate, @unchecked Sendable {
    let feed = Feed<AssetDownloads.Event>()

    func urlSession(_ session: URLSession, assetDownloadTask: AVAssetDownloadTask, willDownloadTo location: URL) {
        guard let name = assetDownloadTask.taskDescription else { return }
        feed.add(.willDownload(name: name, to: location))
    }

    /// iOS before 18 and macOS before 14 tell the location at the end only.
    func urlSession(_ session: URLSession, assetDownloadTask: AVAssetDownloadTask, didFinishDownloadingTo location: URL)
    {
        if #available(iOS 18, macOS 14, visionOS 1, *) { return }
        guard let name = assetDownloadTask.taskDescription else { return }
        feed.add(.willDownload(name: name, to: location))
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        guard let name = task.taskDescription else { return }
        if let error = error as NSError? {
            feed.add(.didFail(name: name, domain: error.domain, code: error.code))
        } else {
            feed.add(.didFinish(name: name))
        }
    }

    func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) {
        feed.add(.didFinishBackgroundEvents)
    }
}
#endif
