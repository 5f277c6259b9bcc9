package import KeyStore

extension AuditFilter {
    /// A filter for each condition, one for times alone, and one with several conditions.
    package static var samples: [AuditFilter] {
        let conditions: [(inout AuditFilter) -> Void] = [
            { $0.account = "anna" }, { $0.assetID = [1, 2] }, { $0.title = "film" }, { $0.device = Sample.device(1) },
            { $0.policyName = "uhd" }, { $0.outcome = "issued" }, { $0.reason = "replayed" },
            { $0.route = "/fps/license" }, { $0.remoteAddress = "192.0.2.1" }, { $0.requestID = "a" },
            { ($0.from, $0.until) = (1, 2) }, { ($0.account, $0.outcome) = ("anna", "issued") },
        ]
        return conditions.map { condition in
            var filter = AuditFilter()
            condition(&filter)
            return filter
        }
    }
}
