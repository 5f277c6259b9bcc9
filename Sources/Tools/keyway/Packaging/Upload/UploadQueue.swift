import Packager

/// The changes that have not been uploaded, in order. A value without I/O.
///
///     video/2.m4s, video/media.m3u8   one after the other         \  at the same time
///     audio/2.m4s, audio/media.m3u8   one after the other         /
///     main.m3u8                       alone, because it refers to files in several folders
struct UploadQueue {
    /// A change and the time at which it was made.
    struct Entry {
        let change: LiveFileChange
        let added: ContinuousClock.Instant
    }

    private var entries: [Entry] = []

    /// True if all changes have been returned.
    var isEmpty: Bool { entries.isEmpty }

    /// Adds a change.
    mutating func append(_ change: LiveFileChange, now: ContinuousClock.Instant) {
        entries.append(Entry(change: change, added: now))
    }

    /// Removes the next changes, in groups that can be uploaded at the same time; those of a group one after the other.
    mutating func next() -> [[Entry]] {
        guard let first = entries.first else { return [] }
        guard let folder = Self.folder(of: first) else {
            entries.removeFirst()
            return [[first]]
        }
        let count = entries.firstIndex { Self.folder(of: $0) == nil } ?? entries.count
        var groups: [[Entry]] = [[]]
        var indexes = [folder: 0]
        for entry in entries[..<count] {
            guard let folder = Self.folder(of: entry) else { continue }
            if indexes[folder] == nil {
                indexes[folder] = groups.count
                groups.append([])
            }
            if let index = indexes[folder] { groups[index].append(entry) }
        }
        entries.removeFirst(count)
        return groups.map(Self.newestPlaylists)
    }

    /// Removes versions of playlists that a later one of the same group replaces.
    private static func newestPlaylists(_ group: [Entry]) -> [Entry] {
        var newer: Set<String> = []
        let kept = group.reversed().filter { entry in
            guard case .replaced = entry.change.kind else { return true }
            return newer.insert(entry.change.path).inserted
        }
        return kept.reversed()
    }

    /// Returns the folder of a file; nil for a file of the whole presentation.
    private static func folder(of entry: Entry) -> Substring? {
        entry.change.path.lastIndex(of: "/").map { entry.change.path[..<$0] }
    }
}
