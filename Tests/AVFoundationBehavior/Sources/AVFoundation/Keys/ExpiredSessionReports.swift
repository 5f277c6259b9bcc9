import Foundation
import Locking

// Reports of expired sessions: rules 79 to 82.

/// The reports in a system's storage directories, which outlive the process.
final class ExpiredSessionReports: Sendable {
    struct Report: Sendable {
        var data: Data
        var appIdentifier: Data
        var isAbnormal: Bool
    }
    private let reports = Lock<[String: [Report]]>([:])

    func add(_ report: Report, at storage: URL) {
        reports.withLock { $0[storage.standardizedFileURL.path, default: []].append(report) }
    }

    func pending(at storage: URL) -> [Report] { reports.withLock { $0[storage.standardizedFileURL.path] ?? [] } }

    func remove(_ data: [Data], _ appIdentifier: Data, at storage: URL) {
        reports.withLock { reports in
            reports[storage.standardizedFileURL.path]?.removeAll {
                $0.appIdentifier == appIdentifier && data.contains($0.data)
            }
        }
    }
}

extension AppleSystem {
    var expiredSessionReports: ExpiredSessionReports { part(ExpiredSessionReports()) }

    /// Returns how the reported sessions in a storage directory ended, in order: true means without `expire()`.
    package func abnormalEnds(at storage: URL) -> [Bool] {
        expiredSessionReports.pending(at: storage).map(\.isAbnormal)
    }
}

extension AVContentKeySession {
    /// Files the report of the session, once. A tracked session begins with its first recipient, and only with a
    /// storage directory (rule 79), which the app has to create (rule 82); without an SPC it has no app identifier.
    func fileReport(isAbnormal: Bool) {
        let (isTracked, certificate, keys) = state.withLock { state in
            defer { state.isTracked = false }
            let isTracked = state.isTracked && state.phase == .active
            return (isTracked, state.certificate, state.keys.values.compactMap(\.fairPlay))
        }
        var isFolder: ObjCBool = false
        guard isTracked, let storageURL, let certificate, let identifier = contentProtectionSessionIdentifier,
            FileManager.default.fileExists(atPath: storageURL.path, isDirectory: &isFolder), isFolder.boolValue
        else { return }
        // Rule 81: a property list of a dictionary. Only "PlaybackSessionID" is known; the SPCs are under an invented
        // key.
        let content: [String: Any] = [
            "PlaybackSessionID": String(decoding: identifier, as: UTF8.self),
            "?SPCs": keys.compactMap { system.device?.expiredSessionReport(of: $0) },
        ]
        guard let data = try? PropertyListSerialization.data(fromPropertyList: content, format: .binary, options: 0)
        else { return }
        let report = ExpiredSessionReports.Report(data: data, appIdentifier: certificate, isAbnormal: isAbnormal)
        system.expiredSessionReports.add(report, at: storageURL)
        // Rule 80. A session that ended without expire() cannot be told.
        if !isAbnormal { tell { $1.contentKeySessionDidGenerateExpiredSessionReport($0) } }
    }
}
