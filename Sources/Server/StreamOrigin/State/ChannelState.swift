package import HLSPlaylist
package import NIOCore

/// A channel in memory: the current version of each playlist, and the bytes of the files in its window. A value: reading
/// files and waiting are not its concern.
package struct ChannelState: Sendable {
    /// The bytes that have to be read before a version of a playlist is published.
    package struct FileRead: Hashable, Sendable {
        /// The path in the served folder.
        package let path: String
        /// The position of the first byte.
        package let offset: Int
        /// The position after the last byte; nil reads to the end, and the file is complete.
        package let end: Int?
        /// True if the file may not exist yet.
        package let isOptional: Bool
    }

    /// Bytes that were read.
    package struct FileBytes: Sendable {
        /// The request for the bytes.
        package let read: FileRead
        /// The bytes.
        package let bytes: ByteBuffer
        /// The entity tag of the complete file.
        package let entityTag: String

        /// Creates bytes that were read.
        package init(read: FileRead, bytes: ByteBuffer, entityTag: String) {
            self.read = read
            self.bytes = bytes
            self.entityTag = entityTag
        }
    }

    /// The knowledge about a file.
    package enum Lookup: Sendable {
        /// The file is in memory.
        case held(MediaFile)
        /// A playlist hints at the file.
        case awaited
        /// The file is not in memory: it may be in the folder.
        case unknown
    }

    /// The maximum number of bytes of files in memory.
    package let memoryLimit: Int
    /// The number of bytes of files in memory.
    package private(set) var memory = 0
    /// The current playlists, by path.
    package private(set) var playlists: [String: PublishedPlaylist] = [:]
    private var files: [String: MediaFile] = [:]
    /// The current DASH manifests, by path.
    package private(set) var manifests: [String: MediaFile] = [:]
    /// The listed files that are not kept in memory because of the limit.
    private var evicted: Set<String> = []
    private var histories: [String: DateRangeHistory] = [:]

    /// Creates an empty channel.
    package init(memoryLimit: Int) { self.memoryLimit = memoryLimit }

    /// True if the channel has no playlist.
    package var isEmpty: Bool { playlists.isEmpty }

    // MARK: Answers

    /// Returns what is known about a file.
    package func lookup(_ path: String) -> Lookup {
        if let file = files[path] ?? manifests[path] { return .held(file) }
        return playlists.values.contains { $0.files.hinted.contains(path) } ? .awaited : .unknown
    }

    /// The longest Target Duration of the playlists, in seconds; 6 without one.
    package var targetDuration: UInt64 { playlists.values.compactMap(\.index?.targetDuration).max() ?? 6 }

    /// The longest duration of a playlist, in seconds, for which caches may keep segments.
    package var window: Double { playlists.values.compactMap(\.index?.duration).max() ?? 0 }

    /// True if all Media Playlists have ended.
    package var isEnded: Bool {
        let media = playlists.values.compactMap(\.index)
        return !media.isEmpty && media.allSatisfy(\.isEnded)
    }

    // MARK: Publishing

    /// Records the Date Ranges of the next version of a Media Playlist, and returns what its delta updates leave out.
    package mutating func recordDateRanges(
        of playlist: MediaPlaylist,
        at path: String,
        now: Duration
    ) -> DeltaUpdates.DateRanges {
        histories[path, default: DateRangeHistory()].record(playlist, now: now)
    }

    /// Returns what has to be read for a version, newest files first, up to the limit of memory.
    ///
    /// The files of a presentation that has ended are read from the folder when they are requested; only one that is
    /// still growing in memory is completed.
    package func reads(for playlist: PublishedPlaylist) -> [FileRead] {
        let restarts = isRestart(playlist)
        let isEnded = playlist.index?.isEnded ?? false
        var room = memoryLimit
        var reads: [FileRead] = []
        for listed in playlist.files.listed.reversed() {
            let known = restarts ? nil : files[listed.path]
            room -= known?.count ?? 0
            if isEnded, known == nil { continue }
            guard room > 0, known?.isComplete != true, restarts || !evicted.contains(listed.path) else { continue }
            let offset = known?.count ?? 0
            if let count = listed.count {
                guard count > offset else { continue }
                room -= count - offset
            }
            reads.append(FileRead(path: listed.path, offset: offset, end: listed.count, isOptional: false))
        }
        for path in playlist.files.hintedMaps where files[path] == nil || restarts {
            reads.append(FileRead(path: path, offset: 0, end: nil, isOptional: true))
        }
        return reads
    }

    /// Makes a version of a playlist and the bytes of its files visible.
    package mutating func publish(_ playlist: PublishedPlaylist, _ bytes: [FileBytes]) {
        if isRestart(playlist) {
            for listed in playlists[playlist.path]?.files.listed ?? [] { removeFile(listed.path) }
        }
        playlists[playlist.path] = playlist
        for part in bytes {
            var file = files[part.read.path] ?? MediaFile()
            guard file.count == part.read.offset, !file.isComplete else { continue }
            file.append(part.bytes)
            memory += part.bytes.readableBytes
            if part.read.end == nil { file.complete(entityTag: part.entityTag) }
            files[part.read.path] = file
        }
        removeUnlistedFiles()
        evict()
    }

    /// Makes a version of a DASH manifest visible. The playlists must be at least as new.
    package mutating func publishManifest(_ bytes: ByteBuffer, entityTag: String, at path: String) {
        var file = MediaFile()
        file.append(bytes)
        file.complete(entityTag: entityTag)
        manifests[path] = file
    }

    /// Removes a playlist or manifest that was deleted.
    package mutating func remove(_ path: String) {
        manifests[path] = nil
        guard playlists.removeValue(forKey: path) != nil else { return }
        histories[path] = nil
        removeUnlistedFiles()
    }

    /// Returns whether the numbers of a playlist go back: its writer has started again, and may reuse the names of files.
    private func isRestart(_ playlist: PublishedPlaylist) -> Bool {
        guard let old = playlists[playlist.path]?.index, let new = playlist.index else { return false }
        return new.first + UInt64(new.parts.count) < old.first + UInt64(old.parts.count)
    }

    private mutating func removeUnlistedFiles() {
        var named: Set<String> = []
        for playlist in playlists.values {
            named.formUnion(playlist.files.hinted)
            named.formUnion(playlist.files.listed.map(\.path))
        }
        for path in files.keys where !named.contains(path) { removeFile(path) }
        evicted.formIntersection(named)
    }

    private mutating func removeFile(_ path: String) {
        if let file = files.removeValue(forKey: path) { memory -= file.count }
        evicted.remove(path)
    }

    /// Removes the oldest complete files above the limit. They are read from the folder when they are requested.
    private mutating func evict() {
        for listed in playlists.values.flatMap(\.files.listed) where files[listed.path] == nil {
            if listed.count == nil { evicted.insert(listed.path) }
        }
        guard memory > memoryLimit else { return }
        var ages: [(path: String, age: Int)] = []
        for playlist in playlists.values {
            for (age, listed) in playlist.files.listed.reversed().enumerated() where listed.count == nil {
                ages.append((listed.path, age))
            }
        }
        for (path, _) in ages.sorted(by: { ($0.age, $0.path) > ($1.age, $1.path) }) where memory > memoryLimit {
            guard files[path] != nil else { continue }
            removeFile(path)
            evicted.insert(path)
        }
    }
}
