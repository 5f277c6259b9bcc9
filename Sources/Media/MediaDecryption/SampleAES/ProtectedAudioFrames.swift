import ByteCoding
import MediaFormats
import SampleEncryption

/// Finds the frames of a stream of audio under SAMPLE-AES, and what of them is encrypted. Headers are always clear.
struct ProtectedAudioFrames {
    /// A frame: one access unit, or a syncframe of E-AC-3 with the syncframes that belong to it.
    struct Frame {
        /// Where it lies.
        var range: Range<Int>
        /// Its clear beginnings and encrypted units.
        var subsamples: [Subsample]
    }

    let kind: SampleAESStream

    /// The whole frames from the beginning of some bytes, up to the end or an ID3 tag.
    ///
    /// - Parameters:
    ///   - base: The offset of the first byte in the file, for errors.
    ///   - isFinal: Whether the last frame ends where the bytes do.
    ///   - limit: How many frames are found at most.
    ///   - body: Takes a frame.
    /// - Returns: How many bytes they have.
    /// - Throws: `ParseError` where no frame begins.
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
            if ID3TagPlace.begins(bytes, position) { break }
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

    /// A frame of E-AC-3 has six blocks of each channel: in several syncframes of a substream where these are short, and
    /// in those of dependent substreams. AC-3 has one syncframe.
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
        while bytes.byteCount - position >= AC3Syncframe.headerSize, !ID3TagPlace.begins(bytes, position) {
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
        // AC-3 has no dependent substreams to wait for.
        guard !units.isEmpty, isFinal || (kind == .ac3 && blocks >= 6) else { return start }
        try body(Frame(range: start..<position, subsamples: units))
        return position
    }
}
