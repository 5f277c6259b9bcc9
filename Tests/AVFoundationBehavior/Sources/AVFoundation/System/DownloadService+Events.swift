import Foundation
import Locking

extension DownloadService {
    /// Connects a session object with the tasks and events of its identifier.
    func attach(_ session: AVAssetDownloadURLSession, system: AppleSystem) {
        // Rule 102.
        guard let identifier = session.configuration.identifier else {
            return system.raise(.invalidArgument, "AVAssetDownloadURLSession requires a background configuration")
        }
        let isSecond = state.withLock { state in
            state.system = WeakReference(system)
            guard state.sessions[identifier] == nil else { return true }
            state.sessions[identifier] = session
            return false
        }
        // Rule 111: the behavior is undefined, so a second object is reported as a misuse.
        if isSecond {
            return system.raise(.internalInconsistency, "a session with the identifier \(identifier) already exists")
        }
        let (records, events) = state.withLock { state in
            (state.records.values.filter { $0.session == identifier }, state.events[identifier] ?? [])
        }
        let told = Set(events.map(\.task))
        for record in records.sorted(by: { $0.id < $1.id }) where record.phase != .ended || told.contains(record.id) {
            session.add(record)
            // Rule 105, by the switch.
            if system.switches.relaunchLocation == .repeated, record.isLocationTold,
                !events.contains(where: { $0.task == record.id && $0.isLocation })
            {
                state.withLock { state in
                    let event = DownloadEvent(task: record.id, kind: .willDownload)
                    state.events[identifier, default: []].insert(event, at: 0)
                }
            }
        }
        flush(session)
    }

    /// A session was invalidated: another one may have its identifier.
    func remove(_ session: AVAssetDownloadURLSession) {
        state.withLock { state in
            guard let identifier = session.configuration.identifier, state.sessions[identifier] === session else {
                return
            }
            state.sessions[identifier] = nil
        }
    }

    /// Tells an event, now or when the app runs and has a session with the identifier (rule 107).
    func tell(_ id: UInt64, _ kind: DownloadEvent.Kind) {
        let session: AVAssetDownloadURLSession? = state.withLock { state in
            guard let identifier = state.records[id]?.session else { return nil }
            state.events[identifier, default: []].append(DownloadEvent(task: id, kind: kind))
            if state.app == .notRunning || state.app == .suspended || state.sessions[identifier] == nil {
                state.waiting.insert(identifier)
            }
            return state.sessions[identifier]
        }
        if let session { flush(session) }
    }

    /// Delivers the events of a session.
    func flush(_ session: AVAssetDownloadURLSession) {
        guard let identifier = session.configuration.identifier else { return }
        let (events, wasWaiting): ([DownloadEvent], Bool) = state.withLock { state in
            guard state.app == .foreground || state.app == .background else { return ([], false) }
            defer { state.events[identifier] = nil }
            return (state.events[identifier] ?? [], state.waiting.remove(identifier) != nil)
        }
        for event in events { session.deliver(event) }
        // Rule 109.
        if wasWaiting { session.deliverEndOfEvents() }
    }
}

extension DownloadEvent {
    var isLocation: Bool {
        if case .willDownload = kind { return true }
        return false
    }
}

/// A launch of the app, or its continuation, for the events of a background session (rule 109).
package struct BackgroundLaunch: Sendable {
    /// The argument of `application(_:handleEventsForBackgroundURLSession:completionHandler:)`.
    package let identifier: String
    private let system: AppleSystem
    private let calls = Lock(0)

    init(_ identifier: String, _ system: AppleSystem) { (self.identifier, self.system) = (identifier, system) }

    package var completionCalls: Int { calls.withLock { $0 } }

    /// The completion handler, which the app calls once, on the main queue, after `urlSessionDidFinishEvents`.
    package func completionHandler() {
        let count = calls.withLock { count in
            count += 1
            return count
        }
        if count > 1 { system.raise(.internalInconsistency, "the completion handler was called twice") }
        if !MainQueue.isCurrent { system.raise(.internalInconsistency, "the completion handler needs the main queue") }
        if !system.downloads.hasDeliveredEvents(identifier) {
            system.raise(.internalInconsistency, "the completion handler was called before the events were delivered")
        }
    }
}

/// The main queue, which has no thread of its own on Linux.
private enum MainQueue {
    private static let key: DispatchSpecificKey<Bool> = {
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        return key
    }()
    static func prepare() { _ = key }
    static var isCurrent: Bool { DispatchQueue.getSpecific(key: key) == true }
}

extension DownloadService {
    /// Launches the app in the background for a session's events, as the system does when all of its tasks have ended;
    /// nil if there is no cause (rule 108).
    package func launchForEvents() -> BackgroundLaunch? {
        guard let identifier = launchIdentifiers.first, let system = state.withLock({ $0.system.object }) else {
            return nil
        }
        MainQueue.prepare()
        let isSuspended = state.withLock { $0.app == .suspended }
        isSuspended ? resumeApp(inBackground: true) : beginProcess(inBackground: true)
        return BackgroundLaunch(identifier, system)
    }

    func hasDeliveredEvents(_ identifier: String) -> Bool {
        state.withLock { !$0.waiting.contains(identifier) && $0.sessions[identifier]?.hasFinishedEvents == true }
    }
}
