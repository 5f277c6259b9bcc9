import DRMSignaling
import KeyStore

/// The plan of an import, built row by row.
struct KeyImportPlan {
    let store: any KeyServerStore
    let options: KeyImport.Options
    let time: Int64
    var summary = KeyImport.Summary()
    private var catalog: KeyImportCatalog
    private var contents: [ContentRecord] = []
    private var lines: (assets: [[UInt8]: Int], keyIDs: [[UInt8]: Int]) = ([:], [:])
    private var check: ContentCheck

    init(store: any KeyServerStore, options: KeyImport.Options, time: Int64, mistakes: [KeyFileError]) {
        self.store = store
        self.options = options
        self.time = time
        catalog = KeyImportCatalog(store: store, time: time)
        check = ContentCheck(store)
        summary.mistakes = mistakes
    }

    /// All batches to write: titles, then tracks, then keys.
    var batches: [ContentBatch] {
        chunks(of: catalog.changedTitles).map { ContentBatch(titles: $0) }
            + chunks(of: catalog.changedTracks).map { ContentBatch(tracks: $0) }
            + chunks(of: contents).map { ContentBatch(contents: $0) }
    }

    mutating func add(_ rows: [KeyRow]) async throws {
        for row in rows {
            do { try catalog.collect(row) } catch { summary.mistakes.append(error) }
        }
        for row in rows { try await reporting(row.line) { plan in try await plan.add(row) } }
        try await checkStoredRecords()
        summary.newTitles = catalog.newTitles
        summary.newTracks = catalog.newTracks
        summary.changed = catalog.changed
    }

    /// Checks stored tracks and keys that are not in the file but use a policy that it changes.
    private mutating func checkStoredRecords() async throws {
        let replaced = Set(contents.map(\.info.assetID))
        // Report each line only once.
        var reported = Set(summary.mistakes.map(\.line))
        for title in catalog.changedTitles {
            guard let line = catalog.lines[title.name], reported.insert(line).inserted else { continue }
            try await reporting(line) { plan in
                let tracks = try await plan.catalog.tracks(of: title)
                try await plan.check.check(title, tracks: tracks, except: replaced)
            }
        }
        for track in catalog.changedTracks {
            guard let line = catalog.lines["\(track.title)/\(track.name)"], reported.insert(line).inserted else {
                continue
            }
            try await reporting(line) { plan in
                let title = plan.catalog.resolvedTitle(track.title)
                try await plan.check.check(track, under: title, for: track.place, except: replaced)
            }
        }
    }

    /// Performs a check, and converts errors of the file to errors of the line.
    private mutating func reporting(_ line: Int, _ work: (inout Self) async throws -> Void) async throws {
        do {
            try await work(&self)
        } catch let error as KeyFileError {
            summary.mistakes.append(error)
        } catch let error as SignalingError {
            summary.mistakes.append(KeyFileError(line: line, reason: "\(error)"))
        } catch let error as KeyStoreError
            where [.invalidRecord, .missingReference, .conflict].contains(error.code)
        {
            summary.mistakes.append(KeyFileError(line: line, reason: error.reason ?? "\(error)"))
        }
    }

    private mutating func add(_ row: KeyRow) async throws {
        guard (row.title == nil) == (row.track == nil) else {
            throw KeyFileError(line: row.line, reason: "a key must have both title and track, or neither")
        }
        var (title, track): (TitleRecord?, TrackRecord?) = (nil, nil)
        if let titleName = row.title, let trackName = row.track {
            // An invalid title or track is reported only in the first row that has it.
            guard let resolved = try await catalog.title(titleName, row, options) else { return }
            guard let found = try await catalog.track(trackName, of: titleName, row, options) else { return }
            (title, track) = (resolved, found)
        }
        let record = try record(row, title)
        let names = ContentLookup.policyNames(governing: record.info, title, track)
        try await check.check(names, track?.kind ?? record.info.track, of: record.info.place, for: record.info.place)
        try checkUnique(record.info, row)
        try await compare(record, row)
    }

    private func record(_ row: KeyRow, _ title: TitleRecord?) throws -> ContentRecord {
        let assetID: [UInt8]
        if let given = row.assetID {
            assetID = given
        } else if let keyID = row.keyID {
            assetID =
                try title.map { title in
                    try ContentDefaults.assetID(
                        title: title,
                        track: row.track ?? "",
                        keyID: keyID,
                        validFrom: row.validFrom
                    )
                } ?? ContentInfo.assetID(forKeyID: keyID)
        } else {
            throw KeyFileError(line: row.line, reason: "a key must have an asset ID or a key ID")
        }
        let hasNoTitle = title == nil
        return try ContentRecord(
            assetID: assetID,
            keyID: row.keyID,
            contentKey: row.key,
            iv: row.iv,
            track: hasNoTitle ? row.kind ?? .unspecified : .unspecified,
            policyName: row.policy,
            streamID: hasNoTitle ? row.streamID ?? ContentDefaults.streamID(forAssetID: assetID) : nil,
            titleID: hasNoTitle ? row.titleID : nil,
            titleName: row.title,
            trackName: row.track,
            validFrom: row.validFrom,
            validUntil: row.validUntil,
            time: time
        )
    }

    private mutating func checkUnique(_ info: ContentInfo, _ row: KeyRow) throws {
        if let line = lines.assets.updateValue(row.line, forKey: info.assetID) {
            throw KeyFileError(line: row.line, reason: "line \(line) has the same asset ID")
        }
        guard let keyID = info.keyID else { return }
        if let line = lines.keyIDs.updateValue(row.line, forKey: keyID) {
            throw KeyFileError(line: row.line, reason: "line \(line) has the same key ID")
        }
    }

    private mutating func compare(_ record: ContentRecord, _ row: KeyRow) async throws {
        if let keyID = record.info.keyID, let owner = try await store.content(keyID: keyID),
            owner.info.assetID != record.info.assetID
        {
            throw KeyFileError(line: row.line, reason: "another asset has this key ID")
        }
        guard let stored = try await store.content(assetID: record.info.assetID) else {
            summary.new += 1
            contents.append(record)
            return
        }
        if record.isEqual(to: stored) {
            summary.same += 1
            guard options.resumes || options.replaces else {
                throw KeyFileError(line: row.line, reason: "the key already exists: resume to skip it")
            }
        } else {
            summary.replaced += 1
            guard options.replaces else {
                throw KeyFileError(line: row.line, reason: "another key exists for this asset")
            }
            contents.append(record)
        }
    }

    private func chunks<Record>(of records: [Record]) -> [[Record]] {
        stride(from: 0, to: records.count, by: KeyImport.batchSize).map { start in
            Array(records[start..<min(start + KeyImport.batchSize, records.count)])
        }
    }
}

extension ContentRecord {
    /// Whether two records are equal, except for their times. The track kind of a key period is that of its track, so
    /// it is not compared.
    fileprivate func isEqual(to other: ContentRecord) -> Bool {
        let (mine, theirs) = (info, other.info)
        return contentKey == other.contentKey && iv == other.iv && mine.keyID == theirs.keyID
            && (mine.trackName != nil || mine.track == theirs.track) && mine.policyName == theirs.policyName
            && mine.streamID == theirs.streamID && mine.titleID == theirs.titleID
            && mine.titleName == theirs.titleName && mine.trackName == theirs.trackName
            && mine.validFrom == theirs.validFrom && mine.validUntil == theirs.validUntil
    }
}
