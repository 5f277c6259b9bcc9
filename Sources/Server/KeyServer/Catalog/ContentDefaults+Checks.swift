package import KeyStore

// Records that would make every license fail are refused when they are stored, both over HTTP and from the command
// line. The check and the write are separate steps, so two concurrent changes can each pass the check and still
// conflict.

extension ContentDefaults {
    /// Checks a title against the rules, and its policy against its tracks and keys.
    ///
    /// - Throws: `KeyStoreError` with `invalidRecord` for an invalid key URI, `missingReference` for a policy that does
    ///   not exist, `conflict` for a policy that does not fit.
    package static func check(title: TitleRecord, in store: any TitleStore & PolicyStore) async throws(KeyStoreError) {
        var check = ContentCheck(store)
        try await check.check(title, tracks: try await store.tracks(title: title.name))
    }

    /// Checks a track against its own and its title's policy, and its keys against theirs.
    ///
    /// - Throws: `KeyStoreError` with `missingReference` or `conflict`.
    package static func check(track: TrackRecord, in store: any TitleStore & PolicyStore) async throws(KeyStoreError) {
        var check = ContentCheck(store)
        try await check.check(track, under: try await store.title(name: track.title), for: track.place)
    }

    /// Checks a key against its policy and those of its title and track, or the policy named `default` if it has none.
    ///
    /// - Throws: `KeyStoreError` with `missingReference` or `conflict`.
    package static func check(content: ContentRecord, in store: any TitleStore & PolicyStore)
        async throws(KeyStoreError)
    {
        let info = content.info
        var (title, track): (TitleRecord?, TrackRecord?) = (nil, nil)
        if let name = info.titleName {
            title = try await store.title(name: name)
            track = try await store.tracks(title: name).first { $0.name == info.trackName }
        }
        var check = ContentCheck(store)
        let names = ContentLookup.policyNames(governing: info, title, track)
        try await check.check(names, track?.kind ?? info.track, of: info.place, for: info.place)
    }

    /// Checks a changed policy against everything that refers to it.
    ///
    /// It reads every title, track and key, a thousand at a time, because the stores have no index by policy.
    ///
    /// - Throws: `KeyStoreError` with `conflict`, which names the first track or key that the policy does not fit.
    package static func check(
        policy: PolicyRecord,
        in store: any ContentStore & TitleStore & PolicyStore
    ) async throws(KeyStoreError) {
        let stored = try await store.policy(name: policy.name)
        // Nothing can refer to a new policy, except to the one that applies by default.
        guard stored != nil || policy.name == ContentLookup.defaultPolicy, stored != policy else { return }
        var check = ContentCheck(store, changed: policy)
        var (titles, tracks): ([String: TitleRecord], [String: [String: TrackRecord]]) = ([:], [:])
        var lastTitle: String?
        repeat {
            let page = try await store.titles(after: lastTitle, limit: ContentCheck.pageSize)
            for title in page {
                titles[title.name] = title
                for track in try await store.tracks(title: title.name) {
                    tracks[title.name, default: [:]][track.name] = track
                    let names = [title.policyName, track.policyName].compactMap { $0 }
                    guard names.contains(policy.name) else { continue }
                    try await check.check(names, track.kind, of: track.place, for: "policy \(policy.name)")
                }
            }
            lastTitle = page.last?.name
        } while lastTitle != nil
        var lastAsset: [UInt8]?
        repeat {
            let page = try await store.contents(after: lastAsset, limit: ContentCheck.pageSize)
            for info in page {
                let title = info.titleName.flatMap { titles[$0] }
                let track = info.titleName.flatMap { tracks[$0] }.flatMap { $0[info.trackName ?? ""] }
                let names = ContentLookup.policyNames(governing: info, title, track)
                guard names.contains(policy.name) else { continue }
                try await check.check(names, track?.kind ?? info.track, of: info.place, for: "policy \(policy.name)")
            }
            lastAsset = page.last?.assetID
        } while lastAsset != nil
    }
}
