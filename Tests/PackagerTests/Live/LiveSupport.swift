import DASHManifest
import DRMSignaling
import FPSCrypto
import Foundation
import HLSPlaylist
import MediaFormats
import Synchronization
import Testing

@testable import Packager

/// A movie of any duration, made from a short one: 12 frames per second, a key frame each second, and audio.
enum LongFilm {
    /// Writes video and audio as two files of fragmented MP4.
    ///
    /// - Parameter hasKeyFrame: Whether the key frame at a second is marked as one.
    static func write(
        seconds: Int,
        to folder: String,
        hasKeyFrame: (Int64) -> Bool = { _ in true }
    ) throws -> [String] {
        let input = try MediaInputs.open(try PipelineFixture.path("film.mp4"))
        var samples: [[MediaSample]] = input.tracks.map { _ in [] }
        while case .sample(let track, let sample)? = try input.next() { samples[track].append(sample) }
        return try input.tracks.enumerated().map { place, track in
            let path = "\(folder)/\(track.kind.rawValue).mp4"
            let output = try FileOutput(path: path)
            let writer = try FragmentedMP4Writer(track)
            let cycle = samples[place]
            let length = cycle.reduce(0) { $0 + Int64($1.duration) }
            var shift: Int64 = 0
            while shift < Int64(seconds) * Int64(track.timescale) {
                let part = cycle.compactMap { sample in
                    var sample = sample
                    sample.decodeTime += shift
                    if track.kind == .video, !hasKeyFrame(sample.decodeTime / Int64(track.timescale)) {
                        sample.isSync = false
                    }
                    return sample.decodeTime < Int64(seconds) * Int64(track.timescale) ? sample : nil
                }
                let segment = TrackSegment(index: 0, samples: part, start: .zero, end: .zero, isProtected: false)
                if shift == 0, let header = try writer.initialization(isProtected: false, first: segment) {
                    try output.write(header.span.bytes)
                }
                _ = try writer.write(segment, to: FilePart(output))
                shift += length
            }
            try output.finish()
            return path
        }
    }
}

/// Checks a presentation each time that its playlists are replaced, like a player that reloads continuously.
final class LiveWatch: Sendable {
    /// The results so far.
    struct Seen {
        var playlists: [String: LintFile] = [:]
        var findings: [String] = []
        var reloads = 0
        var main: [UInt8] = []
        /// Files that are listed in a playlist but do not exist.
        var missing: [String] = []
        /// The key URIs of each segment file, and its init segment, by path.
        var keys: [String: [String]] = [:]
        var maps: [String: String] = [:]
        /// The parts of each segment file, and the init segments that were hinted, by path.
        var parts: [String: [PartTag]] = [:]
        var hintedMaps: Set<String> = []
        var events: [LiveRun.Event] = []
        var manifest: MPD?
        /// The number of versions of the manifest.
        var states = 0
    }

    let seen = Mutex(Seen())
    let folder: String
    private let ignored: Set<RuleID>

    init(_ folder: String, ignoring: Set<RuleID> = []) {
        self.folder = folder
        ignored = ignoring
    }

    /// Checks a rendition's playlists, and the Multivariant Playlist if there is one.
    func look(_ event: LiveRun.Event) {
        seen.withLock { $0.events.append(event) }
        switch event {
        case .segment(let rendition, _):
            for name in ["\(rendition)/media.m3u8", "\(rendition)/iframes.m3u8"] { reload(name) }
        case .part(let rendition, _, _): return reload("\(rendition)/media.m3u8")
        default: return
        }
        lintAll()
        lookAtManifest()
    }

    /// Checks the manifest and its changes since the last version, and that the files in it exist.
    func lookAtManifest() {
        guard let bytes = bytes("main.mpd") else { return }
        seen.withLock { seen in
            guard let manifest = try? MPD(bytes) else {
                seen.findings.append("the manifest cannot be read")
                return
            }
            guard manifest != seen.manifest else { return }
            note(MPDChecker().check(manifest).map { "\($0)" }, &seen)
            if let before = seen.manifest {
                note(MPDChecker().check(reloadFrom: before, to: manifest).map { "\($0)" }, &seen)
            }
            for file in manifest.namedFiles where !FileManager.default.fileExists(atPath: folder + "/" + file) {
                seen.missing.append(file)
            }
            seen.manifest = manifest
            seen.states += 1
        }
    }

    private func bytes(_ name: String) -> [UInt8]? {
        FileManager.default.contents(atPath: folder + "/" + name).map(Array.init)
    }

    private func reload(_ name: String) {
        guard let bytes = bytes(name), let file = try? LintFile(name: name, bytes: bytes) else { return }
        seen.withLock { seen in
            seen.reloads += 1
            if let before = seen.playlists[name] {
                note(Linter().check(reloadFrom: before, to: file).map { "\(name): \($0)" }, &seen)
            }
            note(Linter().check(file).map { "\(name): \($0)" }, &seen)
            seen.playlists[name] = file
            guard case .media(let playlist) = file.playlist else {
                seen.findings.append("\(name) is no Media Playlist")
                return
            }
            take(playlist, (name as NSString).deletingLastPathComponent, &seen)
        }
    }

    private func take(_ playlist: MediaPlaylist, _ rendition: String, _ seen: inout Seen) {
        var context = KeyContext()
        var map: String?
        for segment in playlist.segments {
            for key in segment.keys { context.apply(key) }
            map = segment.map?.uri ?? map
            let path = "\(rendition)/\(segment.uri)"
            for file in [path] + (map.map { ["\(rendition)/\($0)"] } ?? [])
            where !FileManager.default.fileExists(atPath: folder + "/" + file) {
                seen.missing.append(file)
            }
            seen.keys[path] = context.keys.compactMap(\.uri)
            seen.maps[path] = map
            take(segment.parts, of: path, &seen)
        }
        for key in playlist.upcoming.keys { context.apply(key) }
        map = playlist.upcoming.map?.uri ?? map
        if let part = playlist.upcoming.parts.first {
            let path = "\(rendition)/\(part.uri)"
            seen.keys[path] = context.keys.compactMap(\.uri)
            seen.maps[path] = map
            take(playlist.upcoming.parts, of: path, &seen)
        }
        for hint in playlist.preloadHints where hint.kind == .map {
            seen.hintedMaps.insert("\(rendition)/\(hint.uri)")
        }
    }

    /// Checks that a part keeps its tag, and that its bytes are in the file.
    private func take(_ parts: [PartTag], of path: String, _ seen: inout Seen) {
        guard !parts.isEmpty else { return }
        let known = seen.parts[path] ?? []
        if Array(parts.prefix(known.count)) != Array(known.prefix(parts.count)) {
            seen.findings.append("the parts of \(path) have changed")
        }
        if parts.count > known.count { seen.parts[path] = parts }
        let size = (try? FileManager.default.attributesOfItem(atPath: folder + "/" + path)[.size] as? Int) ?? 0
        let end = parts.last?.byteRange.map { ($0.offset ?? 0) + $0.length } ?? 0
        if UInt64(size) < end { seen.missing.append("\(path), byte \(end)") }
    }

    private func lintAll() {
        guard let bytes = bytes("main.m3u8"), let main = try? LintFile(name: "main.m3u8", bytes: bytes) else { return }
        let isNew = seen.withLock { seen in
            defer { seen.main = bytes }
            return seen.main != bytes
        }
        guard isNew else { return }
        let findings = Linter().check(presentation: main) { [self] uri in
            self.bytes(uri).flatMap { try? LintFile(name: uri, bytes: $0) }
        }
        seen.withLock { note(findings.map { "\($0)" }, &$0) }
    }

    private func note(_ findings: [String], _ seen: inout Seen) {
        let unexpected = findings.filter { finding in !ignored.contains { finding.contains("[\($0)]") } }
        if seen.findings.count < 20 { seen.findings += unexpected }
    }
}

enum LiveFixture {
    static let start = PlaylistDate(seconds: 1_800_000_000)
    static var keys: DerivedKeyPeriods {
        get throws { try DerivedKeyPeriods(secret: SecretBytes(copying: [UInt8](repeating: 9, count: 16))) }
    }

    /// A job for inputs, with rotating keys.
    static func job(_ inputs: [String], to folder: String, rotation: KeyRotation?) -> PackagingJob {
        var job = PackagingJob(inputs: inputs.map { PackagingJob.Input(path: $0) }, output: folder)
        job.segmentDuration = RationalTime(6, timescale: 1)
        job.scheme = .cbcs
        job.systems = [.fairPlay]
        job.keysArriveLater = true
        job.rotation = rotation
        job.live = LiveOptions(window: .segments(5))
        job.live?.startDate = start
        return job
    }

    /// The written samples of a rendition's segment, and the key IDs in them.
    static func samples(_ folder: String, segment: String, map: String) throws -> (count: Int, keyIDs: Set<[UInt8]>) {
        let name = (segment as NSString).deletingLastPathComponent
        let file = [folder + "/" + name + "/" + map, folder + "/" + segment].reduce(into: [UInt8]()) {
            $0 += FileManager.default.contents(atPath: $1).map(Array.init) ?? []
        }
        var cursor = try MovieFile(reading: file.span.bytes).samples()
        var found: (count: Int, keyIDs: Set<[UInt8]>) = (0, [])
        while let sample = try cursor.next(file.span.bytes) {
            found.count += 1
            if let protection = sample.protection { found.keyIDs.insert(protection.keyID.bytes) }
        }
        return found
    }
}

extension MPD {
    /// All files in the manifest, init segments first.
    var namedFiles: [String] {
        periods.flatMap(\.adaptationSets).flatMap(\.representations).compactMap(\.template).flatMap { template in
            [template.initialization].compactMap(\.self)
                + template.segments.compactMap { template.media?.replacing("$Number$", with: "\($0.number)") }
        }
    }
}
