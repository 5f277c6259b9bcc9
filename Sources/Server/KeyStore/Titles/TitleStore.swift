/// Titles, tracks and key periods.
///
/// A key period is a content record that refers to a track. A record that others refer to cannot be deleted.
package protocol TitleStore: Sendable {
    /// Returns the title with this name, or nil.
    func title(name: String) async throws(KeyStoreError) -> TitleRecord?

    /// Stores a title. Replacing preserves the time at which it was first stored.
    ///
    /// - Throws: ``KeyStoreError/Code/conflict`` if the name exists and `replacing` is false,
    ///   ``KeyStoreError/Code/missingReference`` if its policy does not exist.
    @discardableResult
    func putTitle(_ record: TitleRecord, replacing: Bool, audit: AuditRecordProvider?) async throws(KeyStoreError)
        -> WriteOutcome

    /// Deletes a title. Returns false if it does not exist.
    ///
    /// - Throws: ``KeyStoreError/Code/conflict`` if it has tracks.
    @discardableResult
    func deleteTitle(name: String, audit: AuditRecord?) async throws(KeyStoreError) -> Bool

    /// Returns up to `limit` titles (1 to 1,000) sorted by name, after the given name.
    func titles(after name: String?, limit: Int) async throws(KeyStoreError) -> [TitleRecord]

    /// Returns all tracks of a title, sorted by name. A title has only a few.
    func tracks(title: String) async throws(KeyStoreError) -> [TrackRecord]

    /// Stores a track.
    ///
    /// - Throws: ``KeyStoreError/Code/conflict`` if the track exists and `replacing` is false,
    ///   ``KeyStoreError/Code/missingReference`` if its title or policy does not exist.
    @discardableResult
    func putTrack(_ record: TrackRecord, replacing: Bool, audit: AuditRecordProvider?) async throws(KeyStoreError)
        -> WriteOutcome

    /// Deletes a track. Returns false if it does not exist.
    ///
    /// - Throws: ``KeyStoreError/Code/conflict`` if it has keys, or if the schedule of a channel refers to it.
    @discardableResult
    func deleteTrack(title: String, name: String, audit: AuditRecord?) async throws(KeyStoreError) -> Bool

    /// Returns up to `limit` key periods (1 to 1,000) of a track after the given one, sorted by start and then by asset
    /// ID. Periods without a start come first.
    func keyPeriods(
        title: String,
        track: String,
        after last: ContentInfo?,
        limit: Int
    ) async throws(KeyStoreError) -> [ContentInfo]

    /// Stores many records in one transaction: titles first, then tracks, then keys.
    ///
    /// - Throws: The errors of storing each record, and ``KeyStoreError/Code/invalidRecord`` for more than 1,000
    ///   records of one kind.
    func put(_ batch: ContentBatch, replacing: Bool, audit: AuditRecord?) async throws(KeyStoreError)
}

extension TitleStore {
    /// Returns the first 1,000 key periods of a track.
    package func keyPeriods(title: String, track: String) async throws(KeyStoreError) -> [ContentInfo] {
        try await keyPeriods(title: title, track: track, after: nil, limit: 1_000)
    }
}

/// Titles, tracks and keys that are written in one transaction, at most 1,000 of each.
package struct ContentBatch: Sendable {
    /// The titles.
    package var titles: [TitleRecord]
    /// The tracks; their titles may be in the batch.
    package var tracks: [TrackRecord]
    /// The keys; their tracks may be in the batch.
    package var contents: [ContentRecord]

    /// Creates a batch.
    package init(titles: [TitleRecord] = [], tracks: [TrackRecord] = [], contents: [ContentRecord] = []) {
        self.titles = titles
        self.tracks = tracks
        self.contents = contents
    }

    /// Throws if the batch exceeds the limit of records in one transaction.
    package func check() throws(KeyStoreError) {
        let largest = max(titles.count, tracks.count, contents.count)
        guard largest <= RecordLimits.batch else {
            throw KeyStoreError(
                .invalidRecord,
                place: "batch",
                reason: "expected at most \(RecordLimits.batch) records of one kind, not \(largest)"
            )
        }
    }
}

extension KeyStoreError {
    /// The error for a record that refers to a title that does not exist.
    package static func noTitle(_ name: String, _ place: String) -> KeyStoreError {
        KeyStoreError(.missingReference, place: place, reason: "there is no title \(name)")
    }

    /// The error for a record that refers to a track that does not exist.
    package static func noTrack(_ name: String, of title: String, _ place: String) -> KeyStoreError {
        KeyStoreError(.missingReference, place: place, reason: "title \(title) has no track \(name)")
    }

    /// The error for deleting a title that has tracks.
    package static func titleInUse(_ name: String) -> KeyStoreError {
        KeyStoreError(.conflict, place: "title \(name)", reason: "it has tracks: remove them first")
    }

    /// The error for deleting a track that has keys.
    package static func trackInUse(_ name: String, of title: String) -> KeyStoreError {
        KeyStoreError(.conflict, place: "track \(title)/\(name)", reason: "it has keys: remove them first")
    }

    /// The error for a key ID that another asset already uses.
    package static func keyIDInUse(_ place: String) -> KeyStoreError {
        KeyStoreError(.conflict, place: place, reason: "the key ID is already used by another asset")
    }
}
