import FileWriting
import HLSPlaylist
import MediaDecryption

/// The contents of a presentation: its playlists, and the media files that they reference with the keys of each part.
struct PresentationPlan {
    /// A playlist and its name.
    struct PlaylistFile {
        var name: String
        var playlist: Playlist
    }

    /// A reference to a file, or to a byte range of it, in a playlist.
    struct FileReference {
        /// The byte range; nil for the whole file.
        var range: Range<Int>?
        /// The keys that apply to the bytes.
        var keys: KeyContext
        /// The media sequence number; nil for a media initialization section.
        var mediaSequenceNumber: UInt64?
        /// The media initialization section of the segment; nil if there is none, or if this is one itself.
        var initialization: FileRange?
        /// True if the segment is from an I-frame playlist: it contains only a picture, often without tables.
        var isIFrame = false
    }

    /// A file, or a byte range of it.
    struct FileRange: Hashable {
        var name: String
        var range: Range<Int>?
    }

    /// A media file.
    struct MediaFile {
        var name: String
        /// The first Media Playlist that references the file.
        var playlist: String
        var references: [FileReference]

        /// True if byte ranges of the file are encrypted with keys whose URIs differ.
        var hasSeveralKeys: Bool {
            Set(references.filter(\.keys.isEncrypted).map { $0.keys.keys.map(\.uri) }).count > 1
        }
    }

    /// The media files, in order of appearance.
    private(set) var files: [MediaFile] = []
    /// The playlists; the main playlist is last.
    private(set) var playlists: [PlaylistFile] = []
    /// The files to copy unchanged: session data.
    private(set) var others: [String] = []
    private let paths: PresentationPaths
    private var indexes: [String: Int] = [:]
    /// The media initialization sections already collected: each segment references one.
    private var initializations: Set<FileRange> = []

    /// Reads a presentation.
    ///
    /// - Parameters:
    ///   - name: The name of the main playlist.
    ///   - paths: The paths of the files.
    /// - Throws: ``DecryptionError``, also for errors in playlists; ``FileError``.
    init(_ name: String, paths: PresentationPaths) throws {
        self.paths = paths
        let main = try read(name)
        var media: [PlaylistFile] = []
        switch main.playlist {
        case .media: media = [main]
        case .multivariant(let playlist):
            for uri in Self.uris(playlist) {
                let name = try paths.name(of: uri, in: name)
                guard name != main.name, !media.contains(where: { $0.name == name }) else { continue }
                media.append(try read(name, variables: playlist.variables))
            }
            others = try playlist.sessionData.compactMap { try $0.uri.map { try paths.name(of: $0, in: name) } }
            playlists = media
        }
        // I-frame playlists reference parts of files that other playlists reference as a whole, so they are collected
        // last.
        var iFrames: [(String, MediaPlaylist)] = []
        for file in media {
            guard case .media(let playlist) = file.playlist else {
                throw DecryptionError(.refused, main.name, "it references \(file.name), which is not a Media Playlist")
            }
            if playlist.isIFramesOnly {
                iFrames.append((file.name, playlist))
            } else {
                try collect(playlist, file.name)
            }
        }
        let known = Set(indexes.keys)
        for (name, playlist) in iFrames { try collect(playlist, name, except: known) }
        playlists.append(main)
    }

    private static func uris(_ playlist: MultivariantPlaylist) -> [String] {
        playlist.variants.map(\.uri) + playlist.renditions.compactMap(\.uri) + playlist.iFrameVariants.map(\.uri)
    }

    private func read(_ name: String, variables: [String: String]? = nil) throws -> PlaylistFile {
        let file = try MappedFile(path: paths.path(name))
        guard file.count <= PlaylistLimits().bytes else {
            throw DecryptionError(
                .notSupported,
                name,
                "the file is larger than the limit for playlists (\(PlaylistLimits().bytes) bytes)"
            )
        }
        let bytes = file.withBytes { $0.withUnsafeBytes { [UInt8]($0) } }
        do throws(PlaylistError) {
            let options = ParsingOptions(importedVariables: variables)
            return PlaylistFile(name: name, playlist: try Playlist(parsing: bytes, options: options))
        } catch {
            throw DecryptionError(.damaged, name, error.description)
        }
    }

    private mutating func collect(_ playlist: MediaPlaylist, _ name: String, except known: Set<String> = []) throws {
        let segments: ResolvedSegments
        do throws(PlaylistError) {
            segments = try playlist.resolvedSegments()
        } catch {
            throw DecryptionError(.damaged, name, error.description)
        }
        guard playlist.skip == nil else {
            throw DecryptionError(
                .notSupported,
                name,
                "the playlist is a delta update, which omits segments: download the full playlist"
            )
        }
        // The same URI occurs many times: once for each byte range, and in each EXT-X-MAP tag.
        var names: [String: String] = [:]
        func resolve(_ uri: String) throws -> String {
            if let name = names[uri] { return name }
            let file = try paths.name(of: uri, in: name)
            names[uri] = file
            return file
        }
        for resolved in segments {
            let segment = resolved.segment
            guard !segment.isGap else { continue }
            let file = try resolve(segment.uri)
            guard !known.contains(file) else { continue }
            var reference = FileReference(
                range: try Self.range(resolved.byteRange, file),
                keys: resolved.keys,
                mediaSequenceNumber: resolved.mediaSequenceNumber,
                isIFrame: playlist.isIFramesOnly
            )
            if let initialization = resolved.initialization {
                let fileRange = FileRange(
                    name: try resolve(initialization.map.uri),
                    range: try Self.range(initialization.byteRange, file)
                )
                reference.initialization = fileRange
                if !known.contains(fileRange.name), initializations.insert(fileRange).inserted {
                    add(
                        FileReference(range: fileRange.range, keys: initialization.keys),
                        to: fileRange.name,
                        playlist: name
                    )
                }
            }
            add(reference, to: file, playlist: name)
        }
    }

    private mutating func add(_ reference: FileReference, to file: String, playlist: String) {
        guard let index = indexes[file] else {
            indexes[file] = files.count
            files.append(MediaFile(name: file, playlist: playlist, references: [reference]))
            return
        }
        files[index].references.append(reference)
    }

    private static func range(_ range: Range<UInt64>?, _ file: String) throws -> Range<Int>? {
        guard let range else { return nil }
        guard let end = Int(exactly: range.upperBound) else {
            throw DecryptionError(.damaged, file, "a byte range ends after 2^63")
        }
        return Int(range.lowerBound)..<end
    }
}
