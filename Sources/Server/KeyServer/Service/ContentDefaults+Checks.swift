package import KeyStore

// What would refuse every license is refused when it is stored, whichever way it comes in. The check and the write are two
// steps: of two changes at the same moment, each may be right by itself.

extension ContentDefaults {
    /// Holds a title against the rules, and its policy against the tracks and keys that it has.
    ///
    /// - Throws: `KeyStoreError` with `invalidRecord` for a key URI that is none, `missingReference` for a policy that is
    ///   not there, `conflict` for one that does not fit.
    package static func check(title: TitleRecord, in store: any TitleStore & PolicyStore) async throws(KeyStoreError) {
        var check = ContentCheck(store)
        try await check.check(title, tracks: try await store.tracks(title: title.name))
    }

    /// Holds a track against its policy and its title's, and against those of the keys that it has.
    ///
    /// - Throws: `KeyStoreError` with `missingReference` or `conflict`.
    package static func check(track: TrackRecord, in store: any TitleStore & PolicyStore) async throws(KeyStoreError) {
        var check = ContentCheck(store)
        try await check.check(track, under: try await store.title(name: track.title), for: track.place)
    }

    /// Holds a key against its policy and those of its title and track, or the policy called `default` where there is none.
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

    /// Holds a policy that takes the place of another against everything that refers to it.
    ///
    /// It reads every title, track and key, a thousand at a time, since the stores keep no list of what refers to a policy.
    ///
    /// - Throws: `KeyStoreError` with `conflict`, which names the first track or key that it does not fit.
    package static func check(
        policy: PolicyRecord,
        in store: any ContentStore & TitleStore & PolicyStore
    ) async throws(KeyStoreError) {
        let stored = try await store.policy(name: policy.name)
        // Nothing refers to a policy that is not there, but for the one that counts where none is named.
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
