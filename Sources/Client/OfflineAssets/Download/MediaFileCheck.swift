import HLSPlaylist
import StreamPlayer

/// The references of a bundle's playlists to its media files, for a check of what a server returned with status 200.
///
/// | Referenced as | Required |
/// |---|---|
/// | clear segment, or encrypted by samples | MP4 with whole boxes, a transport stream with whole packets, packed audio, or WebVTT |
/// | init segment | the same |
/// | AES-128 | whole cipher blocks of 16 bytes that are not another recognized kind of data |
/// | another encryption of whole segments | not another recognized kind of data |
/// | byte range of an I-frame playlist | as above, but a box may continue after the range |
struct MediaFileCheck: Sendable {
    /// A reference to a file, or to a byte range of it.
    private struct Use: Hashable {
        let range: Range<UInt64>?
        let protection: Protection
        let canEndInBox: Bool
    }

    private enum Protection: Hashable {
        case none, blocks, other
    }

    /// The problem of a file.
    enum Problem: Sendable, Hashable {
        case empty
        /// The file is not media; the value is a description such as `an HTML page`.
        case other(String)
        /// The media end too early, within a box, a packet or a block.
        case cut(String)

        /// The problem, as a predicate.
        var reason: String {
            switch self {
            case .empty: "is empty"
            case .other(let name): "is \(name), not media"
            case .cut(let part): "is cut off: its last \(part) is incomplete"
            }
        }

        /// True if the rest of the file may follow.
        var isCut: Bool { if case .other = self { false } else { true } }
    }

    /// The maximum number of boxes of a file that are followed.
    private static let maximumBoxes = 100_000

    private var uses: [String: Set<Use>] = [:]
    /// The files that are init segments, without which other segments cannot be played.
    private(set) var initializations: Set<String> = []

    /// Collects the references of local playlists.
    init(_ playlists: [MediaPlaylist]) {
        for playlist in playlists {
            guard let segments = try? playlist.resolvedSegments() else { continue }
            for segment in segments where !segment.segment.isGap {
                let file = segment.segment.uri
                add(file, segment.byteRange, segment.keys, playlist.isIFramesOnly && segment.byteRange != nil)
                guard let section = segment.initialization else { continue }
                initializations.insert(section.map.uri)
                add(section.map.uri, section.byteRange, section.keys, false)
            }
        }
    }

    private mutating func add(_ file: String, _ range: Range<UInt64>?, _ keys: KeyContext, _ canEndInBox: Bool) {
        var protection = Protection.none
        for key in keys.keys where key.method != .sampleAES && key.method != .sampleAESCTR {
            protection = key.method == .aes128 ? .blocks : .other
        }
        uses[file, default: []].insert(Use(range: range, protection: protection, canEndInBox: canEndInBox))
    }

    /// Returns the problem of a complete file; nil if it is what its references require.
    ///
    /// - Parameters:
    ///   - file: The name of the file.
    ///   - length: The length of the file in bytes.
    ///   - read: A function that returns bytes of the file from an offset, at most a number; fewer at its end.
    func problem<Failure: Error>(
        of file: String,
        length: UInt64,
        read: (UInt64, Int) throws(Failure) -> [UInt8]
    ) throws(Failure) -> Problem? {
        for use in uses[file] ?? [] {
            let range = use.range ?? 0..<length
            guard length > 0 else { return .empty }
            guard range.upperBound <= length else { return .cut("byte range") }
            let size = range.upperBound - range.lowerBound
            let head = try read(range.lowerBound, Int(min(size, UInt64(SegmentRecognition.sufficientCount))))
            let mismatch = SegmentRecognition.mismatch(head, isEncrypted: false)
            if mismatch != nil, use.protection != .none {
                if let name = SegmentRecognition.mismatch(head, isEncrypted: true) { return .other(name) }
                if use.protection == .blocks, size % 16 != 0 { return .cut("block") }
            } else if let mismatch {
                return .other(mismatch)
            } else if use.protection == .none, !use.canEndInBox {
                if head[0] == 0x47 {
                    if size % 188 != 0 { return .cut("packet") }
                } else if Self.isMP4(head), try Self.endsInBox(range, read) {
                    return .cut("box")
                }
            }
        }
        return nil
    }

    /// Returns whether media have the form of MP4: a box with a name of lowercase letters, which no other media have there.
    private static func isMP4(_ head: [UInt8]) -> Bool {
        head.count >= 8 && head[0] < 0x80 && head[4..<8].allSatisfy { (0x61...0x7A).contains($0) }
    }

    /// Returns whether a byte range of MP4 ends within a box.
    private static func endsInBox<Failure: Error>(
        _ range: Range<UInt64>,
        _ read: (UInt64, Int) throws(Failure) -> [UInt8]
    ) throws(Failure) -> Bool {
        var offset = range.lowerBound
        for _ in 0..<maximumBoxes {
            guard offset < range.upperBound else { return false }
            let header = try read(offset, Int(min(16, range.upperBound - offset)))
            guard header.count >= 8 else { return true }
            var size = header[..<4].reduce(0) { $0 << 8 | UInt64($1) }
            // The box ends with the file (ISO/IEC 14496-12, section 4.2).
            if size == 0 { return false }
            if size == 1 {
                guard header.count == 16 else { return true }
                size = header[8...].reduce(0) { $0 << 8 | UInt64($1) }
            }
            guard size >= 8, size <= range.upperBound - offset else { return true }
            offset += size
        }
        return false
    }
}
