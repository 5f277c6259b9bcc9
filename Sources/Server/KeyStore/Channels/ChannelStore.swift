/// Schedules of live channels, by their titles.
///
/// What a schedule names is there: a track that one names is not deleted.
package protocol ChannelStore: Sendable {
    /// The schedule of that title, or nil.
    func channel(title: String) async throws(KeyStoreError) -> ChannelRecord?

    /// Up to `limit` schedules (1 to 1,000) in the order of their titles, after the given one.
    func channels(after title: String?, limit: Int) async throws(KeyStoreError) -> [ChannelRecord]

    /// Keeps a schedule. Replacing keeps the time at which it was first stored.
    ///
    /// - Throws: ``KeyStoreError/Code/conflict`` when the title has one and `replacing` is false,
    ///   ``KeyStoreError/Code/missingReference`` when its title or a track is not there.
    @discardableResult
    func putChannel(
        _ record: ChannelRecord,
        replacing: Bool,
        audit: AuditNote?
    ) async throws(KeyStoreError) -> WriteOutcome

    /// Forgets a schedule; false when there was none. The periods that it has made stay.
    @discardableResult
    func deleteChannel(title: String, audit: AuditRecord?) async throws(KeyStoreError) -> Bool
}

extension ChannelStore {
    /// Every schedule, in the order of their titles.
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
    /// A track that a channel's schedule names was to be deleted.
    package static func trackScheduled(_ name: String, of title: String) -> KeyStoreError {
        KeyStoreError(.conflict, place: "track \(title)/\(name)", reason: "the channel's schedule names it")
    }
}
