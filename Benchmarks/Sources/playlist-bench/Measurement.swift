import CAllocations
import HLSPlaylist
import Measuring

/// The results for one file: seconds per step, medians.
struct Measurement {
    let file: PlaylistFile
    let bytes: Int
    private(set) var seconds: [Step: Double] = [:]
    /// The number of allocations for parsing the file once.
    private(set) var allocations = 0

    enum Step: String, CaseIterable {
        case copy = "memcpy"
        case scan = "memchr over the lines"
        case read = "read"
        case resolve = "parse and resolve"
        case change = "write, header changed"
        case make = "write, new playlist"
        case lint = "lint"
    }

    /// Measures every step alternately in many rounds, so that changes of the machine's speed affect all steps equally.
    init(_ file: PlaylistFile, rounds: Int, steps: [Step] = Step.allCases) throws {
        self.file = file
        let input = file.bytes
        bytes = input.count
        let limits = PhysicalLimits(input)
        let playlist = try Playlist(parsing: input)
        let changed = Self.changed(playlist)
        let made = Self.made(playlist)
        let linter = Linter()
        // Enough repetitions for a step to take milliseconds.
        let repeats = max(1, 1_000_000 / input.count)
        var samples: [Step: [Double]] = [:]
        var sum = 0
        for round in 0...rounds {
            for step in steps {
                // The linter is much slower.
                if step == .lint, round > max(3, rounds / 10) { continue }
                let count = step == .lint ? 1 : step == .copy || step == .scan ? repeats * 10 : repeats
                let start = threadSeconds()
                for _ in 0..<count {
                    switch step {
                    case .copy: sum &+= limits.copyAll()
                    case .scan: sum &+= limits.scanLines()
                    case .read: sum &+= Self.count(try Playlist(parsing: input))
                    case .resolve: sum &+= try Self.resolve(try Playlist(parsing: input))
                    case .change: sum &+= try changed.write().count
                    case .make: sum &+= try made.write().count
                    case .lint: sum &+= linter.check(try LintFile(name: "playlist.m3u8", bytes: input)).count
                    }
                }
                // The first round is a warm-up.
                if round > 0 { samples[step, default: []].append((threadSeconds() - start) / Double(count)) }
            }
        }
        precondition(sum != 0)
        seconds = samples.mapValues { $0.sorted()[$0.count / 2] }
        let before = keyway_allocations()
        _ = try Playlist(parsing: input)
        allocations = keyway_allocations() - before
    }

    /// The rate, in 10^6 bytes per second.
    func megabytes(_ step: Step) -> Double { seconds[step].map { Double(bytes) / $0 / 1e6 } ?? 0 }

    private static func count(_ playlist: Playlist) -> Int {
        switch playlist {
        case .media(let media): media.segments.count
        case .multivariant(let multivariant): multivariant.variants.count
        }
    }

    /// Resolves the data that a player needs of each segment: keys, initialization vectors, dates.
    static func resolve(_ playlist: Playlist) throws -> Int {
        guard case .media(let media) = playlist else { return count(playlist) }
        var sum = 0
        for segment in try media.resolvedSegments() {
            for key in segment.keys.keys {
                sum &+= 1
                if segment.initializationVector(for: key) != nil { sum &+= 1 }
            }
            if let date = segment.programDateTime { sum &+= Int(date.seconds) }
            sum &+= Int(truncatingIfNeeded: segment.mediaSequenceNumber)
        }
        return sum
    }

    private static func changed(_ playlist: Playlist) -> Playlist {
        switch playlist {
        case .media(var media):
            media.mediaSequence = 4711
            return .media(media)
        case .multivariant(var multivariant):
            multivariant.version = 11
            return .multivariant(multivariant)
        }
    }

    private static func made(_ playlist: Playlist) -> Playlist {
        switch playlist {
        case .media(let media):
            let segments = media.segments.map { segment in
                MediaSegment(
                    uri: segment.uri,
                    duration: segment.duration,
                    programDateTime: segment.programDateTime,
                    tags: segment.tags
                )
            }
            return .media(
                MediaPlaylist(version: media.version, targetDuration: media.targetDuration, segments: segments)
            )
        case .multivariant(let multivariant):
            var made = MultivariantPlaylist()
            made.renditions = multivariant.renditions
            made.variants = multivariant.variants
            return .multivariant(made)
        }
    }
}
