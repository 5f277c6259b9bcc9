import ContentKeySession
import OfflineAssets
import VirtualDevice

/// Frees space in a folder of downloads, in the order of ``EvictionPlan``.
struct LibraryEviction {
    /// The planned or performed deletions, and notes about what failed.
    struct Result {
        var plan: EvictionPlan
        var notes: [String] = []
    }

    let storage: OfflineStorage
    /// The key options; if they name a server, keys that may still be used are returned to it.
    let keys: OfflineKeyOptions
    /// Returns whether a download must not be deleted.
    var spares: (EvictionCandidate) -> Bool = { _ in false }

    /// Returns the downloads that would be deleted to free this number of bytes.
    func plan(toFree needed: UInt64) async throws -> Result {
        let now = SystemDeviceClock().now
        let (listings, damaged) = try await OfflineListing.all(storage, at: now)
        return Result(plan: EvictionPlan(toFree: needed, of: candidates(listings, at: now), at: now), notes: damaged)
    }

    /// Deletes one download after the other. A download that has come into use in the meantime is kept, and the next
    /// one is deleted instead.
    func carryOut(toFree needed: UInt64) async throws -> Result {
        let now = SystemDeviceClock().now
        let (listings, damaged) = try await OfflineListing.all(storage, at: now)
        var notes = damaged
        var candidates = candidates(listings, at: now)
        var deleted: [EvictionPlan.Eviction] = []
        while true {
            let freed = deleted.reduce(UInt64(0)) { $0 &+ $1.size }
            let rest = EvictionPlan(toFree: needed - min(needed, freed), of: candidates, at: now)
            guard let next = rest.evictions.first,
                let index = candidates.firstIndex(where: { $0.title == next.title }),
                let listing = listings.first(where: { $0.summary.title == next.title })
            else { break }
            guard let claim = try storage.store.claim(next.title, folder: listing.folder) else {
                candidates[index].isInUse = true
                continue
            }
            notes += try await remove(listing, claim, at: now)
            deleted.append(next)
            candidates.remove(at: index)
        }
        return Result(plan: EvictionPlan(deleted, of: needed), notes: notes)
    }

    private func candidates(_ listings: [OfflineListing], at now: Int64) -> [EvictionCandidate] {
        listings.map { $0.candidate(at: now) }.filter { !spares($0) }
    }

    /// Deletes a download. If its keys cannot be returned to the server now, the download is deleted nevertheless, and the
    /// keys are returned at the next contact.
    private func remove(_ listing: OfflineListing, _ claim: RemovalClaim, at now: Int64) async throws -> [String] {
        var notes: [String] = []
        if listing.entry?.state(at: now).isPlayable == true {
            let offline = try keys.keys(storage)
            if keys.server != nil {
                do {
                    try await offline.invalidate(title: listing.summary.title)
                } catch let error as OfflineKeyError {
                    notes.append("\(error)")
                }
            }
            try await offline.deferReturn(of: listing.summary.title)
        }
        try claim.remove()
        return notes
    }
}
