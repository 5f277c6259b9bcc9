import ByteCoding
import MediaFormats
import SampleEncryption

/// An elementary stream with SAMPLE-AES in a transport stream. It reassembles PES packets, decrypts their content and
/// writes it back to the transport packets.
struct SampleAESElementaryStream {
    /// The format of the stream; nil while the stream is clear, so that packets are only counted.
    var kind: SampleAESStream?
    /// The result so far.
    private(set) var report: DecryptedTrack
    private let pid: UInt16
    private let maximumPacketSize: Int
    private var cipher: SampleCipher?
    private var packet = ReassembledPayload()
    private var transportPackets: [TransportPacketRewriter.Packet] = []
    /// For audio: the start of a frame that continues in the next PES packet.
    private var rest = ReassembledPayload()
    private var rewriter = TransportPacketRewriter()
    private var lastCounter: UInt8?
    private var batch = SampleBatch()
    private var output: [UInt8] = []

    init(_ kind: SampleAESStream, pid: UInt16, maximumPacketSize: Int) {
        self.kind = kind
        self.pid = pid
        self.maximumPacketSize = maximumPacketSize
        report = DecryptedTrack(name: "PID \(pid)", format: kind.name, scheme: "SAMPLE-AES")
    }

    /// Starts a segment, which can have another key.
    mutating func begin(_ key: DecryptionKey) throws {
        lastCounter = nil
        packet.removeAll()
        transportPackets.removeAll()
        rest.removeAll()
        cipher = nil
        guard let kind else { return }
        guard let iv = key.iv else {
            throw DecryptionError(
                .missingIV,
                report.name,
                "SAMPLE-AES media contain no initialization vector; specify it after the key, as KID:KEY:IV"
            )
        }
        do throws(SampleEncryptionError) {
            cipher = try SampleCipher(.sampleAES(kind.format), .decrypt, key: key.key, constantIV: iv)
        } catch {
            throw DecryptionError.cipherFailure(error, report.name)
        }
    }

    /// Processes the payload of a transport packet.
    mutating func processPayload(
        _ input: RawSpan,
        offset: Int,
        _ range: Range<Int>,
        _ header: TransportPacketHeader,
        _ output: inout MutableRawSpan
    ) throws {
        guard kind != nil else { return }
        guard !header.isScrambled else {
            throw DecryptionError(
                .notSupported,
                report.name,
                "its packets are scrambled by a conditional access system"
            )
        }
        if let lastCounter, !header.isDiscontinuity {
            if header.continuityCounter == lastCounter {
                // A duplicate packet. It contains nothing new and would stay encrypted, so it becomes a null packet.
                return output.storeBytes(of: (0x471F_FF10 as UInt32).bigEndian, toByteOffset: offset, as: UInt32.self)
            }
            guard header.isUnitStart || header.continuityCounter == (lastCounter + 1) & 15 else {
                throw DecryptionError(
                    .damaged,
                    report.name,
                    "packets are missing before byte \(offset): the continuity counter changes from \(lastCounter) to "
                        + "\(header.continuityCounter)"
                )
            }
        }
        lastCounter = header.continuityCounter
        if header.isUnitStart { try finishPacket(input, &output) }
        // Packets before the first payload unit start belong to an incomplete PES packet.
        guard header.isUnitStart || !packet.bytes.isEmpty else { return }
        packet.append(input, range)
        transportPackets.append(.init(offset: offset, payload: range))
        guard packet.bytes.count <= maximumPacketSize else {
            throw ParseError(
                .invalidLength,
                reading: "PES packet of PID \(pid)",
                offset: offset,
                reason: "the packet is larger than \(maximumPacketSize) bytes"
            )
        }
    }

    /// Processes a transport packet without payload, which usually contains a PCR.
    mutating func processPacketWithoutPayload(offset: Int, _ output: inout MutableRawSpan) {
        let packet = TransportPacketRewriter.Packet(offset: offset, payload: offset..<offset)
        if transportPackets.isEmpty {
            rewriter.write([], to: [packet], in: &output)
        } else {
            transportPackets.append(packet)
        }
    }

    /// Decrypts the buffered data at the end of a segment.
    mutating func finish(_ input: RawSpan, _ output: inout MutableRawSpan) throws {
        try finishPacket(input, &output)
        guard let kind, kind != .h264, !rest.bytes.isEmpty else { return }
        try decryptFrames(isFinal: true, &output)
        guard rest.bytes.isEmpty else {
            throw DecryptionError(
                .damaged,
                report.name,
                "the last frame is truncated: only \(rest.bytes.count) bytes are left"
            )
        }
    }

    private mutating func finishPacket(_ input: RawSpan, _ output: inout MutableRawSpan) throws {
        guard let kind, let range = packet.ranges.first else { return }
        defer {
            packet.removeAll()
            transportPackets.removeAll(keepingCapacity: true)
        }
        var reader = ByteReader(packet.bytes.span.bytes, base: range.lowerBound)
        let header = try PESHeader(reading: &reader)
        let headerSize = packet.bytes.count - reader.remaining
        if let length = header.payloadLength {
            guard length <= reader.remaining else {
                throw ParseError(
                    .truncated,
                    reading: "PES packet of PID \(pid)",
                    offset: range.lowerBound,
                    reason: "expected \(length) bytes, found \(reader.remaining)"
                )
            }
        }
        if kind == .h264 {
            try decryptAccessUnit(headerSize, header.payloadLength, &output)
        } else {
            packet.removeFirst(headerSize)
            rest.append(packet)
            try decryptFrames(isFinal: false, &output)
        }
    }

    // MARK: Video

    /// Decrypts an access unit. Its NAL units become shorter if encryption had added emulation prevention bytes.
    private mutating func decryptAccessUnit(
        _ headerSize: Int,
        _ payloadLength: Int?,
        _ file: inout MutableRawSpan
    ) throws {
        guard let cipher else { return }
        // The array is moved out of `self`, so that it can be written while `self` is read.
        var written: [UInt8] = []
        swap(&written, &output)
        defer { swap(&written, &output) }
        written.removeAll(keepingCapacity: true)
        let end = payloadLength.map { headerSize + $0 } ?? packet.bytes.count
        written += packet.bytes[..<headerSize]
        try decryptNALUnits(packet.bytes.span.bytes.extracting(headerSize..<end), cipher, to: &written)
        let length = written.count - headerSize
        written += packet.bytes[end...]
        if payloadLength != nil {
            // PES_packet_length counts the bytes after the field, which ends at byte 6.
            let field = UInt16(truncatingIfNeeded: headerSize - 6 + length)
            written[4] = UInt8(field >> 8)
            written[5] = UInt8(truncatingIfNeeded: field)
        }
        report.decrypted += 1
        rewriter.write(written, to: transportPackets, in: &file)
    }

    /// Appends the decrypted NAL units of a byte stream. Start codes and zero bytes are copied unchanged.
    private func decryptNALUnits(_ stream: RawSpan, _ cipher: SampleCipher, to written: inout [UInt8]) throws {
        guard stream.byteCount == 0 || StartCode.next(in: stream).map({ $0 <= 4 }) == true else {
            throw DecryptionError(
                .notSupported,
                report.name,
                "the PES packet at byte \(packet.ranges.first?.lowerBound ?? 0) does not begin with a start code; NAL "
                    + "units that continue in another PES packet are not supported"
            )
        }
        var units = AnnexBNALUnits()
        var position = 0
        while let unit = units.next(stream) {
            stream.extracting(position..<unit.lowerBound).withUnsafeBytes { written.append(contentsOf: $0) }
            do throws(SampleEncryptionError) {
                try cipher.appendNALUnit(stream.extracting(unit), to: &written)
            } catch {
                throw DecryptionError.cipherFailure(error, report.name)
            }
            position = unit.upperBound
        }
        stream.extracting(position..<stream.byteCount).withUnsafeBytes { written.append(contentsOf: $0) }
    }

    // MARK: Audio

    /// Decrypts the complete frames. Their sizes do not change.
    private mutating func decryptFrames(isFinal: Bool, _ file: inout MutableRawSpan) throws {
        guard let kind, let cipher, let range = rest.ranges.first else { return }
        // The batch is moved out of `self`, so that the closure can append to it while `self` is read.
        var batch = SampleBatch()
        swap(&batch, &self.batch)
        defer { swap(&batch, &self.batch) }
        batch.removeAll()
        var count = 0
        let size = try ProtectedAudioFrames(kind: kind).forEach(
            in: rest.bytes.span.bytes,
            base: range.lowerBound,
            isFinal: isFinal
        ) { frame in
            batch.append(offset: frame.range.lowerBound, size: frame.range.count, subsamples: frame.subsamples)
            count += 1
        }
        do throws(SampleEncryptionError) {
            try cipher.process(batch, in: &rest.bytes)
        } catch {
            throw DecryptionError.cipherFailure(error, report.name)
        }
        report.decrypted += count
        rest.scatter(size, to: &file)
        rest.removeFirst(size)
    }
}
