public import ContentKeySession
public import Foundation

extension KeySession {
    /// Begins a session whose expired session reports are kept in a folder, where they are found also after a crash.
    ///
    /// - Parameters:
    ///   - device: what makes SPCs and opens CKCs.
    ///   - storage: the folder, made where it is not there; the app's alone. Sessions may share it.
    ///   - clock: measures deadlines and leases.
    ///   - responseTimeout: how long a request may wait for its answer; nil for ever.
    ///   - renewalLead: how long before the end of a lease its renewal is asked for; nil leaves that to a key loader.
    /// - Throws: what the file system says.
    public init(
        keySystem: ContentKeySystem = .fairPlayStreaming,
        device: any ContentProtectionDevice,
        storageDirectoryAt storage: URL,
        clock: some Clock<Duration> = ContinuousClock(),
        responseTimeout: Duration? = .seconds(30),
        renewalLead: Duration? = .seconds(30)
    ) throws {
        self.init(
            keySystem: keySystem,
            device: device,
            clock: clock,
            responseTimeout: responseTimeout,
            renewalLead: renewalLead,
            expiredSessionReports: try ExpiredSessionReportFolder(storage)
        )
    }

    /// The reports of sessions that have ended, in whatever way, and that were made with a certificate; oldest first.
    ///
    /// - Throws: what the file system says.
    public static func pendingExpiredSessionReports(
        withAppIdentifier appIdentifier: [UInt8],
        storageDirectoryAt storage: URL
    ) throws -> [ExpiredSessionReport] {
        try ExpiredSessionReportFolder(storage).pendingExpiredSessionReports(withAppIdentifier: appIdentifier)
    }

    /// Removes reports that were sent.
    ///
    /// - Throws: what the file system says.
    public static func removePendingExpiredSessionReports(
        _ reports: [ExpiredSessionReport],
        storageDirectoryAt storage: URL
    ) throws {
        try ExpiredSessionReportFolder(storage).removePendingExpiredSessionReports(reports)
    }
}
