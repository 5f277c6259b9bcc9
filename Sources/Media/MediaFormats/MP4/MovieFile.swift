public import ByteCoding

/// A box at the outermost level of a file.
struct TopLevelBox {
    let header: BoxHeader
    /// Behind its last byte; may lie behind the end of the file.
    let end: Int

    /// Where the content lies, header left out.
    var content: Range<Int> { header.offset + header.headerSize..<end }

    init(in file: RawSpan, at offset: Int) throws(ParseError) {
        var reader = ByteReader(file.extracting(offset..<file.byteCount), base: offset)
        header = try BoxHeader(reading: &reader)
        // Sizes are below 2^62 and so are offsets in memory: the sum does not overflow.
        end = header.size.map { offset + $0 } ?? file.byteCount
    }
}

/// An MP4 or QuickTime file that lies in memory, as a rule mapped. Nothing is copied but headers.
///
///     ftyp, moov, mdat; free, wide, skip, uuid ... between; moof and mdat in turn when it is fragmented
public struct MovieFile: Sendable {
    /// A box that is longer than what is there of the file.
    public struct Truncation: Hashable, Sendable {
        /// The box.
        public let type: FourCC
        /// Where it begins.
        public let offset: Int
        /// How many bytes are missing.
        public let missing: Int
    }

    /// What the file conforms to; nil in old QuickTime files.
    public let fileType: FileTypeBox?
    /// The presentation.
    public let movie: Movie
    /// The size of the file in bytes.
    public let byteCount: Int
    /// The box that is cut off at the end of the file; nil: none is. In a fragmented file only boxes before the first
    /// fragment are looked at here.
    public let truncation: Truncation?
    /// Where the first fragment begins; nil when there is none.
    public let firstFragment: Int?

    /// Reads the headers of a file.
    ///
    /// - Throws: `ParseError`; `missing-box` when there is no `moov` box.
    public init(reading file: RawSpan) throws(ParseError) {
        byteCount = file.byteCount
        var fileType: FileTypeBox?
        var movie: Movie?
        var firstFragment: Int?
        var truncation: Truncation?
        var offset = 0
        while offset < file.byteCount {
            if offset > 0, file.byteCount - offset < 8 {
                // What is left of a header, or padding: nothing that could be read.
                truncation = Truncation(type: "    ", offset: offset, missing: 8 - (file.byteCount - offset))
                break
            }
            let box = try TopLevelBox(in: file, at: offset)
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
                        reason: "\(truncation.missing) of its bytes are missing"
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
                    "there is no moov box; of the \($0.type) box at byte \($0.offset) \($0.missing) bytes are missing"
                } ?? "there is no moov box"
            throw ParseError(.missingBox, reading: "file", offset: 0, reason: reason)
        }
        self.fileType = fileType
        self.movie = movie
        self.firstFragment = firstFragment
        self.truncation = truncation
    }

    /// The samples of some tracks.
    ///
    /// - Parameter trackIDs: The tracks; nil: all.
    public func samples(of trackIDs: Set<UInt32>? = nil) -> MovieSampleCursor {
        MovieSampleCursor(self, tracks: movie.tracks.filter { trackIDs?.contains($0.id) ?? true })
    }
}
