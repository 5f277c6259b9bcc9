import HLSPlaylist
import Testing

/// A generator of pseudorandom numbers with a seed, so that a failure can be reproduced (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }
}

@Suite("Random edits of the list of segments")
struct SegmentEditPropertyTests {
    /// The values that apply to a segment, regardless of the tags from which they result.
    private struct Facts: Equatable {
        var keys: [KeyTag]
        var section: MapTag?
        var keysOfSection: [KeyTag]
        var byteRange: Range<UInt64>?
        var date: PlaylistDate?
        var isGap: Bool
        var number: UInt64
        var discontinuity: UInt64
        var bitrate: UInt64?

        init(_ segment: ResolvedSegment) {
            keys = segment.keys.keys.map { key in
                var key = key
                key.iv = segment.initializationVector(for: key)
                return key
            }
            section = segment.initialization?.map
            keysOfSection = segment.initialization?.keys.keys ?? []
            byteRange = segment.byteRange
            date = segment.programDateTime
            isGap = segment.segment.isGap
            number = segment.mediaSequenceNumber
            discontinuity = segment.discontinuitySequenceNumber
            bitrate = segment.bitrate
        }

        func matches(_ other: Facts, isAtFront: Bool, ignoresBitrate: Bool) -> Bool {
            let isSameDate =
                date.map { date in other.date.map { abs($0.timeInterval(since: date)) < 1e-5 } ?? false } ?? true
            return keys == other.keys && section == other.section && keysOfSection == other.keysOfSection
                && byteRange == other.byteRange && isGap == other.isGap && isSameDate
                && (!isAtFront || (number == other.number && discontinuity == other.discontinuity))
                && (ignoresBitrate || bitrate == other.bitrate)
        }
    }

    private static func facts(_ playlist: MediaPlaylist) throws -> [String: Facts] {
        Dictionary(uniqueKeysWithValues: try playlist.resolvedSegments().map { ($0.segment.title, Facts($0)) })
    }

    private static let formats: [KeyFormat?] = [nil, .fairPlay, .widevine]

    private static func tags(_ random: inout SeededGenerator, _ name: String) -> String {
        var text = ""
        func key() {
            let format = formats.randomElement(using: &random) ?? nil
            let method = Bool.random(using: &random) ? "AES-128" : "SAMPLE-AES"
            text += "#EXT-X-KEY:METHOD=\(method),URI=\"key-\(name)-\(Int.random(in: 0..<3, using: &random))\""
            if format == nil, Bool.random(using: &random) { text += ",IV=0x\(Int.random(in: 10..<99, using: &random))" }
            text += (format.map { ",KEYFORMAT=\"\($0)\"" } ?? "") + "\n"
        }
        switch Int.random(in: 0..<12, using: &random) {
        case 0, 1: key()
        case 2:
            key()
            key()
        case 3: text += "#EXT-X-KEY:METHOD=NONE\n"
        case 4: text += "#EXT-X-MAP:URI=\"map-\(name).mp4\"\n"
        case 5:
            key()
            text += "#EXT-X-MAP:URI=\"map-\(name).mp4\",BYTERANGE=\"10@5\"\n"
            key()
        case 6: text += "#EXT-X-BITRATE:\(Int.random(in: 1..<9000, using: &random))\n"
        default: break
        }
        if Int.random(in: 0..<6, using: &random) == 0 { text += "#EXT-X-DISCONTINUITY\n" }
        if Int.random(in: 0..<10, using: &random) == 0 { text += "#EXT-X-GAP\n" }
        if Int.random(in: 0..<8, using: &random) == 0 {
            let minute = Int.random(in: 10..<60, using: &random)
            text += "#EXT-X-PROGRAM-DATE-TIME:2026-01-01T00:\(minute):00.000Z\n"
        }
        return text
    }

    private static func playlist(_ random: inout SeededGenerator, _ name: String) throws -> MediaPlaylist {
        var text = "#EXTM3U\n#EXT-X-VERSION:8\n#EXT-X-TARGETDURATION:6\n#EXT-X-MEDIA-SEQUENCE:"
        text += "\(Int.random(in: 0..<1000, using: &random))\n#EXT-X-MAP:URI=\"first-\(name).mp4\"\n"
        var isRange = false
        for index in 0..<Int.random(in: 1..<14, using: &random) {
            text += tags(&random, "\(name)\(index)")
            text += "#EXTINF:\(["6", "5.005", "4.004", "2.5"].randomElement(using: &random) ?? "6"),\(name)-\(index)\n"
            switch Int.random(in: 0..<3, using: &random) {
            case 0:
                text += "#EXT-X-BYTERANGE:\(index + 100)@\(index * 1000)\nall-\(name).m4s\n"
                isRange = true
            case 1 where isRange: text += "#EXT-X-BYTERANGE:\(index + 50)\nall-\(name).m4s\n"
            default:
                text += "\(name)-\(index).m4s\n"
                isRange = false
            }
        }
        if Bool.random(using: &random) { text += tags(&random, name + "-next") }
        return try MediaPlaylist(parsing: Array(text.utf8))
    }

    @Test("random edits keep what applies to each segment, before and after writing", arguments: 0..<400)
    func edits(_ seed: Int) throws {
        var random = SeededGenerator(state: UInt64(seed))
        var playlist = try Self.playlist(&random, "a")
        for step in 0..<4 {
            let before = try Self.facts(playlist)
            let count = playlist.segments.count
            let lower = Int.random(in: 0...count, using: &random)
            let upper = Int.random(in: lower...count, using: &random)
            var foreign: [String: Facts] = [:]
            var isAtFront = false
            var ignoresBitrate = false
            switch Int.random(in: 0..<5, using: &random) {
            case 0:
                try playlist.removeFirst(lower)
                isAtFront = true
            case 1:
                try playlist.trim(to: lower..<upper)
                isAtFront = true
            case 2: try playlist.replaceSegments(lower..<upper, with: [])
            case 3:
                let other = try Self.playlist(&random, "b\(step)")
                foreign = try Self.facts(other)
                ignoresBitrate = true
                // A segment that was added to an empty playlist has no Media Initialization Section.
                if before.values.contains(where: { $0.section == nil }) { continue }
                try playlist.replaceSegments(lower..<upper, with: other)
            default:
                let name = "new\(step)"
                let new = MediaSegment(uri: name, duration: 3, title: name)
                if Bool.random(using: &random) {
                    try playlist.append(new)
                } else {
                    try playlist.replaceSegments(lower..<upper, with: [new])
                }
            }
            let expected = before.merging(foreign) { own, _ in own }
            for written in [playlist, try MediaPlaylist(parsing: playlist.write())] {
                for (title, facts) in try Self.facts(written) {
                    guard let known = expected[title] else { continue }
                    let isSame = known.matches(facts, isAtFront: isAtFront, ignoresBitrate: ignoresBitrate)
                    #expect(isSame, "seed \(seed), step \(step), segment \(title): \(known) became \(facts)")
                }
                #expect(written.segments == playlist.segments)
            }
            playlist = Bool.random(using: &random) ? playlist : try MediaPlaylist(parsing: playlist.write())
        }
    }

    @Test("no direct removal of a segment is written with other keys for the rest", arguments: 0..<200)
    func rawRemovals(_ seed: Int) throws {
        var random = SeededGenerator(state: UInt64(seed))
        var playlist = try Self.playlist(&random, "a")
        let before = try Self.facts(playlist)
        let count = playlist.segments.count
        playlist.segments.remove(at: Int.random(in: 0..<count, using: &random))
        guard let bytes = try? playlist.write() else { return }
        // A byte range may have lost its offset, which parsing the values reports.
        guard let after = try? Self.facts(MediaPlaylist(parsing: bytes)) else { return }
        for (title, facts) in after {
            let known = try #require(before[title])
            let isSame = Set(known.keys) == Set(facts.keys) && known.section == facts.section
            #expect(isSame, "seed \(seed), segment \(title): \(known) became \(facts)")
        }
    }
}
