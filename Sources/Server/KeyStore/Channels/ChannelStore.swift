/// Schedules of live channels, by title.
///
/// The title and tracks of a schedule exist: a track that a schedule refers to cannot be deleted.
package protocol ChannelStore: Sendable {
    /// Returns the schedule of a title, or nil.
    func channel(title: String) async throws(KeyStoreError) -> ChannelRecord?

    /// Returns up to `limit` schedules (1 to 1,000) sorted by title, after the given title.
    func channels(after title: String?, limit: Int) async throws(KeyStoreError) -> [ChannelRecord]

    /// Stores a schedule. Replacing preserves the time at which it was first stored.
    ///
    /// - Throws: ``KeyStoreError/Code/conflict`` if the title has a schedule and `replacing` is false,
    ///   ``KeyStoreError/Code/missingReference`` if its title or a track does not exist.
    @discardableResult
    func putChannel(
        _ record: ChannelRecord,
        replacing: Bool,
        audit: AuditRecordProvider?
    ) async throws(KeyStoreError) -> WriteOutcome

    /// Deletes a schedule. Returns false if it does not exist. The periods that it created stay.
    @discardableResult
    func deleteChannel(title: String, audit: AuditRecord?) async throws(KeyStoreError) -> Bool
}

extension ChannelStore {
    /// Returns all schedules, sorted by title.
    package func allChannels() async throws(KeyStoreError) -> [ChannelRecord] {
        var found: [ChannelRecord] = []
        while true {
            let page = try await channels(after: found.last?.title, limit: 1_000)
            guard !page.isEmpty else { return found }
            found += page
        }
    }
}

extension KeyStoreError {
    /// The error for deleting a track that a channel's schedule refers to.
    package static func trackScheduled(_ name: String, of title: String) -> KeyStoreError {
        KeyStoreError(
            .conflict,
            place: "track \(title)/\(name)",
            reason: "the channel's schedule refers to it; change the schedule first"
        )
    }
}
