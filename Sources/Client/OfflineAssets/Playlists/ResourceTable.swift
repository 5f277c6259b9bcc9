import HLSPlaylist
import StreamPlayer

/// Bytes that a playlist names.
struct ResourceReference: Hashable {
    /// Absolute, without fragment.
    let url: String
    /// Which of its bytes; nil for all of them.
    let range: Range<UInt64>?
}

/// Gathers what the playlists of a presentation name, and makes the files of the bundle of it.
///
/// What several playlists name is one file. Byte ranges of one URL that lie side by side, or overlap, become one file and
/// one request, up to ``greatestPiece``; a gap of up to ``greatestGap`` between them costs less than a request and is
/// fetched too. Where any playlist names the whole URL, there is one file of all of it.
///
/// Names of files are made here and take nothing from a server but a suffix of up to five letters and digits.
struct ResourceTable {
    /// In bytes: 16 MiB, so that a film in one file is fetched by several connections, and a server without ranges is not
    /// asked for too much.
    static let greatestPiece: UInt64 = 16 << 20
    /// In bytes: 64 KiB.
    static let greatestGap: UInt64 = 64 << 10

    private struct Mention {
        /// Seconds from the beginning, by which files are fetched.
        let start: Double
        let order: Int
        /// The folder of the file, below `media`.
        let folder: String
    }

    private var mentions: [ResourceReference: Mention] = [:]
    private var pieceOf: [ResourceReference: Int] = [:]
    /// The files, in the order in which they are to be fetched: by time, so that what is there can be watched.
    private(set) var resources: [BundleResource] = []

    /// Adds what a playlist names at a moment of its time.
    mutating func add(_ reference: ResourceReference, start: Double, folder: String) {
        if let known = mentions[reference], known.start <= start { return }
        let order = mentions[reference]?.order ?? mentions.count
        mentions[reference] = Mention(start: start, order: order, folder: folder)
    }

    /// How many references there are.
    var count: Int { mentions.count }

    /// Makes the files of all that was added.
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

    /// Where the bytes of a reference will be: a file, and which bytes of it; nil for all of them.
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

    /// Ranges of one URL in groups, each of which becomes a file.
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

    /// `.m4s` of `https://example.com/a/b.m4s?c`; nothing where there is no such harmless ending.
    private static func suffix(of url: String) -> String {
        let name = URIReference.path(of: url).split(separator: "/").last ?? ""
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return "" }
        let letters = name[name.index(after: dot)...].lowercased()
        let isHarmless = letters.utf8.allSatisfy { (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) }
        // Local playlists have names of this kind, and nothing else must.
        return (1...5).contains(letters.utf8.count) && isHarmless && letters != "m3u8" ? "." + letters : ""
    }
}
