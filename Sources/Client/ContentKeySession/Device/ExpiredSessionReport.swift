import Locking

/// A report to the key server that a playback session has ended, so that the server no longer counts the session.
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
    /// True if the store survives the process. If so, each session stores, while it is active, the reports to send if
    /// it never ends properly, for example after a crash.
    var survivesProcess: Bool { get }
    /// Sets the reports to send if a session ends without a notice, and replaces the reports set before. They are not
    /// pending while the session is active.
    func setReports(_ reports: [ExpiredSessionReport], forActive session: ContentProtectionSessionIdentifier)
    /// Marks a session as ended: the reports set for it become pending.
    func sessionEnded(_ session: ContentProtectionSessionIdentifier)

    /// Adds reports.
    func add(_ reports: [ExpiredSessionReport]) async
    /// Returns the pending reports made with a certificate, oldest first.
    func pendingExpiredSessionReports(withAppIdentifier appIdentifier: [UInt8]) async -> [ExpiredSessionReport]
    /// Removes reports that have been sent.
    func removePendingExpiredSessionReports(_ reports: [ExpiredSessionReport]) async
}

extension ExpiredSessionReportStore {
    /// False.
    public var survivesProcess: Bool { false }
    /// Does nothing: a store that does not survive the process is of no use after a crash.
    public func setReports(_: [ExpiredSessionReport], forActive _: ContentProtectionSessionIdentifier) {}
    /// Does nothing.
    public func sessionEnded(_: ContentProtectionSessionIdentifier) {}
}

/// A store of reports in memory.
public final class InMemoryExpiredSessionReports: ExpiredSessionReportStore {
    private let reports = Lock<[ExpiredSessionReport]>([])

    /// Creates an empty store.
    public init() {}

    /// Adds reports.
    public func add(_ reports: [ExpiredSessionReport]) { self.reports.withLock { $0 += reports } }

    /// Returns the pending reports made with a certificate, oldest first.
    public func pendingExpiredSessionReports(withAppIdentifier appIdentifier: [UInt8]) -> [ExpiredSessionReport] {
        reports.withLock { $0.filter { $0.appIdentifier == appIdentifier } }
    }

    /// Removes reports that have been sent.
    public func removePendingExpiredSessionReports(_ reports: [ExpiredSessionReport]) {
        self.reports.withLock { all in all.removeAll { reports.contains($0) } }
    }
}
