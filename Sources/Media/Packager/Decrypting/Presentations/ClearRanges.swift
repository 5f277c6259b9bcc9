/// The new byte ranges of segments in files whose AES-128 segments became smaller by their padding.
struct ClearRanges {
    /// The byte ranges of a segment before and after decryption.
    private struct Moved {
        var old: Range<Int>
        var new: Range<Int>
    }

    private var files: [String: [Moved]] = [:]

    /// Adds a segment; the segments of a file must be added in the order of their bytes.
    mutating func add(_ old: Range<Int>, at new: Range<Int>, of file: String) {
        files[file, default: []].append(Moved(old: old, new: new))
    }

    /// Returns the new position of a range; nil if the file has no such segment. A part of a segment, as in an I-frame
    /// playlist, keeps its offset from the start of the segment, because CBC does not change offsets.
    func range(_ old: Range<Int>, of file: String) -> Range<Int>? {
        guard let list = files[file] else { return old }
        // Find the last segment that starts at or before the range.
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
