import KeyStore
import Testing

extension KeyStoreContract {
    static let lists: [KeyStoreContract] = [
        .init("A list has every record once, in order, for every page size and direction") { store in
            for number in 0..<7 { try await store.putTitle(TitleRecord(name: "t\(number)", time: 1), replacing: false) }
            for limit in [1, 3, 7, 100] {
                for isDescending in [false, true] {
                    var query = ListQuery()
                    query.limit = limit
                    query.isDescending = isDescending
                    let names = try await titleNames(store, query)
                    let expected = (0..<7).map { "t\($0)" }
                    #expect(names == (isDescending ? expected.reversed() : expected), "\(limit)")
                }
            }
        },
        .init("A list is sorted by the time of the last change, then by name") { store in
            for (name, time) in [("a", 3), ("b", 1), ("c", 3), ("d", 2)] as [(String, Int64)] {
                try await store.putTitle(TitleRecord(name: name, time: time), replacing: false)
                try await store.putContent(try Sample.content("asset-" + name, time: time), replacing: false)
            }
            var query = ListQuery()
            query.sort = .updated
            query.limit = 1
            #expect(try await titleNames(store, query) == ["b", "d", "a", "c"])
            query.isDescending = true
            #expect(try await titleNames(store, query) == ["c", "a", "d", "b"])
            query.limit = 10
            let assets = try await store.contents(query).items.map { String(decoding: $0.assetID, as: UTF8.self) }
            #expect(assets == ["asset-c", "asset-a", "asset-d", "asset-b"])
        },
        .init("Titles are selected by prefix, by part, and by policy, and the total counts all pages") { store in
            try await store.putPolicy(try Sample.policy("uhd"), replacing: false)
            for (name, policy) in [("Film-1", "uhd"), ("film-2", nil), ("show-film", "uhd")] as [(String, String?)] {
                try await store.putTitle(TitleRecord(name: name, policyName: policy, time: 1), replacing: false)
            }
            let expected: [([ListCondition], [String])] = [
                ([.prefix(.name, .text("film"))], ["film-2"]),
                ([.contains(.name, .text("FILM"))], ["Film-1", "film-2", "show-film"]),
                ([.equal(.policyName, .text("uhd"))], ["Film-1", "show-film"]),
                ([.equal(.policyName, .text("uhd")), .prefix(.name, .text("F"))], ["Film-1"]),
                ([.contains(.name, .text("%"))], []), ([.prefix(.name, .text("漢"))], []),
            ]
            for (conditions, names) in expected {
                var query = ListQuery()
                query.conditions = conditions
                query.limit = 1
                #expect(try await titleNames(store, query) == names, "\(conditions)")
                #expect(try await store.titles(query).total == names.count, "\(conditions)")
            }
        },
        .init("Content is selected by the bytes of its asset ID, also those that are not text") { store in
            for assetID in [[0xFF, 0x41, 0x00], [0xFF, 0x61], [0x5C, 0x41]] as [[UInt8]] {
                let record = try ContentRecord(
                    assetID: assetID,
                    contentKey: Sample.secret(),
                    iv: Sample.id(1),
                    time: 1
                )
                try await store.putContent(record, replacing: false)
            }
            func assets(_ condition: ListCondition) async throws -> [[UInt8]] {
                var query = ListQuery()
                query.conditions = [condition]
                return try await store.contents(query).items.map(\.assetID)
            }
            #expect(try await assets(.prefix(.assetID, .bytes([0xFF]))) == [[0xFF, 0x41, 0x00], [0xFF, 0x61]])
            #expect(try await assets(.contains(.assetID, .bytes([0x61]))).count == 3)
            #expect(try await assets(.contains(.assetID, .bytes([0x5C]))) == [[0x5C, 0x41]])
        },
        .init("Policies and channels are selected by name") { store in
            for name in ["a1", "a2", "b1"] {
                try await store.putPolicy(try Sample.policy(name), replacing: false)
                try await store.putFilm(name)
                let channel = try ChannelRecord(
                    title: name,
                    tracks: ["audio", "hd"],
                    length: 3_600,
                    ahead: 7_200,
                    start: 0,
                    time: 1
                )
                try await store.putChannel(channel, replacing: false, audit: nil)
            }
            var query = ListQuery()
            query.conditions = [.prefix(.name, .text("a"))]
            query.isDescending = true
            #expect(try await store.policies(query).items.map(\.name) == ["a2", "a1"])
            query.conditions = [.contains(.titleName, .text("1"))]
            let channels = try await store.channels(query)
            #expect(channels.items.map(\.title) == ["b1", "a1"])
            #expect(channels.items.map(\.tracks) == [["audio", "hd"], ["audio", "hd"]])
            #expect(channels.total == 2)
        },
        .init("Leases, devices, rentals and persistent keys of all accounts are selected by their columns") { store in
            for (account, device) in [("anna", 1), ("anna", 2), ("bert", 1)] {
                let proposal = Sample.proposal(account, device: device, asset: "film/\(device)")
                    .slot(limit: 9).counted(limit: 9, deviceClass: "class-\(device)").rental(.title("t\(device)"))
                    .offline(device)
                _ = try await store.grant(proposal)
            }
            func query(_ conditions: ListCondition...) -> ListQuery {
                var query = ListQuery()
                query.conditions = conditions
                return query
            }
            let anna = ListCondition.equal(.account, .bytes(Array("anna".utf8)))
            let first = ListCondition.equal(.device, .bytes(Sample.device(1).bytes))
            let asset = ListCondition.equal(.assetID, .bytes(Array("film/1".utf8)))
            #expect(try await store.leases(query()).total == 3)
            #expect(try await store.leases(query(anna, asset)).items.map(\.client) == [Sample.client(1)])
            #expect(try await store.leases(query(.greater(.until, 1_600))).total == 0)
            #expect(try await store.leases(query(.greater(.until, 1_599))).total == 3)
            #expect(try await store.devices(query(first)).items.map(\.account) == ["anna", "bert"])
            #expect(try await store.devices(query(anna)).total == 2)
            let second = try await store.devices(query(.equal(.deviceClass, .text("class-2")))).items
            #expect(second.map(\.account) == ["anna"])
            let subject = ListCondition.equal(.subject, .bytes(RentalSubject.title("t1").encoded))
            #expect(try await store.rentals(query(subject)).items.map(\.account) == ["anna", "bert"])
            #expect(try await store.offlineLicenses(query(first, anna)).items.map(\.streamID) == [Sample.id(1)])
            #expect(try await store.offlineLicenses(query(asset)).total == 2)
            #expect(try await store.offlineLicenses(query(.nullOrGreater(.until, 1_000_000))).total == 0)
            var page = query()
            page.limit = 2
            let devices = try await store.devices(page).items
            page.after = devices.last.map { ListedTable.devices.position(of: $0, in: page) }
            #expect(try await store.devices(page).items.map(\.account) == ["bert"])
        },
    ]
}

/// Returns the names of all titles of a query, page by page.
private func titleNames(_ store: any KeyServerStore, _ query: ListQuery) async throws -> [String] {
    var (names, query): ([String], ListQuery) = ([], query)
    while true {
        let page = try await store.titles(query).items
        guard let last = page.last else { return names }
        names += page.map(\.name)
        query.after = ListedTable.titles.position(of: last, in: query)
    }
}
