public import ContentKeySession
public import Foundation

extension KeySession {
    /// Starts a session that stores its expired session reports in a folder, so that they survive a crash.
    ///
    /// - Parameters:
    ///   - keySystem: The method of key delivery.
    ///   - device: The device that creates SPCs and opens CKCs.
    ///   - storage: The folder, which is created if it does not exist and must belong to the app alone. Sessions can
    ///     share it.
    ///   - clock: The clock for deadlines and leases.
    ///   - responseTimeout: The timeout for the response to a request; nil means no timeout.
    ///   - renewalLead: The time before the end of a lease at which its renewal is requested; nil leaves renewals to a
    ///     key loader.
    /// - Throws: Errors of the file system.
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

    /// Returns the reports made with a certificate of all sessions that have ended or crashed, oldest first.
    ///
    /// - Throws: Errors of the file system.
    public static func pendingExpiredSessionReports(
        withAppIdentifier appIdentifier: [UInt8],
        storageDirectoryAt storage: URL
    ) throws -> [ExpiredSessionReport] {
        try ExpiredSessionReportFolder(storage).pendingExpiredSessionReports(withAppIdentifier: appIdentifier)
    }

    /// Removes reports that have been sent.
    ///
    /// - Throws: Errors of the file system.
    public static func removePendingExpiredSessionReports(
        _ reports: [ExpiredSessionReport],
        storageDirectoryAt storage: URL
    ) throws {
        try ExpiredSessionReportFolder(storage).removePendingExpiredSessionReports(reports)
    }
}
