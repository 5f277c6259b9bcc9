// The end of a session, and what is reported of it: also of one that comes without a word.

extension KeySession {
    /// Ends the session: requests are cancelled, keys stopped, and reports of that made.
    public func expire() async {
        guard !machine.isExpired else { return }
        let ending = keys.mapValues { $0.key.protectedKey }
        let names = apply(.expire).flatMap { if case .reportExpiry(let names) = $0 { names } else { [KeyName]() } }
        requestFeed.finish()
        sourceFeed.finish()
        var reports: [ExpiredSessionReport] = []
        for name in names {
            guard let key = ending[name] ?? nil else { continue }
            // There is nobody to tell of a report that cannot be made: the server's own deadline has to do.
            let report = try? await device.makeExpiredSessionReport(for: key)
            if let report = report ?? reportsLeft[name] { reports.append(report) }
        }
        if expiredSessionReports.outlivesProcess {
            expiredSessionReports.setReports(reports, ofLiving: contentProtectionSessionIdentifier)
        } else if !reports.isEmpty {
            await expiredSessionReports.add(reports)
        }
        expiredSessionReports.sessionEnded(contentProtectionSessionIdentifier)
        if !reports.isEmpty {
            delegate?.contentKeySessionDidGenerateExpiredSessionReport(self)
            eventFeed.add(.didGenerateExpiredSessionReports)
        }
        eventFeed.finish()
    }

    /// Leaves in the store what is to be reported of a key that was just loaded, where the store outlives a crash.
    func leaveReport(for name: KeyName) async {
        guard expiredSessionReports.outlivesProcess, let key = keys[name]?.key.protectedKey else { return }
        let report = try? await device.makeExpiredSessionReport(for: key)
        guard let report, !machine.isExpired else { return }
        reportsLeft[name] = report
        reportsLeft = reportsLeft.filter { keys[$0.key] != nil }
        let reports = reportsLeft.sorted {
            ($0.key.identifier, $0.key.route.rawValue) < ($1.key.identifier, $1.key.route.rawValue)
        }
        expiredSessionReports.setReports(reports.map(\.value), ofLiving: contentProtectionSessionIdentifier)
    }
}
