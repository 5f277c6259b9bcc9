/// Titles, tracks and key periods.
///
/// A key period is a content record that refers to a track. What is referred to is never deleted.
package protocol TitleStore: Sendable {
    /// The title of that name, or nil.
    func title(name: String) async throws(KeyStoreError) -> TitleRecord?

    /// Keeps a title. Replacing keeps the time at which it was first stored.
    ///
    /// - Throws: ``KeyStoreError/Code/conflict`` when the name is there and `replacing` is false,
    ///   ``KeyStoreError/Code/missingReference`` when its policy is not there.
    @discardableResult
    func putTitle(_ record: TitleRecord, replacing: Bool, audit: AuditNote?) async throws(KeyStoreError) -> WriteOutcome

    /// Forgets a title; false when it was not there.
    ///
    /// - Throws: ``KeyStoreError/Code/conflict`` while it has tracks.
    @discardableResult
    func deleteTitle(name: String, audit: AuditRecord?) async throws(KeyStoreError) -> Bool

    /// Up to `limit` titles (1 to 1,000) in the order of their names, after the given one.
    func titles(after name: String?, limit: Int) async throws(KeyStoreError) -> [TitleRecord]

    /// All tracks of a title in the order of their names. They are few.
    func tracks(title: String) async throws(KeyStoreError) -> [TrackRecord]

    /// Keeps a track.
    ///
    /// - Throws: ``KeyStoreError/Code/conflict`` when the title has such a track and `replacing` is false,
    ///   ``KeyStoreError/Code/missingReference`` when its title or policy is not there.
    @discardableResult
    func putTrack(_ record: TrackRecord, replacing: Bool, audit: AuditNote?) async throws(KeyStoreError) -> WriteOutcome

    /// Forgets a track; false when it was not there.
    ///
    /// - Throws: ``KeyStoreError/Code/conflict`` while it has keys, or the schedule of a channel names it.
    @discardableResult
    func deleteTrack(title: String, name: String, audit: AuditRecord?) async throws(KeyStoreError) -> Bool

    /// Up to `limit` key periods (1 to 1,000) of a track after the given one, in the order in which they begin. Those
    /// without a beginning come first; periods that begin together are in the order of their asset IDs.
    func keyPeriods(
        title: String,
        track: String,
        after last: ContentInfo?,
        limit: Int
    ) async throws(KeyStoreError) -> [ContentInfo]

    /// Keeps many records at once, all of them or none: titles first, then tracks, then keys.
    ///
    /// - Throws: what storing each of them throws, and ``KeyStoreError/Code/invalidRecord`` for more than 1,000 records
    ///   of one kind.
    func put(_ batch: ContentBatch, replacing: Bool, audit: AuditRecord?) async throws(KeyStoreError)
}

extension TitleStore {
    /// The key periods of a track, the first 1,000.
    package func keyPeriods(title: String, track: String) async throws(KeyStoreError) -> [ContentInfo] {
        try await keyPeriods(title: title, track: track, after: nil, limit: 1_000)
    }
}

/// Titles, tracks and keys that are written in one transaction; at most 1,000 of each.
package struct ContentBatch: Sendable {
    /// The titles.
    package var titles: [TitleRecord]
    /// The tracks; their titles may be in the batch.
    package var tracks: [TrackRecord]
    /// The keys; their tracks may be in the batch.
    package var contents: [ContentRecord]

    /// Makes a batch.
    package init(titles: [TitleRecord] = [], tracks: [TrackRecord] = [], contents: [ContentRecord] = []) {
        self.titles = titles
        self.tracks = tracks
        self.contents = contents
    }

    /// Holds that a transaction does not grow without bounds.
    package func check() throws(KeyStoreError) {
        let most = max(titles.count, tracks.count, contents.count)
        guard most <= RecordLimits.batch else {
            throw KeyStoreError(
                .invalidRecord,
                place: "batch",
                reason: "\(most) records of one kind, at most \(RecordLimits.batch)"
            )
        }
    }
}

extension KeyStoreError {
    /// A record refers to a title that is not there.
    package static func noTitle(_ name: String, _ place: String) -> KeyStoreError {
        KeyStoreError(.missingReference, place: place, reason: "there is no title \(name)")
    }

    /// A record refers to a track that is not there.
    package static func noTrack(_ name: String, of title: String, _ place: String) -> KeyStoreError {
        KeyStoreError(.missingReference, place: place, reason: "title \(title) has no track \(name)")
    }

    /// A title that has tracks was to be deleted.
    package static func titleInUse(_ name: String) -> KeyStoreError {
        KeyStoreError(.conflict, place: "title \(name)", reason: "it has tracks: remove them first")
    }

    /// A track that has keys was to be deleted.
    package static func trackInUse(_ name: String, of title: String) -> KeyStoreError {
        KeyStoreError(.conflict, place: "track \(title)/\(name)", reason: "it has keys: remove them first")
    }

    /// Another asset has the key ID.
    package static func keyIDInUse(_ place: String) -> KeyStoreError {
        KeyStoreError(.conflict, place: place, reason: "another asset has its key ID")
    }
}
