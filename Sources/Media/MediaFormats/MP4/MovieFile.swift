public import ByteCoding

/// A box at the top level of a file.
struct TopLevelBox {
    let header: BoxHeader
    /// The offset after the last byte of the box, which can be beyond the end of the file.
    let end: Int

    /// The range of the content, without the header.
    var content: Range<Int> { header.offset + header.headerSize..<end }

    init(in file: RawSpan, at offset: Int) throws(ParseError) {
        var reader = ByteReader(file.extracting(offset..<file.byteCount), base: offset)
        header = try BoxHeader(reading: &reader)
        // Sizes and offsets are below 2^62, so the sum does not overflow.
        end = header.size.map { offset + $0 } ?? file.byteCount
    }
}

/// An MP4 or QuickTime file in memory, usually memory-mapped. Only headers are copied.
///
///     ftyp, moov, mdat; free, wide, skip, uuid ... between; moof and mdat in turn when it is fragmented
public struct MovieFile: Sendable {
    /// A box that extends beyond the end of the file.
    public struct Truncation: Hashable, Sendable {
        /// The type of the box.
        public let type: FourCC
        /// The offset of the box in the file.
        public let offset: Int
        /// The number of missing bytes.
        public let missing: Int
    }

    /// The file type; nil in old QuickTime files.
    public let fileType: FileTypeBox?
    /// The metadata of the presentation.
    public let movie: Movie
    /// The size of the file in bytes.
    public let byteCount: Int
    /// The truncated box at the end of the file, if any. In a fragmented file, only boxes before the
    /// first fragment are checked here.
    public let truncation: Truncation?
    /// The offset of the first fragment, if any.
    public let firstFragment: Int?

    /// Reads the headers of a file.
    ///
    /// - Throws: `ParseError`; `missing-box` if there is no `moov` box.
    public init(reading file: RawSpan) throws(ParseError) {
        byteCount = file.byteCount
        var fileType: FileTypeBox?
        var movie: Movie?
        var firstFragment: Int?
        var truncation: Truncation?
        var offset = 0
        while offset < file.byteCount {
            if offset > 0, file.byteCount - offset < 8 {
                // A truncated header or padding, which cannot be read.
                truncation = Truncation(type: "    ", offset: offset, missing: 8 - (file.byteCount - offset))
                break
            }
            let box: TopLevelBox
            do {
                box = try TopLevelBox(in: file, at: offset)
            } catch {
                // Bytes that are not a box may follow the last one, but fragments behind them could not be found.
                guard movie.map({ !$0.isFragmented }) ?? false else { throw error }
                truncation = Truncation(type: "    ", offset: offset, missing: 0)
                break
            }
            offset = box.end
            if box.end > file.byteCount {
                truncation = Truncation(
                    type: box.header.type,
                    offset: box.header.offset,
                    missing: box.end - file.byteCount
                )
                offset = file.byteCount
            }
            let content = box.content.lowerBound..<offset
            switch box.header.type {
            case "ftyp" where fileType == nil:
                var reader = ByteReader(file.extracting(content), base: content.lowerBound)
                fileType = try FileTypeBox(reading: &reader)
            case "moov" where movie == nil:
                if let truncation {
                    throw ParseError(
                        .truncated,
                        reading: "moov box",
                        offset: truncation.offset,
                        reason: "\(truncation.missing) bytes are missing"
                    )
                }
                var reader = ByteReader(file.extracting(content), base: content.lowerBound)
                movie = try Movie(reading: &reader)
            case "moof" where firstFragment == nil: firstFragment = box.header.offset
            default: break
            }
            if firstFragment != nil, movie != nil { break }
        }
        guard let movie else {
            let reason =
                truncation.map {
                    "the file has no moov box, and the \($0.type) box at byte \($0.offset) lacks \($0.missing) bytes"
                } ?? "the file has no moov box"
            throw ParseError(.missingBox, reading: "file", offset: 0, reason: reason)
        }
        self.fileType = fileType
        self.movie = movie
        self.firstFragment = firstFragment
        self.truncation = truncation
    }

    /// Returns an iterator over the samples of the given tracks.
    ///
    /// - Parameters:
    ///   - trackIDs: the IDs of the tracks; nil for all tracks.
    ///   - endsAtMissingTail: whether a track whose last samples are missing ends before them, instead of with an error;
    ///     see ``MovieSampleCursor/missingTails``. If only their durations are missing, they have the duration of the
    ///     sample before.
    public func samples(of trackIDs: Set<UInt32>? = nil, endsAtMissingTail: Bool = false) -> MovieSampleCursor {
        MovieSampleCursor(
            self,
            tracks: movie.tracks.filter { trackIDs?.contains($0.id) ?? true },
            endsAtMissingTail: endsAtMissingTail
        )
    }
}
