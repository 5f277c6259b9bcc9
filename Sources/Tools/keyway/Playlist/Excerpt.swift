import HLSPlaylist
import TextCoding
import ToolSupport

/// A line of a playlist for output: without control characters and without the parts of URIs that may be secret, and
/// shortened around a column.
struct Excerpt {
    /// The text.
    let text: String
    /// The number of characters before the column; nil if the whole line is meant.
    let caret: Int?

    /// The maximum number of characters that are shown.
    private static let width = 100
    /// The number of characters before the column that are shown if the line is shortened.
    private static let lead = 40
    /// The maximum length of a line that is processed, in bytes.
    private static let longestLine = 1 << 16

    /// Shortens a line around a column, which counts bytes from 1; 0 means the whole line.
    init(_ line: String, column: Int) {
        guard line.utf8.count <= Self.longestLine else {
            text = "(a line of \(counted(line.utf8.count, "byte")))"
            caret = nil
            return
        }
        var pieces: [String] = []
        var mark: Int?
        var hidden = Self.hiddenRanges(of: line)[...]
        var offset = 0
        for index in line.unicodeScalars.indices {
            let scalar = line.unicodeScalars[index]
            while let range = hidden.first, range.upperBound <= index { hidden = hidden.dropFirst() }
            if let range = hidden.first, range.contains(index) {
                pieces.append(index == range.lowerBound ? "…" : "")
            } else {
                pieces.append(escaped(String(scalar)))
            }
            let size = UTF8.width(scalar)
            if column > 0, mark == nil, offset + size >= column { mark = pieces.count - 1 }
            offset += size
        }
        if column > offset { mark = pieces.count }
        let before = mark.map { pieces[..<$0].reduce(0) { $0 + $1.count } }
        let whole = Array(pieces.joined())
        let start = whole.count <= Self.width ? 0 : max(0, min((before ?? 0) - Self.lead, whole.count - Self.width))
        let end = min(whole.count, start + Self.width)
        text = (start > 0 ? "…" : "") + String(whole[start..<end]) + (end < whole.count ? "…" : "")
        caret = before.map { $0 - start + (start > 0 ? 1 : 0) }
    }

    /// Returns the parts of a line's URIs that may be secret.
    private static func hiddenRanges(of line: String) -> [Range<String.Index>] {
        guard line.hasPrefix("#") else { return PlaylistText.hiddenRanges(of: line[...]) }
        var ranges: [Range<String.Index>] = []
        var name = line.startIndex
        var rest = line[...]
        while let open = rest.firstIndex(of: "\"") {
            let start = line.index(after: open)
            let end = line[start...].firstIndex(of: "\"") ?? line.endIndex
            let value = line[start..<end]
            if line[name..<open].hasSuffix("URI=") || value.hasPrefix("data:") || value.contains("://") {
                ranges += PlaylistText.hiddenRanges(of: value)
            }
            name = end
            rest = end < line.endIndex ? line[line.index(after: end)...] : line[end...]
        }
        return ranges
    }
}
