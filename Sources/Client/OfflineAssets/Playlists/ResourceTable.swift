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
/// into one file and one request, up to ``maximumMergedSize``; a gap of up to ``maximumGap`` between them costs less than
/// a request and is downloaded too. If any playlist refers to the whole URL, there is one file for all of it.
///
/// File names are created here and use only a suffix of up to five letters and digits from the server.
struct ResourceTable {
    /// The maximum size of merged ranges in bytes, 16 MiB, so that a resource in one file is downloaded over several
    /// connections, and requests to a server without ranges stay small.
    static let maximumMergedSize: UInt64 = 16 << 20
    /// The maximum gap between merged ranges in bytes: 64 KiB.
    static let maximumGap: UInt64 = 64 << 10

    private struct Occurrence {
        /// The time at which the reference occurs, in seconds, which determines the download order.
        let start: Double
        let order: Int
        /// The folder of the file, relative to `media`.
        let folder: String
    }

    private var occurrences: [ResourceReference: Occurrence] = [:]
    private var fileIndex: [ResourceReference: Int] = [:]
    /// The files in download order: by time, so that the loaded part can be played.
    private(set) var resources: [BundleResource] = []

    /// Adds a reference that occurs at a time in a playlist.
    mutating func add(_ reference: ResourceReference, start: Double, folder: String) {
        if let known = occurrences[reference], known.start <= start { return }
        let order = occurrences[reference]?.order ?? occurrences.count
        occurrences[reference] = Occurrence(start: start, order: order, folder: folder)
    }

    /// The number of references.
    var count: Int { occurrences.count }

    /// Creates the files for all references.
    mutating func makeResources() {
        var files: [(resource: ResourceReference, occurrence: Occurrence, members: [ResourceReference])] = []
        for (url, references) in Dictionary(grouping: occurrences.keys, by: \.url) {
            if references.contains(where: { $0.range == nil }) {
                files.append((ResourceReference(url: url, range: nil), first(of: references), references))
                continue
            }
            for group in Self.merged(references) {
                let range = group.reduce(into: group[0].range ?? 0..<0) { sum, reference in
                    guard let next = reference.range else { return }
                    sum = min(sum.lowerBound, next.lowerBound)..<max(sum.upperBound, next.upperBound)
                }
                files.append((ResourceReference(url: url, range: range), first(of: group), group))
            }
        }
        files.sort { ($0.occurrence.start, $0.occurrence.order) < ($1.occurrence.start, $1.occurrence.order) }
        resources = []
        var numbers: [String: Int] = [:]
        for (index, file) in files.enumerated() {
            let number = numbers[file.occurrence.folder, default: 0] + 1
            numbers[file.occurrence.folder] = number
            resources.append(
                BundleResource(
                    file: Self.file(number, in: file.occurrence.folder, url: file.resource.url),
                    url: file.resource.url,
                    range: file.resource.range
                )
            )
            for member in file.members { fileIndex[member] = index }
        }
    }

    /// Returns the file that contains the bytes of a reference, and the byte range in it; nil means the whole file.
    func place(of reference: ResourceReference) -> (file: String, range: ByteRange?)? {
        guard let index = fileIndex[reference] else { return nil }
        let resource = resources[index]
        guard let range = reference.range, range != resource.range else { return (resource.file, nil) }
        let offset = range.lowerBound - (resource.range?.lowerBound ?? 0)
        return (resource.file, ByteRange(length: range.upperBound - range.lowerBound, offset: offset))
    }

    private func first(of references: [ResourceReference]) -> Occurrence {
        let all = references.compactMap { occurrences[$0] }
        return all.min { ($0.start, $0.order) < ($1.start, $1.order) } ?? Occurrence(start: 0, order: 0, folder: "")
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
            let isNear = range.lowerBound <= end || range.lowerBound - end <= maximumGap
            if !groups.isEmpty, isNear, max(end, range.upperBound) - begin <= max(maximumMergedSize, end - begin) {
                groups[groups.count - 1].append(reference)
                end = max(end, range.upperBound)
            } else {
                groups.append([reference])
                (begin, end) = (range.lowerBound, range.upperBound)
            }
        }
        return groups
    }

    /// Returns the name of a file in the bundle, such as `media/variant-1/000001.m4s`.
    static func file(_ number: Int, in folder: String, url: String) -> String {
        let digits = String(number)
        return "media/\(folder)/" + String(repeating: "0", count: max(0, 6 - digits.count)) + digits + suffix(of: url)
    }

    /// Returns the file extension of a URL, such as `.m4s` of `https://example.com/a/b.m4s?c`; empty if it has no safe
    /// extension.
    private static func suffix(of url: String) -> String {
        let name = URIReference.path(of: url).split(separator: "/").last ?? ""
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return "" }
        let letters = name[name.index(after: dot)...].lowercased()
        let isSafe = letters.utf8.allSatisfy { (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) }
        // The extension `.m3u8` is reserved for local playlists.
        return (1...5).contains(letters.utf8.count) && isSafe && letters != "m3u8" ? "." + letters : ""
    }
}
