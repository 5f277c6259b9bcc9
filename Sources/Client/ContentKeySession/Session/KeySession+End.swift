// The end of a session and its expired session reports, including those of a session that ends without `expire()`.

extension KeySession {
    /// Ends the session: cancels requests, stops keys, and creates expired session reports.
    public func expire() async {
        guard !machine.isExpired else { return }
        let ending = keys.mapValues { $0.key.protectedKey }
        let names = apply(.expire).flatMap { if case .reportExpiry(let names) = $0 { names } else { [KeyName]() } }
        requestBroadcast.finish()
        sourceBroadcast.finish()
        var reports: [ExpiredSessionReport] = []
        for name in names {
            guard let key = ending[name] ?? nil else { continue }
            // A report that cannot be created is skipped: the server's own timeout applies.
            let report = try? await device.makeExpiredSessionReport(for: key)
            if let report = report ?? crashReports[name] { reports.append(report) }
        }
        if expiredSessionReports.survivesProcess {
            expiredSessionReports.setReports(reports, forActive: contentProtectionSessionIdentifier)
        } else if !reports.isEmpty {
            await expiredSessionReports.add(reports)
        }
        expiredSessionReports.sessionEnded(contentProtectionSessionIdentifier)
        if !reports.isEmpty {
            delegate?.contentKeySessionDidGenerateExpiredSessionReport(self)
            eventBroadcast.add(.didGenerateExpiredSessionReports)
        }
        eventBroadcast.finish()
    }

    /// Stores the report to send for a newly loaded key if the session ends in a crash, if the store survives the
    /// process.
    func storeCrashReport(for name: KeyName) async {
        guard expiredSessionReports.survivesProcess, let key = keys[name]?.key.protectedKey else { return }
        let report = try? await device.makeExpiredSessionReport(for: key)
        guard let report, !machine.isExpired else { return }
        crashReports[name] = report
        crashReports = crashReports.filter { keys[$0.key] != nil }
        let reports = crashReports.sorted {
            ($0.key.identifier, $0.key.route.rawValue) < ($1.key.identifier, $1.key.route.rawValue)
        }
        expiredSessionReports.setReports(reports.map(\.value), forActive: contentProtectionSessionIdentifier)
    }
}
