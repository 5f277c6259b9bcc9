import Locking

/// A report to the key server that playback with a key has ended. The server decides what follows: Keyway's server
/// counts the session until its lease has expired, because a limit that relies on reports could be bypassed.
public struct ExpiredSessionReport: Sendable, Hashable {
    /// The application certificate that the report was made with.
    public let appIdentifier: [UInt8]
    /// The data to send; for FairPlay Streaming, an SPC that reports that playback has stopped.
    public let data: [UInt8]

    /// Creates a report.
    public init(appIdentifier: [UInt8], data: [UInt8]) { (self.appIdentifier, self.data) = (appIdentifier, data) }
}

/// Storage of reports until the app has sent them. An app stores reports on disk so that they survive the process:
/// `StreamPlayer` provides `ExpiredSessionReportFolder`.
public protocol ExpiredSessionReportStore: Sendable {
    /// Whether the store survives the process. If so, each session also stores reports while it is active, which become
    /// pending if the process ends without ending the session, for example after a crash.
    var survivesProcess: Bool { get }
    /// Sets the reports of an active session and replaces those set before. They become pending when
    /// ``sessionEnded(_:)`` is called or the session's process ends.
    func setReports(_ reports: [ExpiredSessionReport], forActive session: ContentProtectionSessionIdentifier)
    /// Marks a session as ended: the reports set for it become pending.
    func sessionEnded(_ session: ContentProtectionSessionIdentifier)

    /// Adds pending reports. A session calls this when it ends, unless the store survives the process: then it calls
    /// ``setReports(_:forActive:)`` and ``sessionEnded(_:)``.
    func add(_ reports: [ExpiredSessionReport]) async
    /// Returns the pending reports made with a certificate, oldest first.
    func pendingExpiredSessionReports(withAppIdentifier appIdentifier: [UInt8]) async -> [ExpiredSessionReport]
    /// Removes reports that have been sent.
    func removePendingExpiredSessionReports(_ reports: [ExpiredSessionReport]) async
}

extension ExpiredSessionReportStore {
    /// Returns false, for a store in memory.
    public var survivesProcess: Bool { false }
    /// Does nothing, because a store that does not survive the process cannot provide reports after a crash.
    public func setReports(_: [ExpiredSessionReport], forActive _: ContentProtectionSessionIdentifier) {}
    /// Does nothing, because the session calls ``add(_:)`` instead.
    public func sessionEnded(_: ContentProtectionSessionIdentifier) {}
}

/// A store of reports in memory. They are lost when the process ends.
public final class InMemoryExpiredSessionReports: ExpiredSessionReportStore {
    private let reports = Lock<[ExpiredSessionReport]>([])

    /// Creates an empty store.
    public init() {}

    /// Adds pending reports.
    public func add(_ reports: [ExpiredSessionReport]) { self.reports.withLock { $0 += reports } }

    /// Returns the reports made with a certificate, in the order in which they were added.
    public func pendingExpiredSessionReports(withAppIdentifier appIdentifier: [UInt8]) -> [ExpiredSessionReport] {
        reports.withLock { $0.filter { $0.appIdentifier == appIdentifier } }
    }

    /// Removes reports that have been sent.
    public func removePendingExpiredSessionReports(_ reports: [ExpiredSessionReport]) {
        self.reports.withLock { all in all.removeAll { reports.contains($0) } }
    }
}
