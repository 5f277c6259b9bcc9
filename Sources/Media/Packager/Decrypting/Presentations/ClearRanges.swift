/// Where the bytes of files went whose parts became smaller: those with several segments under AES-128.
struct ClearRanges {
    /// A segment.
    private struct Moved {
        var old: Range<Int>
        var new: Range<Int>
    }

    private var files: [String: [Moved]] = [:]

    /// Takes note of a segment; the segments of a file come in the order of their bytes.
    mutating func add(_ old: Range<Int>, at new: Range<Int>, of file: String) {
        files[file, default: []].append(Moved(old: old, new: new))
    }

    /// Where a range went; nil when the file has no such segment. A part of a segment, as I-frame playlists name it, is
    /// as far from its beginning as before: CBC changes no offsets.
    func range(_ old: Range<Int>, of file: String) -> Range<Int>? {
        guard let list = files[file] else { return old }
        // The last segment that begins at or before.
        var low = 0
        var high = list.count
        while low < high {
            let middle = (low + high) / 2
            if list[middle].old.lowerBound <= old.lowerBound { low = middle + 1 } else { high = middle }
        }
        guard low > 0, list[low - 1].old.upperBound >= old.upperBound else { return nil }
        let segment = list[low - 1]
        let start = segment.new.lowerBound + old.lowerBound - segment.old.lowerBound
        let end = min(start + old.count, segment.new.upperBound)
        return start < end ? start..<end : nil
    }
}
