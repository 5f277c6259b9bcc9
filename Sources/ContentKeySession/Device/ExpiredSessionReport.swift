internal import Synchronization

/// What tells a key server that a playback is over, so that it counts it no longer.
public struct ExpiredSessionReport: Sendable, Hashable {
    /// The application certificate that it was made with.
    public let appIdentifier: [UInt8]
    /// What to send: for FairPlay Streaming an SPC that says that playback has halted.
    public let data: [UInt8]

    /// Makes a report.
    public init(appIdentifier: [UInt8], data: [UInt8]) { (self.appIdentifier, self.data) = (appIdentifier, data) }
}

/// Where reports wait until the app has sent them. An app keeps one on disk, so that they outlive it.
public protocol ExpiredSessionReportStore: Sendable {
    /// Adds reports.
    func add(_ reports: [ExpiredSessionReport]) async
    /// The reports made with a certificate that wait, oldest first.
    func pendingExpiredSessionReports(withAppIdentifier appIdentifier: [UInt8]) async -> [ExpiredSessionReport]
    /// Removes reports that were sent.
    func removePendingExpiredSessionReports(_ reports: [ExpiredSessionReport]) async
}

/// Reports in memory.
public final class InMemoryExpiredSessionReports: ExpiredSessionReportStore {
    private let reports = Mutex<[ExpiredSessionReport]>([])

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
