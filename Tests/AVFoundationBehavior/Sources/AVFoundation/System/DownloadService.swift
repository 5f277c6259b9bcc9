import Foundation
import Locking

/// The part of the system that downloads: its tasks and files outlive the app's process.
///
/// The app's life is driven by ``AppleSystem/relaunch(forceQuit:)``, ``suspendApp()`` and ``resumeApp(inBackground:)``.
package final class DownloadService: Sendable {
    enum AppState: Sendable { case foreground, background, suspended, notRunning }

    struct State: Sendable {
        var app = AppState.foreground
        var records: [UInt64: DownloadRecord] = [:]
        var lastID: UInt64 = 0
        var sessions: [String: AVAssetDownloadURLSession] = [:]
        var events: [String: [DownloadEvent]] = [:]
        /// The sessions whose events wait since the app was not running.
        var waiting: Set<String> = []
        var allowsDiscretionary = true
        var home: URL?
        var root: URL?
        var policies: [String: StoragePolicy] = [:]
        var locationHasBase = true
        var stepDuration = Duration.seconds(5)
        var system = WeakReference<AppleSystem>(nil)
    }
    let state = Lock(State())

    // MARK: Settings of the test

    /// The time that a quarter of a download takes.
    package var stepDuration: Duration {
        get { state.withLock { $0.stepDuration } }
        set { state.withLock { $0.stepDuration = newValue } }
    }

    /// Whether locations have the home directory as their base, so that `relativePath` is the part to store. Apple's
    /// sample stores `relativePath` and appends it to the home directory; whether all systems have it is unknown.
    package var locationHasBase: Bool {
        get { state.withLock { $0.locationHasBase } }
        set { state.withLock { $0.locationHasBase = newValue } }
    }

    /// Whether tasks that are discretionary proceed now.
    package func allowDiscretionary(_ allows: Bool) {
        state.withLock { $0.allowsDiscretionary = allows }
        proceedAll()
    }

    // MARK: The files

    /// The home directory of the app, which `NSHomeDirectory()` would return. It changes at each relaunch (rule 112).
    package var home: URL {
        state.withLock { state in
            if let home = state.home { return home }
            let root = FileManager.default.temporaryDirectory
                .appendingPathComponent("AVFoundation-\(UUID().uuidString)", isDirectory: true)
            let home = root.appendingPathComponent(UUID().uuidString, isDirectory: true)
            try? FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
            (state.root, state.home) = (root, home)
            return home
        }
    }

    /// The location of a package as AVFoundation tells it.
    func location(_ path: String) -> URL {
        locationHasBase
            ? URL(fileURLWithPath: path, isDirectory: true, relativeTo: home)
            : home.appendingPathComponent(path, isDirectory: true)
    }

    /// The path of a location, relative to the home directory; nil outside of it.
    func path(of location: URL) -> String? {
        let (location, home) = (location.absoluteURL.standardizedFileURL.path, self.home.standardizedFileURL.path)
        return location.hasPrefix(home + "/") ? String(location.dropFirst(home.count + 1)) : nil
    }

    /// The package at a file URL, or that of the newest task of a playlist.
    func package(of url: URL) -> DownloadPackage? {
        if url.isFileURL { return DownloadPackage(at: url) }
        let newest = state.withLock { state in
            state.records.values.filter { $0.url == url && $0.path != nil }.max { $0.id < $1.id }
        }
        return newest?.path.flatMap { DownloadPackage(at: location($0)) }
    }

    /// Removes all files, and lets go of the sessions, at the end of a test.
    package func removeAll() {
        let root = state.withLock { state in
            (state.sessions, state.records, state.events) = ([:], [:], [:])
            defer { (state.root, state.home) = (nil, nil) }
            return state.root
        }
        if let root { try? FileManager.default.removeItem(at: root) }
    }

    // MARK: The app's process

    /// Ends the process. After a force-quit, all tasks are cancelled (rule 108).
    package func endProcess(forceQuit: Bool) {
        let sessions = state.withLock { state in
            state.app = .notRunning
            defer { state.sessions = [:] }
            for id in state.records.keys { state.records[id]?.pendingKeys = 0 }
            return state.sessions.values
        }
        for session in sessions { session.detach() }
        if forceQuit {
            let error = NSError(
                domain: NSURLErrorDomain,
                code: NSURLErrorCancelled,
                // NSURLErrorCancelledReasonUserForceQuitApplication
                userInfo: ["NSURLErrorBackgroundTaskCancelledReasonKey": 0]
            )
            for id in unfinished { end(id, error) }
        } else {
            proceedAll()
        }
    }

    /// Begins a new process, for which the container has moved (rule 112).
    package func beginProcess(inBackground: Bool = false) {
        let old = home
        state.withLock { state in
            state.app = inBackground ? .background : .foreground
            guard let new = state.root?.appendingPathComponent(UUID().uuidString, isDirectory: true) else { return }
            if (try? FileManager.default.moveItem(at: old, to: new)) != nil { state.home = new }
        }
    }

    /// Ends the process and begins a new one.
    package func relaunch(forceQuit: Bool = false) {
        endProcess(forceQuit: forceQuit)
        beginProcess()
    }

    /// Suspends the app: downloads proceed, but nothing is told, and no key can be requested (rule 103).
    package func suspendApp() {
        state.withLock { state in
            state.app = .suspended
            for id in state.records.keys { state.records[id]?.pendingKeys = 0 }
        }
        proceedAll()
    }

    /// The app continues, in the foreground or in the background.
    package func resumeApp(inBackground: Bool = false) {
        let sessions = state.withLock { state in
            state.app = inBackground ? .background : .foreground
            return Array(state.sessions.values)
        }
        for session in sessions { flush(session) }
    }

    /// The sessions for whose finished tasks the system would launch the app: none after a force-quit, whose tasks were
    /// cancelled (rule 108).
    package var launchIdentifiers: [String] {
        state.withLock { state in
            guard state.app == .notRunning || state.app == .suspended else { return [] }
            return state.waiting.filter { identifier in
                state.records.values.contains { $0.session == identifier && $0.phase == .ended && !$0.wasForceQuit }
                    && !state.records.values.contains { $0.session == identifier && $0.phase == .running }
            }.sorted()
        }
    }

    var unfinished: [UInt64] {
        state.withLock { state in
            state.records.values.filter { $0.phase != .ended }.map(\.id).sorted()
        }
    }
}

extension DownloadRecord {
    var wasForceQuit: Bool { error?.userInfo["NSURLErrorBackgroundTaskCancelledReasonKey"] != nil }
}

extension AppleSystem {
    /// Ends the app's process: players and key sessions end; downloads go on, unless the user forces the app to quit.
    package func endProcess(forceQuit: Bool = false) {
        media.endProcess()
        terminate()
        downloads.endProcess(forceQuit: forceQuit)
    }

    /// Begins a new process. Objects that are created from now on belong to it.
    package func beginProcess(inBackground: Bool = false) { downloads.beginProcess(inBackground: inBackground) }

    /// Ends the app's process and begins a new one (rules 105, 107, 108, 112).
    package func relaunch(forceQuit: Bool = false) {
        endProcess(forceQuit: forceQuit)
        beginProcess()
    }
}
