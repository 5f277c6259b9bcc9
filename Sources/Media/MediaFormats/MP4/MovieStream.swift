public import ByteCoding

/// A reader for an MP4 or QuickTime file from a pipe. Push bytes and get headers and samples. Only incomplete data are
/// buffered: a header or a sample.
///
///     var stream = MovieStream()
///     while let bytes = read() {
///         stream.push(bytes)
///         while let event = try stream.next() { ... }
///     }
///     try stream.finish()
///
/// The `moov` box must precede the media data. A later `moov` box starts another movie, as in concatenated files. Samples are in the order of the file, which interleaves tracks more or
/// less evenly.
public struct MovieStream: Sendable {
    /// An item read from the file.
    public enum Event: Sendable {
        /// The `ftyp` box.
        case fileType(FileTypeBox)
        /// The `moov` box. The offsets of its tables are relative to the start of its content.
        case movie(Movie)
        /// A sample of any track.
        case sample(StreamSample)
    }

    /// A sample with its bytes.
    public struct StreamSample: Sendable {
        /// The sample's times and location.
        public var sample: Sample
        /// The sample's bytes.
        public var bytes: [UInt8]
        /// The sample's subsamples; empty if it is clear, or encrypted as a whole.
        public var subsamples: [SampleEncryptionBox.Subsample]
    }

    private enum State: Sendable {
        case header
        case collect(BoxHeader, size: Int)
        /// Skips the given number of bytes of a box; nil means to the end of the file.
        case skip(Int?)
        /// Reads media data up to an offset; nil means to the end of the file.
        case media(end: Int?)
    }

    private struct Source: Sendable {
        var table: SampleTableCursor?
        var fragments: FragmentCursor
        var isTable = false
        var pending: Sample?
    }

    private let maximumHeaderSize: Int
    private let maximumSampleSize: Int
    private var state = State.header
    private var buffer: [UInt8] = []
    private var head = 0
    /// The offset in the file of the byte at ``head``.
    private var position = 0
    /// The offset of the file in the stream; not 0 after the first of several concatenated files.
    private var fileStart = 0
    private var movieBytes: [UInt8] = []
    private var fragmentBytes: [UInt8] = []
    private var sources: [Source] = []
    private var hasMovie = false

    /// Creates a reader for a file from its start.
    ///
    /// - Parameters:
    ///   - maximumHeaderSize: the maximum size of a `moov` or `moof` box in bytes.
    ///   - maximumSampleSize: the maximum size of a sample in bytes.
    public init(maximumHeaderSize: Int = 256 << 20, maximumSampleSize: Int = 64 << 20) {
        self.maximumHeaderSize = maximumHeaderSize
        self.maximumSampleSize = maximumSampleSize
    }

    /// The number of buffered bytes that have not been read yet.
    public var bufferedCount: Int { buffer.count - head }

    /// Appends the next bytes of the file.
    public mutating func push(_ bytes: RawSpan) {
        if head == buffer.count {
            buffer.removeAll(keepingCapacity: true)
            head = 0
        } else if head > 1 << 16, head > buffer.count / 2 {
            buffer.removeFirst(head)
            head = 0
        }
        bytes.withUnsafeBytes { buffer.append(contentsOf: $0) }
    }

    /// Appends the next bytes of the file.
    public mutating func push(_ bytes: [UInt8]) { push(bytes.span.bytes) }

    /// Returns the next item that can be read from the bytes so far; nil if more bytes are required.
    ///
    /// - Throws: `ParseError`; `moov-after-mdat` if media data or a fragment precede the `moov` box; `not-supported`
    ///   if a sample precedes the current position.
    public mutating func next() throws(ParseError) -> Event? {
        while true {
            switch state {
            case .header:
                guard try readHeader() else { return nil }
            case .collect(let header, let size):
                guard bufferedCount >= size else { return nil }
                state = .header
                if let event = try readBox(header, size: size) { return event }
            case .skip(let left):
                let count = min(left ?? bufferedCount, bufferedCount)
                advance(count)
                if let left { state = left == count ? .header : .skip(left - count) }
                guard case .header = state else { return nil }
            case .media(let end):
                if let sample = try readSample(end: end) { return .sample(sample) }
                guard case .header = state else { return nil }
            }
        }
    }

    /// Finishes the input.
    ///
    /// - Throws: `ParseError` `truncated` if a sample or a box with metadata is not complete, `missing-box` if there was
    ///   no `moov` box. A box without samples behind the media may be incomplete.
    public mutating func finish() throws(ParseError) {
        switch state {
        case .header where bufferedCount == 0: break
        case .header: throw truncated("header of a box")
        case .collect(let header, _): throw truncated("\(header.type) box")
        case .skip, .media: break
        }
        guard hasMovie else {
            throw ParseError(.missingBox, reading: "file", offset: position, reason: "the file has no moov box")
        }
        if let missing = firstPending() { throw truncated("sample at byte \(missing.sample.offset)") }
    }

    private func truncated(_ field: String) -> ParseError {
        ParseError(.truncated, reading: field, offset: position + bufferedCount, reason: "the input ends here")
    }

    private mutating func advance(_ count: Int) {
        head += count
        position += count
    }

    private mutating func readHeader() throws(ParseError) -> Bool {
        let available = min(bufferedCount, 32)
        guard available >= 8 else { return false }
        guard let header = try Self.header(Array(buffer[head..<head + available]), at: position) else { return false }
        switch header.type {
        // A fragment cannot be read without the moov box either.
        case "mdat" where !hasMovie, "moof" where !hasMovie:
            throw ParseError(
                .moovAfterMdat,
                reading: "file",
                offset: position,
                reason: "the media data precede the moov box, which is not supported for a pipe; give the file by its "
                    + "name, or move its moov box to the front (ffmpeg -movflags +faststart)"
            )
        case "moov", "moof", "ftyp":
            guard let size = header.size, size <= maximumHeaderSize else {
                throw ParseError(
                    .invalidLength,
                    reading: "\(header.type) box",
                    offset: position,
                    reason: "in a pipe, the box must have a size, at most \(maximumHeaderSize) bytes"
                )
            }
            state = .collect(header, size: size)
        case "mdat":
            advance(header.headerSize)
            state = .media(end: header.size.map { header.offset + $0 })
        default:
            state = .skip(header.size)
        }
        return true
    }

    /// Returns the header of a box; nil if more bytes are required.
    private static func header(_ bytes: [UInt8], at position: Int) throws(ParseError) -> BoxHeader? {
        var reader = ByteReader(bytes.span.bytes, base: position)
        do throws(ParseError) {
            return try BoxHeader(reading: &reader)
        } catch {
            if error.code == .truncated { return nil }
            throw error
        }
    }

    private mutating func readBox(_ header: BoxHeader, size: Int) throws(ParseError) -> Event? {
        let box = Array(buffer[head..<head + size])
        let start = position
        advance(size)
        do throws(ParseError) {
            switch header.type {
            case "ftyp":
                // Another file starts here: offsets in it are relative to its start.
                if hasMovie { (fileStart, position) = (fileStart + start, size) }
                var reader = ByteReader(box.span.bytes.extracting(header.headerSize..<size))
                return .fileType(try FileTypeBox(reading: &reader))
            case "moov":
                movieBytes = Array(box[header.headerSize...])
                var reader = ByteReader(movieBytes.span.bytes)
                let movie = try Movie(reading: &reader)
                hasMovie = true
                fragmentBytes = []
                try begin(movie, contentOffset: start + header.headerSize)
                return .movie(movie)
            case "moof":
                if let left = firstPending() {
                    throw ParseError(
                        .invalidValue,
                        reading: "moof box",
                        offset: 0,
                        reason: "track \(left.sample.trackID) has samples in the previous fragment that are missing"
                    )
                }
                fragmentBytes = box
                for index in sources.indices {
                    let content = header.headerSize..<size
                    try sources[index].fragments.load(box.span.bytes, box: 0, content: content, fileOffset: start)
                    try advanceSource(index)
                }
            default: break
            }
        } catch {
            throw ParseError(error.code, reading: error.reading, offset: error.offset + start, reason: error.reason)
        }
        return nil
    }

    /// Sets up the cursors of the tracks.
    ///
    /// - Parameter contentOffset: the offset of the moov box's content in the file. Offsets in `saio` are relative to
    ///   the start of the file, and their target can be read only if it is in this box.
    private mutating func begin(_ movie: Movie, contentOffset: Int) throws(ParseError) {
        sources = movie.tracks.map { track in
            Source(
                table: SampleTableCursor(track, spanShift: -contentOffset),
                fragments: FragmentCursor(track, from: 0)
            )
        }
        for index in sources.indices { try advanceSource(index) }
    }

    private mutating func advanceSource(_ index: Int) throws(ParseError) {
        let (movieBytes, fragmentBytes) = (movieBytes, fragmentBytes)
        sources[index].isTable = true
        sources[index].pending = try sources[index].table?.next(movieBytes.span.bytes)
        if sources[index].pending != nil { return }
        if let end = sources[index].table?.endTime { sources[index].fragments.continue(at: end) }
        sources[index].table = nil
        sources[index].isTable = false
        var sample = Sample.none
        let hasSample = try sources[index].fragments.nextInFragment(fragmentBytes.span.bytes, into: &sample)
        sources[index].pending = hasSample ? sample : nil
    }

    private func firstPending() -> (index: Int, sample: Sample)? {
        var first: (index: Int, sample: Sample)?
        for (index, source) in sources.enumerated() {
            guard let sample = source.pending else { continue }
            if let other = first, other.sample.offset <= sample.offset { continue }
            first = (index, sample)
        }
        return first
    }

    private mutating func readSample(end: Int?) throws(ParseError) -> StreamSample? {
        let (index, sample) = firstPending() ?? (-1, .none)
        let isInside = index >= 0 && end.map { sample.offset < $0 } ?? true
        guard isInside else {
            // The rest of this box contains no samples.
            let count = min(end.map { $0 - position } ?? bufferedCount, bufferedCount)
            advance(count)
            if position == end { state = .header }
            return nil
        }
        guard sample.offset >= position else {
            throw ParseError(
                .notSupported,
                reading: "sample of track \(sample.trackID)",
                offset: sample.offset,
                reason: "the sample precedes byte \(position), the current position; a pipe cannot seek back"
            )
        }
        guard sample.size <= maximumSampleSize, end.map({ sample.size <= $0 - sample.offset }) ?? true else {
            throw ParseError(
                .invalidLength,
                reading: "sample of track \(sample.trackID)",
                offset: sample.offset,
                reason: "its \(sample.size) bytes are not within the mdat box, or exceed the maximum"
            )
        }
        let gap = sample.offset - position
        advance(min(gap, bufferedCount))
        guard position == sample.offset, bufferedCount >= sample.size else { return nil }
        let bytes = Array(buffer[head..<head + sample.size])
        advance(sample.size)
        var subsamples: [SampleEncryptionBox.Subsample] = []
        if let entries = sample.protection?.subsamples {
            subsamples =
                sources[index].isTable
                ? entries.entries(in: movieBytes.span.bytes) : entries.entries(in: fragmentBytes.span.bytes)
        }
        try advanceSource(index)
        if position == end { state = .header }
        var returned = sample
        returned.offset += fileStart
        return StreamSample(sample: returned, bytes: bytes, subsamples: subsamples)
    }
}
