package import FileAccess
import Glibc
import HLSPlaylist
package import Logging
import NIOCore

/// The served folder: finds its playlists, and reads what changes into the channels. Only one thread uses it.
///
/// A file that cannot be read is logged, and the channel keeps its last version.
package final class ChannelFolder {
    /// The limits of the folder.
    package struct Limits: Sendable {
        /// The maximum size of a playlist, in bytes.
        package var playlistBytes = 8 << 20
        /// The maximum number of Media Segments of a playlist.
        package var segments = 100_000
        /// The maximum number of playlists of a channel.
        package var playlists = 500
        /// The maximum number of entries of a folder.
        package var entries = 200_000
        /// The maximum depth of folders with playlists below the served one.
        package var depth = 4

        /// Creates the default limits.
        package init() {}
    }

    /// The maximum number of DASH manifests of a channel in memory.
    private static let maximumManifests = 8

    private let access: FolderAccess
    private let channels: LiveChannels
    private let limits: Limits
    private let logger: Logger
    private let watcher: (any FolderWatching)?
    /// The versions of the playlists that were read, by path.
    private var known: [String: FileIdentity] = [:]
    /// The problems that were logged, by path, so that each is logged once.
    private var problems: [String: String] = [:]

    /// Creates the folder without reading it.
    ///
    /// - Parameter watcher: The watcher to which folders are added; nil for none.
    package init(
        access: FolderAccess,
        channels: LiveChannels,
        limits: Limits = Limits(),
        watcher: (any FolderWatching)? = nil,
        logger: Logger
    ) {
        self.access = access
        self.channels = channels
        self.limits = limits
        self.watcher = watcher
        self.logger = logger
    }

    /// Applies changes that a watcher reported.
    package func apply(_ changes: [FolderChange], now: Duration) {
        if changes.contains(.everything) { return scan(now: now) }
        for change in changes {
            switch change {
            case .file(let path):
                if ChannelPath.isPlaylist(path) { reload(path, now: now) }
                if ChannelPath.isManifest(path) { reloadManifest(path, now: now) }
            case .folder(let path):
                removeMissing(below: path)
                scan(path, depth: path.isEmpty ? 0 : path.split(separator: "/").count, now: now)
            case .everything: break
            }
        }
    }

    /// Reads the whole folder: new and changed playlists, and those that disappeared.
    package func scan(now: Duration) {
        removeMissing(below: "")
        scan("", depth: 0, now: now)
    }

    private func scan(_ folder: String, depth: Int, now: Duration) {
        guard folder.isEmpty || ChannelPath.isValid(folder) else { return }
        do throws(FolderError) {
            // Watch before listing, so that nothing is missed between the two.
            try watcher?.watch(folder)
        } catch {
            if error.code != ENOENT { report(folder, "\(error)") }
        }
        do throws(FolderError) {
            guard let entries = try access.entries(folder, limit: limits.entries) else {
                if folder.isEmpty { report("", "the folder does not exist") }
                return
            }
            resolved(folder)
            let prefix = folder.isEmpty ? "" : folder + "/"
            for name in entries.files where ChannelPath.isPlaylist(name) { reload(prefix + name, now: now) }
            if depth < limits.depth {
                for name in entries.folders { scan(prefix + name, depth: depth + 1, now: now) }
            }
            // The channel of a manifest exists after its playlists were read.
            for name in entries.files where ChannelPath.isManifest(name) { reloadManifest(prefix + name, now: now) }
        } catch {
            report(folder, "\(error)")
        }
    }

    private func removeMissing(below folder: String) {
        for path in known.keys where folder.isEmpty || path.hasPrefix(folder + "/") {
            if access.identity(path) == nil { remove(path) }
        }
    }

    /// Reads a playlist if it has changed.
    private func reload(_ path: String, now: Duration) {
        guard ChannelPath.isValid(path) else { return }
        do throws(FolderError) {
            guard let file = try access.open(path) else { return remove(path) }
            guard known[path] != file.identity else { return }
            guard file.size <= limits.playlistBytes else {
                return report(path, "the playlist is larger than \(limits.playlistBytes) bytes")
            }
            known[path] = file.identity
            let text = Array(try file.bytes(0..<file.size).readableBytesView)
            publish(text, at: path, now: now)
        } catch {
            report(path, "\(error)")
        }
    }

    /// Reads a DASH manifest if it has changed, and then the playlists of its channel, so that they are at least as new: a
    /// request for an incomplete segment that the manifest lists can then follow the growth of the segment.
    private func reloadManifest(_ path: String, now: Duration) {
        guard ChannelPath.isValid(path), let channel = channels[ChannelPath.channel(of: path)] else { return }
        do throws(FolderError) {
            guard let file = try access.open(path) else { return remove(path) }
            guard known[path] != file.identity else { return }
            let manifests = channel.state.manifests
            guard file.size <= limits.playlistBytes,
                manifests[path] != nil || manifests.count < Self.maximumManifests
            else {
                channel.update { $0.remove(path) }
                return report(path, "the manifest is too large or one too many, so it is read for each request")
            }
            known[path] = file.identity
            let bytes = try file.bytes(0..<file.size)
            for playlist in channel.state.playlists.keys.sorted() { reload(playlist, now: now) }
            channel.update { $0.publishManifest(bytes, entityTag: file.entityTag, at: path) }
            resolved(path)
        } catch {
            report(path, "\(error)")
        }
    }

    private func publish(_ text: [UInt8], at path: String, now: Duration) {
        let name = ChannelPath.channel(of: path)
        guard let channel = channels.channel(creating: name) else {
            return report(path, "the server has the maximum number of channels")
        }
        let playlists = channel.state.playlists
        guard playlists[path] != nil || playlists.count < limits.playlists else {
            return report(path, "the channel has more than \(limits.playlists) playlists")
        }
        var parsing = PlaylistLimits()
        parsing.bytes = limits.playlistBytes
        parsing.segments = limits.segments
        do {
            let playlist = try channel.prepare(text, at: path, now: now, limits: parsing)
            let reads = channel.state.reads(for: playlist)
            let bytes = reads.compactMap(read)
            channel.update { $0.publish(playlist, bytes) }
            resolved(path)
        } catch {
            report(path, "the playlist cannot be used: \(error)")
        }
        if channel.state.isEmpty { channels.remove(name) }
    }

    /// Reads the bytes of a file that a playlist lists; nil if they are not there.
    private func read(_ read: ChannelState.FileRead) -> ChannelState.FileBytes? {
        do throws(FolderError) {
            guard let file = try access.open(read.path) else {
                if !read.isOptional { report(read.path, "the file is listed, but does not exist") }
                return nil
            }
            let end = read.end ?? file.size
            guard file.size >= end, read.offset <= end else {
                report(read.path, "the file is shorter than its playlist lists: \(file.size) bytes")
                return nil
            }
            let bytes = try file.bytes(read.offset..<end)
            guard bytes.readableBytes == end - read.offset else {
                report(read.path, "the file became shorter while it was read")
                return nil
            }
            resolved(read.path)
            return .init(read: read, bytes: bytes, entityTag: file.entityTag)
        } catch {
            report(read.path, "\(error)")
            return nil
        }
    }

    private func remove(_ path: String) {
        known[path] = nil
        let name = ChannelPath.channel(of: path)
        guard let channel = channels[name] else { return }
        channel.update { $0.remove(path) }
        if channel.state.isEmpty {
            channels.remove(name)
            logger.notice("a channel was removed", metadata: ["channel": "\(name)"])
        }
    }

    /// Logs a problem, unless it was logged before.
    private func report(_ path: String, _ problem: String) {
        guard problems[path] != problem else { return }
        if problems.count >= 1000 { problems = [:] }
        problems[path] = problem
        logger.warning("\(problem)", metadata: ["path": "\(path)"])
    }

    private func resolved(_ path: String) { problems[path] = nil }
}
