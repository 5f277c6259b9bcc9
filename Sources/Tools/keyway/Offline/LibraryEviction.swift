import OfflineAssets
import VirtualDevice

/// Makes room in a folder of downloads, in the order of ``EvictionPlan``.
struct LibraryEviction {
    /// What goes, or is gone, and what could not be done on the way.
    struct Result {
        var plan: EvictionPlan
        var notes: [String] = []
    }

    let home: OfflineHome
    /// Keys that may still be used are given back where these name a server.
    let keys: OfflineKeyOptions
    /// Which downloads stay, whatever their turn is.
    var spares: (EvictionCandidate) -> Bool = { _ in false }

    /// What would go, so that so many bytes are freed.
    func plan(toFree needed: UInt64) throws -> Result {
        let now = SystemDeviceClock().now
        let (listings, damaged) = try OfflineListing.all(home, at: now)
        return Result(plan: EvictionPlan(toFree: needed, of: candidates(listings, at: now), at: now), notes: damaged)
    }

    /// Takes one title after the other. One that somebody has begun to use since it was looked at stays, and another goes.
    func carryOut(toFree needed: UInt64) async throws -> Result {
        let now = SystemDeviceClock().now
        let (listings, damaged) = try OfflineListing.all(home, at: now)
        var notes = damaged
        var candidates = candidates(listings, at: now)
        var gone: [EvictionPlan.Eviction] = []
        while true {
            let freed = gone.reduce(UInt64(0)) { $0 &+ $1.size }
            let rest = EvictionPlan(toFree: needed - min(needed, freed), of: candidates, at: now)
            guard let next = rest.evictions.first,
                let index = candidates.firstIndex(where: { $0.title == next.title }),
                let listing = listings.first(where: { $0.summary.title == next.title })
            else { break }
            guard let claim = try home.store.claim(next.title, folder: listing.folder) else {
                candidates[index].isInUse = true
                continue
            }
            notes += try await remove(listing, claim, at: now)
            gone.append(next)
            candidates.remove(at: index)
        }
        return Result(plan: EvictionPlan(gone, of: needed), notes: notes)
    }

    private func candidates(_ listings: [OfflineListing], at now: Int64) -> [EvictionCandidate] {
        listings.map { $0.candidate(at: now) }.filter { !spares($0) }
    }

    /// Keys that the server cannot be told of do not keep a download from going.
    private func remove(_ listing: OfflineListing, _ claim: RemovalClaim, at now: Int64) async throws -> [String] {
        var notes: [String] = []
        if keys.server != nil, listing.entry?.state(at: now).isWatchable == true {
            do {
                try await keys.keys(home).invalidate(title: listing.summary.title)
            } catch let error as OfflineKeyError {
                notes.append("\(error)")
            }
        }
        try claim.remove()
        return notes
    }
}
