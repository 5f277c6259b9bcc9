import ByteCoding
import MediaFormats
import SampleEncryption

/// Finds the frames of an audio stream with SAMPLE-AES, and their encrypted parts. Headers are always clear.
struct ProtectedAudioFrames {
    /// A frame: one access unit, or an E-AC-3 syncframe with the other syncframes of its access unit.
    struct Frame {
        /// The range of the frame in the bytes.
        var range: Range<Int>
        /// The clear and the protected parts of the frame.
        var subsamples: [Subsample]
    }

    let kind: SampleAESStream

    /// Calls `body` for each whole frame, from the start of the bytes to their end or to an ID3 tag.
    ///
    /// - Parameters:
    ///   - base: the offset of the first byte in the file, for errors.
    ///   - isFinal: whether the last frame ends at the end of the bytes.
    ///   - limit: the maximum number of frames.
    ///   - body: the function to call for each frame.
    /// - Returns: the total size of the frames in bytes.
    /// - Throws: `ParseError` if a frame header is invalid.
    func forEach(
        in bytes: RawSpan,
        base: Int,
        isFinal: Bool,
        limit: Int = .max,
        _ body: (Frame) throws -> Void
    ) throws -> Int {
        switch kind {
        case .aac: try forEachADTSFrame(bytes, base, limit, body)
        case .ac3, .enhancedAC3: try forEachSyncframe(bytes, base, limit, isFinal: isFinal, body)
        case .h264: 0
        }
    }

    private func forEachADTSFrame(
        _ bytes: RawSpan,
        _ base: Int,
        _ limit: Int,
        _ body: (Frame) throws -> Void
    ) throws -> Int {
        var position = 0
        var count = 0
        while count < limit, bytes.byteCount - position >= ADTSHeader.shortestSize {
            if LocatedID3Tag.begins(bytes, position) { break }
            let header: ADTSHeader
            do {
                header = try ADTSHeader(bytes.extracting(position..<bytes.byteCount), base: base + position)
            } catch {
                guard error.code == .truncated else { throw error }
                break
            }
            guard header.frameLength <= bytes.byteCount - position else { break }
            let unit = Subsample(clear: header.size, protected: header.frameLength - header.size)
            try body(Frame(range: position..<position + header.frameLength, subsamples: [unit]))
            position += header.frameLength
            count += 1
        }
        return position
    }

    /// An E-AC-3 access unit has six audio blocks per channel. They are in several syncframes of a substream if these
    /// have fewer than six blocks, and in the syncframes of dependent substreams. An AC-3 access unit is one syncframe.
    private func forEachSyncframe(
        _ bytes: RawSpan,
        _ base: Int,
        _ limit: Int,
        isFinal: Bool,
        _ body: (Frame) throws -> Void
    ) throws -> Int {
        var start = 0
        var count = 0
        var position = 0
        var blocks = 0
        var units: [Subsample] = []
        while bytes.byteCount - position >= AC3Syncframe.headerSize, !LocatedID3Tag.begins(bytes, position) {
            let header = try AC3Syncframe(bytes.extracting(position..<bytes.byteCount), base: base + position)
            guard header.size <= bytes.byteCount - position else { break }
            if header.beginsAccessUnit {
                if blocks >= 6 {
                    try body(Frame(range: start..<position, subsamples: units))
                    units.removeAll(keepingCapacity: true)
                    start = position
                    blocks = 0
                    count += 1
                    if count == limit { return start }
                }
                blocks += header.blockCount
            }
            units.append(Subsample(clear: 0, protected: header.size))
            position += header.size
        }
        // AC-3 has no dependent substreams, so that the access unit is complete.
        guard !units.isEmpty, isFinal || (kind == .ac3 && blocks >= 6) else { return start }
        try body(Frame(range: start..<position, subsamples: units))
        return position
    }
}
