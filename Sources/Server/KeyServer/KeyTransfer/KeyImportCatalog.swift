import KeyStore

/// The titles and tracks of an import: the values in its rows, combined with the stored records.
struct KeyImportCatalog {
    /// The values for a title in the rows; nil if no row has one.
    private struct TitleValues {
        var titleID: [UInt8]?
        var policy: String?
        var template: String?
    }

    /// The values for a track in the rows; nil if no row has one.
    private struct TrackValues {
        var kind: ContentTrack?
        var streamID: [UInt8]?
        var policy: String?
    }

    let store: any KeyServerStore
    let time: Int64
    private(set) var changedTitles: [TitleRecord] = []
    private(set) var changedTracks: [TrackRecord] = []
    /// The first line with a title, or with `title/track`.
    private(set) var lines: [String: Int] = [:]
    private(set) var newTitles = 0
    private(set) var newTracks = 0
    private(set) var changed = 0
    private var titleValues: [String: TitleValues] = [:]
    private var trackValues: [String: TrackValues] = [:]
    // A nil value means that the title or the track is not valid, and that this has been reported.
    private var titles: [String: TitleRecord?] = [:]
    private var tracks: [String: TrackRecord?] = [:]

    init(store: any KeyServerStore, time: Int64) {
        self.store = store
        self.time = time
    }

    /// Collects the values in a row. This is done for all rows before any is checked, because the first row of a title
    /// may omit values that a later one has.
    ///
    /// - Throws: ``KeyFileError`` if an earlier row has a different value.
    mutating func collect(_ row: KeyRow) throws(KeyFileError) {
        guard let title = row.title, let track = row.track else { return }
        var values = titleValues[title] ?? TitleValues()
        try note(row.titleID, \.titleID, in: &values, "title ID", row)
        try note(row.titlePolicy, \.policy, in: &values, "title's policy", row)
        try note(row.template, \.template, in: &values, "title's key URI", row)
        titleValues[title] = values
        let trackPath = "\(title)/\(track)"
        var newValues = trackValues[trackPath] ?? TrackValues()
        try note(row.kind, \.kind, in: &newValues, "track's kind", row)
        try note(row.streamID, \.streamID, in: &newValues, "stream ID", row)
        try note(row.trackPolicy, \.policy, in: &newValues, "track's policy", row)
        trackValues[trackPath] = newValues
    }

    /// Returns the title after the import; nil if it is not valid, as reported for an earlier row.
    mutating func title(_ name: String, _ row: KeyRow, _ options: KeyImport.Options) async throws -> TitleRecord? {
        if let known = titles[name] { return known }
        titles[name] = .some(nil)
        lines[name] = row.line
        let stored = try await store.title(name: name)
        let values = titleValues[name] ?? TitleValues()
        let title = try TitleRecord(
            name: name,
            titleID: values.titleID ?? stored?.titleID,
            policyName: values.policy ?? stored?.policyName,
            keyURITemplate: values.template ?? stored?.keyURITemplate,
            time: time
        )
        if let template = title.keyURITemplate { try ContentDefaults.checkKeyURI(template) }
        if let stored {
            let isSame =
                stored.titleID == title.titleID && stored.policyName == title.policyName
                && stored.keyURITemplate == title.keyURITemplate
            if !isSame { try change("the title exists with another title ID, policy or key URI", row, options) }
            if !isSame { changedTitles.append(title) }
        } else {
            newTitles += 1
            changedTitles.append(title)
        }
        titles[name] = title
        return title
    }

    /// Returns the track after the import; nil if it is not valid, as reported for an earlier row.
    mutating func track(
        _ name: String,
        of title: String,
        _ row: KeyRow,
        _ options: KeyImport.Options
    ) async throws -> TrackRecord? {
        let trackPath = "\(title)/\(name)"
        if let known = tracks[trackPath] { return known }
        tracks[trackPath] = .some(nil)
        lines[trackPath] = row.line
        let stored = try await store.tracks(title: title).first { $0.name == name }
        let values = trackValues[trackPath] ?? TrackValues()
        let kind = values.kind ?? stored?.kind ?? ContentTrack(rawValue: name) ?? .unspecified
        let track = try TrackRecord(
            title: title,
            name: name,
            kind: kind,
            streamID: values.streamID ?? stored?.streamID,
            policyName: values.policy ?? stored?.policyName
        )
        if stored == nil {
            newTracks += 1
            changedTracks.append(track)
        } else if stored != track {
            try change("the track exists with another kind, stream ID or policy", row, options)
            changedTracks.append(track)
        }
        tracks[trackPath] = track
        return track
    }

    /// Returns all tracks of a title after the import.
    func tracks(of title: TitleRecord) async throws(KeyStoreError) -> [TrackRecord] {
        try await store.tracks(title: title.name).map { (tracks["\($0.title)/\($0.name)"] ?? nil) ?? $0 }
    }

    /// Returns a title after the import; nil if it is not valid.
    func resolvedTitle(_ name: String) -> TitleRecord? { titles[name] ?? nil }

    private mutating func change(_ what: String, _ row: KeyRow, _ options: KeyImport.Options) throws(KeyFileError) {
        changed += 1
        guard options.replaces else { throw KeyFileError(line: row.line, reason: what) }
    }

    private func note<Values, Value: Equatable>(
        _ value: Value?,
        _ field: WritableKeyPath<Values, Value?>,
        in values: inout Values,
        _ name: String,
        _ row: KeyRow
    ) throws(KeyFileError) {
        guard let value else { return }
        if let earlier = values[keyPath: field], earlier != value {
            throw KeyFileError(line: row.line, reason: "an earlier line has a different \(name)")
        }
        values[keyPath: field] = value
    }
}
