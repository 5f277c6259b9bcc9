import KeyStore
import Testing

extension KeyStoreContract {
    static let auditFilters: [KeyStoreContract] = [
        .init("Each condition of a filter selects exactly the entries with its value, newest first") { store in
            try await fillAudit(store)
            let conditions: [(String, @Sendable (inout AuditFilter) -> Void, [Int64])] = [
                ("account", { $0.account = "anna" }, [9, 6, 3, 0]),
                ("asset", { $0.assetID = Array("film/1".utf8) }, [7, 4, 1]),
                ("device", { $0.device = Sample.device(1) }, [9, 7, 5, 3, 1]),
                ("policy", { $0.policyName = "uhd" }, [8, 4, 0]),
                ("outcome", { $0.outcome = "issued" }, [9, 8, 7, 6, 4, 3, 2, 1]),
                ("reason", { $0.reason = "streams-exceeded" }, [5, 0]),
                ("route", { $0.route = "/fps/licenses" }, [9]),
                ("address", { $0.remoteAddress = "192.0.2.7" }, [7]),
                ("request", { $0.requestID = "request-4" }, [4]),
                ("from", { $0.from = 7 }, [9, 8, 7]),
                ("until", { $0.until = 2 }, [1, 0]),
                ("times", { ($0.from, $0.until) = (4, 6) }, [5, 4]),
            ]
            for (name, condition, expected) in conditions {
                var filter = AuditFilter()
                condition(&filter)
                let page = try await store.auditEntries(matching: filter, before: nil, limit: 100)
                #expect(page.entries.map(\.record.milliseconds) == expected, "\(name)")
                #expect(page.next == nil, "\(name)")
            }
        },
        .init("Values of filters are compared exactly, without case and prefixes") { store in
            try await fillAudit(store)
            for account in ["Anna", "ann", "anna ", "anna2", "%", "'", ""] {
                var filter = AuditFilter()
                filter.account = account
                let page = try await store.auditEntries(matching: filter, before: nil, limit: 100)
                #expect(page.entries.isEmpty, "\(account)")
            }
        },
        .init("All conditions of a filter apply, whichever index finds the entries") { store in
            try await fillAudit(store)
            var filter = AuditFilter()
            filter.account = "anna"
            filter.device = Sample.device(1)
            #expect(try await times(store, filter) == [9, 3])
            filter.outcome = "issued"
            filter.from = 4
            #expect(try await times(store, filter) == [9])
            filter.route = "/fps/license"
            #expect(try await times(store, filter).isEmpty)
        },
        .init("A reason is never a success, and contradicts another outcome") { store in
            try await fillAudit(store)
            var filter = AuditFilter()
            filter.reason = "issued"
            #expect(try await times(store, filter).isEmpty)
            filter.reason = "streams-exceeded"
            filter.outcome = "streams-exceeded"
            #expect(try await times(store, filter) == [5, 0])
            filter.outcome = "issued"
            #expect(try await times(store, filter).isEmpty)
        },
        .init("A filter by title selects the entries of all its assets") { store in
            try await store.putTitle(TitleRecord(name: "series", time: 1), replacing: false)
            try await store.putTrack(TrackRecord(title: "series", name: "hd", kind: .hd), replacing: false)
            for number in [0, 2] {
                let period = try ContentRecord(
                    assetID: Array("film/\(number)".utf8),
                    keyID: Sample.id(number + 1),
                    contentKey: Sample.secret(),
                    iv: Sample.id(7),
                    titleName: "series",
                    trackName: "hd",
                    time: 1
                )
                try await store.putContent(period, replacing: false)
            }
            try await fillAudit(store)
            var filter = AuditFilter()
            filter.title = "series"
            #expect(try await times(store, filter) == [9, 8, 6, 5, 3, 2, 0])
            filter.account = "anna"
            filter.assetID = Array("film/0".utf8)
            #expect(try await times(store, filter) == [9, 6, 3, 0])
            filter.title = "other"
            #expect(try await times(store, filter).isEmpty)
        },
        .init("A filtered log is read page by page, also with conditions that exclude most entries") { store in
            try await fillAudit(store)
            var filter = AuditFilter()
            filter.outcome = "issued"
            filter.from = 2
            var (found, next): ([Int64], Int64?) = ([], nil)
            repeat {
                let page = try await store.auditEntries(matching: filter, before: next, limit: 3)
                #expect(page.entries.count <= 3)
                found += page.entries.map(\.record.milliseconds)
                next = page.next
            } while next != nil
            #expect(found == [9, 8, 7, 6, 4, 3, 2])
        },
        .init("A page reports how many entries were compared, and the time of the oldest") { store in
            try await fillAudit(store)
            let page = try await store.auditEntries(matching: AuditFilter(), before: nil, limit: 4)
            #expect(page.searched == 4)
            #expect(page.oldest == 6)
            #expect(page.next == page.entries.last?.number)
            let rest = try await store.auditEntries(matching: AuditFilter(), before: page.next, limit: 100)
            #expect(rest.searched == 6)
            #expect(rest.oldest == 0)
            #expect(rest.next == nil)
        },
        .init("Searches find names that begin with a text, each once, up to the limit") { store in
            try await store.putPolicy(try Sample.policy("anna-policy"), replacing: false)
            try await store.putTitle(TitleRecord(name: "anna-film", time: 1), replacing: false)
            try await store.putContent(try Sample.content("anna/1"), replacing: false)
            try await fillAudit(store)
            var found = try await store.names(matching: SearchText("ann"), limit: 10)
            #expect(found.accounts == ["anna", "annabel"])
            #expect(found.titles == ["anna-film"])
            #expect(found.policies == ["anna-policy"])
            #expect(found.assets == [Array("anna/1".utf8)])
            #expect(found.devices.isEmpty && found.requestIDs.isEmpty)
            found = try await store.names(matching: SearchText("request-"), limit: 3)
            #expect(found.requestIDs == ["request-0", "request-1", "request-2"])
            found = try await store.names(matching: SearchText("000000000000000"), limit: 10)
            #expect(found.devices == [Sample.device(0), Sample.device(1)])
            found = try await store.names(matching: SearchText("0000000000000001"), limit: 10)
            #expect(found.devices == [Sample.device(1)])
            found = try await store.names(matching: SearchText("0x616e"), limit: 10)
            #expect(found.assets == [Array("anna/1".utf8)])
            #expect(found.accounts.isEmpty)
        },
    ]
}

/// Appends ten entries; their times are 0 to 9.
private func fillAudit(_ store: any KeyServerStore) async throws {
    for number in 0..<10 {
        var record = AuditRecord(
            milliseconds: Int64(number),
            route: number == 9 ? "/fps/licenses" : "/fps/license",
            outcome: number % 5 == 0 ? "streams-exceeded" : "issued",
            microseconds: 1
        )
        record.account = number % 3 == 0 ? "anna" : "annabel"
        if number % 3 == 1 { record.account = nil }
        record.assetID = Array("film/\(number % 3)".utf8)
        record.device = Sample.device(number % 2)
        record.policyName = number % 4 == 0 ? "uhd" : nil
        record.remoteAddress = "192.0.2.\(number)"
        record.requestID = "request-\(number)"
        try await store.append(record)
    }
}

/// Returns the times of all matching entries.
private func times(_ store: any KeyServerStore, _ filter: AuditFilter) async throws -> [Int64] {
    try await store.auditEntries(matching: filter, before: nil, limit: 100).entries.map(\.record.milliseconds)
}
