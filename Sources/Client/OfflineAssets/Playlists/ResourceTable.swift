import HLSPlaylist
import StreamPlayer

/// A reference of a playlist to bytes of a URL.
struct ResourceReference: Hashable {
    /// The absolute URL, without fragment.
    let url: String
    /// The byte range; nil means the whole resource.
    let range: Range<UInt64>?
}

/// Collects the references of a presentation's playlists and assigns them to the files of the bundle.
///
/// A resource that several playlists refer to is one file. Adjacent or overlapping byte ranges of one URL are merged
/// into one file and one request, up to ``greatestPiece``; a gap of up to ``greatestGap`` between them costs less than
/// a request and is downloaded too. If any playlist refers to the whole URL, there is one file for all of it.
///
/// File names are created here and use only a suffix of up to five letters and digits from the server.
struct ResourceTable {
    /// The maximum size of merged ranges in bytes, 16 MiB, so that a resource in one file is downloaded over several
    /// connections, and requests to a server without ranges stay small.
    static let greatestPiece: UInt64 = 16 << 20
    /// The maximum gap between merged ranges in bytes: 64 KiB.
    static let greatestGap: UInt64 = 64 << 10

    private struct Mention {
        /// The time at which the reference occurs, in seconds, which determines the download order.
        let start: Double
        let order: Int
        /// The folder of the file, relative to `media`.
        let folder: String
    }

    private var mentions: [ResourceReference: Mention] = [:]
    private var pieceOf: [ResourceReference: Int] = [:]
    /// The files in download order: by time, so that the loaded part can be played.
    private(set) var resources: [BundleResource] = []

    /// Adds a reference that occurs at a time in a playlist.
    mutating func add(_ reference: ResourceReference, start: Double, folder: String) {
        if let known = mentions[reference], known.start <= start { return }
        let order = mentions[reference]?.order ?? mentions.count
        mentions[reference] = Mention(start: start, order: order, folder: folder)
    }

    /// The number of references.
    var count: Int { mentions.count }

    /// Creates the files for all references.
    mutating func makeResources() {
        var pieces: [(resource: ResourceReference, mention: Mention, members: [ResourceReference])] = []
        for (url, references) in Dictionary(grouping: mentions.keys, by: \.url) {
            if references.contains(where: { $0.range == nil }) {
                pieces.append((ResourceReference(url: url, range: nil), first(of: references), references))
                continue
            }
            for group in Self.merged(references) {
                let range = group.reduce(into: group[0].range ?? 0..<0) { sum, reference in
                    guard let next = reference.range else { return }
                    sum = min(sum.lowerBound, next.lowerBound)..<max(sum.upperBound, next.upperBound)
                }
                pieces.append((ResourceReference(url: url, range: range), first(of: group), group))
            }
        }
        pieces.sort { ($0.mention.start, $0.mention.order) < ($1.mention.start, $1.mention.order) }
        resources = []
        var numbers: [String: Int] = [:]
        for (index, piece) in pieces.enumerated() {
            let number = numbers[piece.mention.folder, default: 0] + 1
            numbers[piece.mention.folder] = number
            let digits = String(number)
            let name =
                String(repeating: "0", count: max(0, 6 - digits.count)) + digits + Self.suffix(of: piece.resource.url)
            resources.append(
                BundleResource(
                    file: "media/\(piece.mention.folder)/\(name)",
                    url: piece.resource.url,
                    range: piece.resource.range
                )
            )
            for member in piece.members { pieceOf[member] = index }
        }
    }

    /// Returns the file that contains the bytes of a reference, and the byte range in it; nil means the whole file.
    func place(of reference: ResourceReference) -> (file: String, range: ByteRange?)? {
        guard let index = pieceOf[reference] else { return nil }
        let resource = resources[index]
        guard let range = reference.range, range != resource.range else { return (resource.file, nil) }
        let offset = range.lowerBound - (resource.range?.lowerBound ?? 0)
        return (resource.file, ByteRange(length: range.upperBound - range.lowerBound, offset: offset))
    }

    private func first(of references: [ResourceReference]) -> Mention {
        let all = references.compactMap { mentions[$0] }
        return all.min { ($0.start, $0.order) < ($1.start, $1.order) } ?? Mention(start: 0, order: 0, folder: "")
    }

    /// Returns the ranges of one URL in groups, each of which becomes a file.
    private static func merged(_ references: [ResourceReference]) -> [[ResourceReference]] {
        let sorted = references.sorted { left, right in
            let (one, other) = (left.range ?? 0..<0, right.range ?? 0..<0)
            return (one.lowerBound, one.upperBound) < (other.lowerBound, other.upperBound)
        }
        var groups: [[ResourceReference]] = []
        var (begin, end): (UInt64, UInt64) = (0, 0)
        for reference in sorted {
            guard let range = reference.range else { continue }
            let isNear = range.lowerBound <= end || range.lowerBound - end <= greatestGap
            if !groups.isEmpty, isNear, max(end, range.upperBound) - begin <= max(greatestPiece, end - begin) {
                groups[groups.count - 1].append(reference)
                end = max(end, range.upperBound)
            } else {
                groups.append([reference])
                (begin, end) = (range.lowerBound, range.upperBound)
            }
        }
        return groups
    }

    /// Returns the file extension of a URL, such as `.m4s` of `https://example.com/a/b.m4s?c`; empty if it has no safe
    /// extension.
    private static func suffix(of url: String) -> String {
        let name = URIReference.path(of: url).split(separator: "/").last ?? ""
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return "" }
        let letters = name[name.index(after: dot)...].lowercased()
        let isHarmless = letters.utf8.allSatisfy { (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) }
        // The extension `.m3u8` is reserved for local playlists.
        return (1...5).contains(letters.utf8.count) && isHarmless && letters != "m3u8" ? "." + letters : ""
    }
}
