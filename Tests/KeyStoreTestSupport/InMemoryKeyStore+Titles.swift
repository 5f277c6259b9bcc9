package import KeyStore

/// The titles, tracks and admin tokens of the in-memory store.
struct InMemoryCatalog: Sendable {
    var titles: [String: TitleRecord] = [:]
    /// Tracks by title and name.
    var tracks: [String: [String: TrackRecord]] = [:]
    /// Asset IDs by key ID.
    var assetIDs: [[UInt8]: [UInt8]] = [:]
    var adminTokens: [String: AdminTokenRecord] = [:]

    func refers(toPolicy name: String) -> Bool {
        titles.values.contains { $0.policyName == name }
            || tracks.values.contains { $0.values.contains { $0.policyName == name } }
    }
}

extension InMemoryKeyStore {
    /// Returns the key of an asset with its title and track, or nil.
    package func lookup(assetID: [UInt8]) async throws(KeyStoreError) -> ContentLookup? {
        try contents[assetID].map(lookup)
    }

    /// Returns the key with a key ID, with its title and track, or nil.
    package func lookup(keyID: [UInt8]) async throws(KeyStoreError) -> ContentLookup? {
        try catalog.assetIDs[keyID].flatMap { contents[$0] }.map(lookup)
    }

    /// Returns the title with this name, or nil.
    package func title(name: String) async throws(KeyStoreError) -> TitleRecord? { catalog.titles[name] }

    /// Stores a title.
    @discardableResult
    package func putTitle(_ record: TitleRecord, replacing: Bool, audit: AuditRecordProvider?)
        async throws(KeyStoreError)
        -> WriteOutcome
    {
        auditing(audit, try write(record, replacing: replacing))
    }

    /// Deletes a title.
    @discardableResult
    package func deleteTitle(name: String, audit: AuditRecord?) async throws(KeyStoreError) -> Bool {
        guard catalog.tracks[name, default: [:]].isEmpty else { throw .titleInUse(name) }
        return auditing(audit, catalog.titles.removeValue(forKey: name) != nil)
    }

    /// Returns titles, sorted by name.
    package func titles(after name: String?, limit: Int) async throws(KeyStoreError) -> [TitleRecord] {
        let found = catalog.titles.values.filter { title in name.map { $0 < title.name } ?? true }
        return Array(found.sorted { $0.name < $1.name }.prefix(pageSize(limit)))
    }

    /// Returns all tracks of a title, sorted by name.
    package func tracks(title: String) async throws(KeyStoreError) -> [TrackRecord] {
        catalog.tracks[title, default: [:]].values.sorted { $0.name < $1.name }
    }

    /// Stores a track.
    @discardableResult
    package func putTrack(_ record: TrackRecord, replacing: Bool, audit: AuditRecordProvider?)
        async throws(KeyStoreError)
        -> WriteOutcome
    {
        auditing(audit, try write(record, replacing: replacing))
    }

    /// Deletes a track.
    @discardableResult
    package func deleteTrack(title: String, name: String, audit: AuditRecord?) async throws(KeyStoreError) -> Bool {
        let isInUse = contents.values.contains { $0.info.titleName == title && $0.info.trackName == name }
        guard !isInUse else { throw .trackInUse(name, of: title) }
        guard schedules[title]?.tracks.contains(name) != true else { throw .trackScheduled(name, of: title) }
        return auditing(audit, catalog.tracks[title]?.removeValue(forKey: name) != nil)
    }

    /// Returns the key periods of a track, sorted by start.
    package func keyPeriods(
        title: String,
        track: String,
        after last: ContentInfo?,
        limit: Int
    ) async throws(KeyStoreError) -> [ContentInfo] {
        let periods = contents.values.map(\.info).filter { $0.titleName == title && $0.trackName == track }
        let found = periods.filter { period in last.map { $0.begins(before: period) } ?? true }
        return Array(found.sorted { $0.begins(before: $1) }.prefix(pageSize(limit)))
    }

    /// Stores many records in one transaction.
    package func put(_ batch: ContentBatch, replacing: Bool, audit: AuditRecord?) async throws(KeyStoreError) {
        try batch.check()
        let before = (contents, catalog)
        do {
            for record in batch.titles { try write(record, replacing: replacing) }
            for record in batch.tracks { try write(record, replacing: replacing) }
            for record in batch.contents { try write(record, replacing: replacing) }
        } catch {
            (contents, catalog) = before
            throw error
        }
        if let audit { self.audit.append(audit) }
    }

    private func lookup(_ record: ContentRecord) throws(KeyStoreError) -> ContentLookup {
        let (title, track) = (record.info.titleName, record.info.trackName)
        return try ContentLookup(
            record: record,
            title: title.flatMap { catalog.titles[$0] },
            track: title.flatMap { catalog.tracks[$0] }.flatMap { tracks in track.flatMap { tracks[$0] } },
            catalogVersion: catalogVersion,
            policy: { name throws(KeyStoreError) in policies[name] }
        )
    }

    @discardableResult
    func write(_ record: ContentRecord, replacing: Bool) throws(KeyStoreError) -> WriteOutcome {
        let (info, place) = (record.info, record.info.place)
        let previous = contents[info.assetID]
        guard previous == nil || replacing else { throw .exists(place) }
        if let keyID = info.keyID, let owner = catalog.assetIDs[keyID], owner != info.assetID {
            throw .keyIDInUse(place)
        }
        if let policy = info.policyName, policies[policy] == nil { throw .noPolicy(policy, place) }
        if let title = info.titleName, let track = info.trackName, catalog.tracks[title]?[track] == nil {
            throw .noTrack(track, of: title, place)
        }
        var record = record
        if let previous {
            record.info.created = previous.info.created
            if let keyID = previous.info.keyID { catalog.assetIDs[keyID] = nil }
        }
        contents[info.assetID] = record
        if let keyID = info.keyID { catalog.assetIDs[keyID] = info.assetID }
        return previous == nil ? .created : .replaced
    }

    @discardableResult
    private func write(_ record: TitleRecord, replacing: Bool) throws(KeyStoreError) -> WriteOutcome {
        let previous = catalog.titles[record.name]
        guard previous == nil || replacing else { throw .exists(record.place) }
        if let policy = record.policyName, policies[policy] == nil { throw .noPolicy(policy, record.place) }
        var record = record
        if let previous { record.created = previous.created }
        catalog.titles[record.name] = record
        return previous == nil ? .created : .replaced
    }

    @discardableResult
    private func write(_ record: TrackRecord, replacing: Bool) throws(KeyStoreError) -> WriteOutcome {
        guard catalog.titles[record.title] != nil else { throw .noTitle(record.title, record.place) }
        let previous = catalog.tracks[record.title]?[record.name]
        guard previous == nil || replacing else { throw .exists(record.place) }
        if let policy = record.policyName, policies[policy] == nil { throw .noPolicy(policy, record.place) }
        catalog.tracks[record.title, default: [:]][record.name] = record
        return previous == nil ? .created : .replaced
    }
}

extension ContentInfo {
    /// Compares by the order of key periods: start, then asset ID.
    fileprivate func begins(before other: ContentInfo) -> Bool {
        let (mine, theirs) = (validFrom ?? -1, other.validFrom ?? -1)
        return mine == theirs ? assetID.lexicographicallyPrecedes(other.assetID) : mine < theirs
    }
}
