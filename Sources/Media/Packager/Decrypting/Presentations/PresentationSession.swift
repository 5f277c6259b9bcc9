import ByteCoding
import HLSPlaylist
import MediaDecryption
import MediaFormats
import SampleEncryption

/// Decrypts the files of a presentation one after another, with the state that continues across files.
struct PresentationSession {
    private let keys: DecryptionKeys
    private let paths: PresentationPaths
    /// The decryptors of transport streams by Media Playlist; continuity counters and tables continue across segments.
    private var streams: [String: TransportStreamDecryptor] = [:]
    /// The most recent init segment; usually all segments of a rendition share one.
    private var initialization: (fileRange: PresentationPlan.FileRange, movie: Movie)?

    init(keys: DecryptionKeys, paths: PresentationPaths) {
        self.keys = keys
        self.paths = paths
    }

    /// Decrypts a file.
    ///
    /// - Returns: The tracks with the number of decrypted samples, and the number of bytes written.
    mutating func decrypt(
        _ file: PresentationPlan.MediaFile,
        to path: String,
        _ ranges: inout ClearRanges
    ) throws -> (tracks: [DecryptedTrack], bytes: Int) {
        let mapped = try MappedFile(path: paths.path(file.name))
        return try mapped.withBytes { input in
            for reference in file.references {
                if let range = reference.range, range.upperBound > input.byteCount {
                    throw DecryptionError(
                        .damaged,
                        file.name,
                        "\(file.playlist) references its bytes up to \(range.upperBound), but the file has only "
                            + "\(input.byteCount)"
                    )
                }
            }
            let methods = Set(file.references.compactMap { PlaylistKey($0.keys, subject: file.name)?.method })
            if methods.contains(.aes128) { return try decryptSegments(file, input, to: path, &ranges) }
            for method in methods where method != .sampleAES && method != .sampleAESCTR {
                throw DecryptionError(.notSupported, file.name, "its METHOD is \(method.rawValue)")
            }
            let output = try ClearFile(path: path, count: input.byteCount)
            let tracks = try output.withMutableBytes { try decryptInPlace(file, input, into: &$0) }
            try output.finish()
            return (tracks, input.byteCount)
        }
    }

    // MARK: Samples

    private mutating func decryptInPlace(
        _ file: PresentationPlan.MediaFile,
        _ input: RawSpan,
        into output: inout MutableRawSpan
    ) throws -> [DecryptedTrack] {
        let first = file.references.first { $0.keys.isEncrypted }
        switch MediaFileKind(input) {
        case .mp4:
            // Also without a key tag: the boxes specify the encryption, and a clear file remains unchanged.
            if !keys.uris.isEmpty, file.hasSeveralKeys { return try decryptMP4Ranges(file, input, into: &output) }
            var movie: Movie?
            if try !MP4Decryptor.hasMovie(input) { movie = try self.movie(of: file) }
            let keys = try keys(for: first, of: file)
            return try MP4Decryptor(keys: keys).decrypt(input, initialization: movie, into: &output)
        case .transportStream, .packedAudio:
            output.withUnsafeMutableBytes { output in input.withUnsafeBytes { output.copyMemory(from: $0) } }
            guard first != nil else { return [] }
            return try decryptRanges(file, input, into: &output)
        case .webVTT, .playlist, .other:
            guard first == nil else {
                throw DecryptionError(
                    .notSupported,
                    file.name,
                    "\(file.playlist) specifies sample encryption, but the file is not MP4, a transport stream "
                        + "or packed audio"
                )
            }
            output.withUnsafeMutableBytes { output in input.withUnsafeBytes { output.copyMemory(from: $0) } }
            return []
        }
    }

    /// Returns the keys for the MP4 samples of a reference.
    private func keys(
        for reference: PresentationPlan.FileReference?,
        of file: PresentationPlan.MediaFile
    ) throws -> DecryptionKeys {
        var keys = keys
        if let reference, let key = PlaylistKey(reference.keys, subject: file.name) {
            keys.playlistKey = key.key(byURIIn: keys)
            keys.unnamed = key.unnamedKey(in: keys) ?? keys.unnamed
            keys.embedded = try key.embedded
        }
        return keys
    }

    /// Decrypts an MP4 file whose byte ranges have keys with different URIs. Such URIs do not have to contain the key IDs of
    /// the samples, so each range is decrypted with the key of its own tag.
    private mutating func decryptMP4Ranges(
        _ file: PresentationPlan.MediaFile,
        _ input: RawSpan,
        into output: inout MutableRawSpan
    ) throws -> [DecryptedTrack] {
        output.withUnsafeMutableBytes { output in input.withUnsafeBytes { output.copyMemory(from: $0) } }
        var tracks: [DecryptedTrack] = []
        var end = 0
        for reference in Self.sorted(file.references) {
            let range = reference.range ?? 0..<input.byteCount
            guard range.lowerBound >= end else { continue }
            end = range.upperBound
            let part = input.extracting(range)
            var target = output._mutatingExtracting(range)
            let movie = try MP4Decryptor.hasMovie(part) ? nil : self.movie(of: file)
            let decryptor = MP4Decryptor(keys: try keys(for: reference, of: file))
            for track in try decryptor.decrypt(part, initialization: movie, into: &target) {
                if let index = tracks.firstIndex(where: { $0.name == track.name }) {
                    tracks[index].add(track)
                } else {
                    tracks.append(track)
                }
            }
        }
        return tracks
    }

    /// Returns the movie of the init segment that the segments of a file share.
    private mutating func movie(of file: PresentationPlan.MediaFile) throws -> Movie? {
        let fileRanges = Set(file.references.compactMap(\.initialization))
        guard fileRanges.count <= 1 else {
            throw DecryptionError(.notSupported, file.name, "its segments have different init segments")
        }
        guard let fileRange = fileRanges.first else { return nil }
        if let initialization, initialization.fileRange == fileRange { return initialization.movie }
        let movie = try withBytes(of: fileRange) { try MP4Decryptor.movie(of: $0) }
        initialization = (fileRange, movie)
        return movie
    }

    /// Calls a closure with the bytes of an init segment.
    private func withBytes<Result>(
        of fileRange: PresentationPlan.FileRange,
        _ body: (RawSpan) throws -> Result
    ) throws -> Result {
        try MappedFile(path: paths.path(fileRange.name)).withBytes { bytes in
            let range = fileRange.range ?? 0..<bytes.byteCount
            guard range.upperBound <= bytes.byteCount else {
                throw DecryptionError(
                    .damaged,
                    fileRange.name,
                    "EXT-X-MAP references its bytes up to \(range.upperBound), but the file has only \(bytes.byteCount)"
                )
            }
            return try body(bytes.extracting(range))
        }
    }

    /// Decrypts formats without key IDs, with the key of each segment's EXT-X-KEY tag. Sizes do not change.
    private mutating func decryptRanges(
        _ file: PresentationPlan.MediaFile,
        _ input: RawSpan,
        into output: inout MutableRawSpan
    ) throws -> [DecryptedTrack] {
        var stream = streams[file.playlist] ?? TransportStreamDecryptor()
        let before = stream.reports
        var audio = PackedAudioDecryptor()
        var end = 0
        for reference in Self.sorted(file.references) {
            let range = reference.range ?? 0..<input.byteCount
            // Skip bytes that are already decrypted: another playlist, such as an I-frame playlist, references them
            // too.
            guard range.lowerBound >= end else { continue }
            end = range.upperBound
            guard let tags = PlaylistKey(reference.keys, subject: file.name) else { continue }
            let key = try tags.key(in: keys, mediaSequenceNumber: reference.mediaSequenceNumber)
            let part = input.extracting(range)
            var target = output._mutatingExtracting(range)
            if MediaFileKind(part) == .packedAudio {
                try audio.decrypt(part, key: key, base: range.lowerBound, into: &target)
            } else {
                if reference.isIFrame, !stream.hasTables { try readTables(of: &stream, before: reference, in: input) }
                try stream.decrypt(
                    part,
                    key: key,
                    base: range.lowerBound,
                    isIFrame: reference.isIFrame,
                    into: &target
                )
            }
        }
        streams[file.playlist] = stream
        if let report = audio.report { return [report] }
        return Self.difference(stream.reports, before)
    }

    /// Reads the tables for a segment of an I-frame playlist: from its init segment, or from the preceding bytes of its
    /// file. If there are none, the decryptor recognizes the video by its PES packets.
    private func readTables(
        of stream: inout TransportStreamDecryptor,
        before reference: PresentationPlan.FileReference,
        in input: RawSpan
    ) throws {
        if let fileRange = reference.initialization {
            try withBytes(of: fileRange) { try stream.readTables($0) }
        }
        guard !stream.hasTables, let start = reference.range?.lowerBound else { return }
        try stream.readTables(input.extracting(0..<start))
    }

    /// Returns the tracks with the counts since an earlier report.
    private static func difference(_ now: [DecryptedTrack], _ before: [DecryptedTrack]) -> [DecryptedTrack] {
        now.map { track in
            var track = track
            track.decrypted -= before.first { $0.name == track.name }?.decrypted ?? 0
            return track
        }
    }

    private static func sorted(_ references: [PresentationPlan.FileReference]) -> [PresentationPlan.FileReference] {
        // Of two ranges with the same start the larger one is first; a whole file is before any part.
        references.sorted { left, right in
            guard let left = left.range else { return right.range != nil }
            guard let right = right.range else { return false }
            return (left.lowerBound, right.upperBound) < (right.lowerBound, left.upperBound)
        }
    }

    // MARK: Whole segments

    /// Decrypts AES-128 segments. They lose their padding, so the decrypted file is shorter and its byte ranges move.
    private func decryptSegments(
        _ file: PresentationPlan.MediaFile,
        _ input: RawSpan,
        to path: String,
        _ ranges: inout ClearRanges
    ) throws -> (tracks: [DecryptedTrack], bytes: Int) {
        struct Part {
            var old: Range<Int>
            var new: Range<Int>
            var segment: SegmentDecryptor?
        }
        var parts: [Part] = []
        var size = 0
        var end = 0
        for reference in Self.sorted(file.references) {
            let range = reference.range ?? 0..<input.byteCount
            guard range.lowerBound >= end else { continue }
            end = range.upperBound
            var part = Part(old: range, new: size..<size + range.count)
            if let tags = PlaylistKey(reference.keys, subject: file.name) {
                guard tags.method == .aes128 else {
                    throw DecryptionError(.notSupported, file.name, "its segments use different encryption methods")
                }
                let key = try tags.key(in: keys, mediaSequenceNumber: reference.mediaSequenceNumber)
                guard let iv = key.iv else {
                    throw DecryptionError(
                        .missingIV,
                        file.name,
                        "its EXT-X-KEY tag has no IV: give one with the key, as KID:KEY:IV"
                    )
                }
                let segment = try SegmentDecryptor(input.extracting(range), key: key.key, iv: iv, name: file.name)
                part.new = size..<size + segment.clearSize
                part.segment = segment
            }
            size = part.new.upperBound
            parts.append(part)
        }
        let output = try ClearFile(path: path, count: size)
        try output.withMutableBytes { bytes in
            for part in parts {
                let old = input.extracting(part.old)
                if let segment = part.segment {
                    try segment.decrypt(old, into: &bytes, at: part.new.lowerBound, name: file.name)
                } else {
                    bytes.withUnsafeMutableBytes { bytes in
                        let destination = UnsafeMutableRawBufferPointer(rebasing: bytes[part.new])
                        old.withUnsafeBytes { destination.copyMemory(from: $0) }
                    }
                }
            }
        }
        try output.finish()
        for part in parts { ranges.add(part.old, at: part.new, of: file.name) }
        var track = DecryptedTrack(name: "segments", format: "whole", scheme: "AES-128")
        track.decrypted = parts.count { $0.segment != nil }
        track.clear = parts.count - track.decrypted
        return ([track], size)
    }
}
