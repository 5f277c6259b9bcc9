import Locking

/// What tells a key server that a playback is over, so that it counts it no longer.
public struct ExpiredSessionReport: Sendable, Hashable {
    /// The application certificate that it was made with.
    public let appIdentifier: [UInt8]
    /// What to send: for FairPlay Streaming an SPC that says that playback has halted.
    public let data: [UInt8]

    /// Makes a report.
    public init(appIdentifier: [UInt8], data: [UInt8]) { (self.appIdentifier, self.data) = (appIdentifier, data) }
}

/// Where reports wait until the app has sent them. An app keeps one on disk, so that they outlive it: `StreamPlayer` has
/// `ExpiredSessionReportFolder`.
public protocol ExpiredSessionReportStore: Sendable {
    /// Whether it outlives the process. Then each session leaves there, while it lives, what is to be reported if it never
    /// gets to its end, as in a crash.
    var outlivesProcess: Bool { get }
    /// Puts what is to be reported if a session should end without a word, in place of what it put before. It is not
    /// pending while the session lives.
    func setReports(_ reports: [ExpiredSessionReport], ofLiving session: ContentProtectionSessionIdentifier)
    /// A session lives no longer: what it has put is pending from now on.
    func sessionEnded(_ session: ContentProtectionSessionIdentifier)

    /// Adds reports.
    func add(_ reports: [ExpiredSessionReport]) async
    /// The reports made with a certificate that wait, oldest first.
    func pendingExpiredSessionReports(withAppIdentifier appIdentifier: [UInt8]) async -> [ExpiredSessionReport]
    /// Removes reports that were sent.
    func removePendingExpiredSessionReports(_ reports: [ExpiredSessionReport]) async
}

extension ExpiredSessionReportStore {
    /// False.
    public var outlivesProcess: Bool { false }
    /// Does nothing: what does not outlive the process is of no use after a crash.
    public func setReports(_: [ExpiredSessionReport], ofLiving _: ContentProtectionSessionIdentifier) {}
    /// Does nothing.
    public func sessionEnded(_: ContentProtectionSessionIdentifier) {}
}

/// Reports in memory.
public final class InMemoryExpiredSessionReports: ExpiredSessionReportStore {
    private let reports = Lock<[ExpiredSessionReport]>([])

    /// Makes a store without reports.
    public init() {}

    /// Adds reports.
    public func add(_ reports: [ExpiredSessionReport]) { self.reports.withLock { $0 += reports } }

    /// The reports made with a certificate that wait, oldest first.
    public func pendingExpiredSessionReports(withAppIdentifier appIdentifier: [UInt8]) -> [ExpiredSessionReport] {
        reports.withLock { $0.filter { $0.appIdentifier == appIdentifier } }
    }

    /// Removes reports that were sent.
    public func removePendingExpiredSessionReports(_ reports: [ExpiredSessionReport]) {
        self.reports.withLock { all in all.removeAll { reports.contains($0) } }
    }
}
