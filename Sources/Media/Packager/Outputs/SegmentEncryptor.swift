import MediaFormats
import SampleEncryption

/// Adds AES-128 encryption to any writer: encrypts whole media segments (METHOD=AES-128; RFC 8216bis, 4.4.4.4). Several
/// segments are encrypted in an interleaved way if possible, because no core encrypts a single CBC chain faster than
/// about 1.5 GB/s.
///
/// The encryptor does not buffer the bytes of segments but their lists of samples: segments are generated and encrypted
/// together, a part of each in turn, when ``maximumConcurrentSegments`` of them are available or ``flush()`` is called.
/// So memory use is bounded, whatever the size of segments. Samples outside of mapped files occupy memory themselves;
/// at most ``bufferLimit`` bytes of them are buffered, however few segments that is.
///
///     let encryptor = try SegmentEncryptor(writer, protection: protection)
///     for segment in segments {
///         try encryptor.add(segment, to: output) { keyFrames in ... }
///     }
///     try encryptor.flush()
///
/// The IV is that of the protection; if it has none, the segment's index, as in playlists that start at Media Sequence
/// Number 0. For live streams, flush after each segment.
package final class SegmentEncryptor {
    /// The maximum number of segments encrypted together; more do not improve throughput.
    package static let maximumConcurrentSegments = 16
    /// The maximum size in bytes of buffered samples outside of mapped files, in addition to those of one segment: 16
    /// MiB.
    package static let bufferLimit = 16 << 20
    /// The number of bytes of each segment generated at a time; those of all segments fit in the CPU cache.
    private static let partSize = 64 << 10

    /// A segment that is being encrypted.
    private struct Segment {
        let source: any SegmentSource
        let output: any SegmentOutput
        let whenWritten: ([KeyFrame]) throws -> Void
        /// The number of bytes in its part of the buffer.
        var count = 0
        var isComplete = false
    }

    private let writer: any SegmentWriter
    private var protection: TrackProtection
    private var cipher: SegmentCipher
    private var pending: [Segment] = []
    private var ivs: [CipherIV] = []
    private var pendingBytes = 0
    private var buffer: UnsafeMutableRawBufferPointer?

    /// Wraps a writer, which must then be used only through the encryptor.
    ///
    /// - Throws: `SampleEncryptionError` if the key or the IV does not have 16 bytes.
    package init(_ writer: any SegmentWriter, protection: TrackProtection) throws {
        self.writer = writer
        self.protection = protection
        cipher = try SegmentCipher(key: protection.key)
        if let iv = protection.iv, iv.count != 16 {
            throw SampleEncryptionError(.invalidIV, reason: "\(iv.count) bytes, must be 16")
        }
    }

    deinit { buffer?.deallocate() }

    /// Changes the key. Buffered segments are written with the old key.
    ///
    /// - Throws: `SampleEncryptionError` if the key does not have 16 bytes; errors of writing.
    package func change(to protection: TrackProtection) throws {
        try flush()
        cipher = try SegmentCipher(key: protection.key)
        self.protection = protection
    }

    /// Adds a complete segment. It is written now, or together with later ones.
    ///
    /// - Parameters:
    ///   - output: The output of the segment's bytes. Only the encryptor may write to it until `whenWritten` is called.
    ///   - whenWritten: Called when the segment is completely written, in the order of the segments. The offsets of key
    ///     frames refer to clear bytes; playlists of encrypted segments cannot reference them.
    package func add(
        _ segment: TrackSegment,
        to output: any SegmentOutput,
        whenWritten: @escaping ([KeyFrame]) throws -> Void
    ) throws {
        guard segment.isProtected else {
            try flush()
            return try whenWritten(try writer.write(segment, to: output))
        }
        let iv = protection.iv ?? CipherIV(mediaSequenceNumber: UInt64(segment.index))
        guard let writer = writer as? any IncrementalSegmentWriter else {
            let encrypted = try EncryptedOutput(output, key: protection.key, iv: iv)
            let keyFrames = try writer.write(segment, to: encrypted)
            try encrypted.finish()
            return try whenWritten(keyFrames)
        }
        let size = Self.bufferedSize(segment)
        if pendingBytes + size > Self.bufferLimit { try flush() }
        pending.append(Segment(source: try writer.begin(segment), output: output, whenWritten: whenWritten))
        ivs.append(iv)
        pendingBytes += size
        if pending.count == Self.maximumConcurrentSegments || pendingBytes > Self.bufferLimit { try flush() }
    }

    /// Writes all buffered segments.
    package func flush() throws {
        defer {
            pending.removeAll(keepingCapacity: true)
            ivs.removeAll(keepingCapacity: true)
            pendingBytes = 0
        }
        while pending.contains(where: { !$0.isComplete }) { try step() }
        for segment in pending { try segment.whenWritten(segment.source.keyFrames) }
    }

    /// Generates, encrypts and writes the next part of each segment.
    private func step() throws {
        // Space for the rest of the previous part and for padding, in multiples of a cache line.
        let slotSize = Self.partSize + 64
        let memory = buffer ?? .allocate(byteCount: Self.maximumConcurrentSegments * slotSize, alignment: 64)
        buffer = memory
        var active: [Int] = []
        var parts: [UnsafeMutableRawBufferPointer] = []
        for index in pending.indices where !pending[index].isComplete {
            let part = UnsafeMutableRawBufferPointer(rebasing: memory[index * slotSize..<(index + 1) * slotSize])
            let start = pending[index].count
            var free = UnsafeMutableRawBufferPointer(rebasing: part[start..<start + Self.partSize]).mutableBytes
            let made = try pending[index].source.read(into: &free)
            pending[index].count += made
            if made == 0 {
                // PKCS #7 padding: 1 to 16 bytes, each with the number of padding bytes as its value.
                let padding = 16 - start % 16
                part[start..<start + padding].initializeMemory(as: UInt8.self, repeating: UInt8(padding))
                pending[index].count += padding
                pending[index].isComplete = true
            }
            active.append(index)
            parts.append(UnsafeMutableRawBufferPointer(rebasing: part.prefix(pending[index].count / 16 * 16)))
        }
        var chains = active.map { ivs[$0] }
        try cipher.encrypt(unsafeWholeBlocks: parts, ivs: &chains)
        for (index, (part, chain)) in zip(active, zip(parts, chains)) {
            ivs[index] = chain
            try pending[index].output.write(part.bytes)
            let rest = memory[index * slotSize + part.count..<index * slotSize + pending[index].count]
            UnsafeMutableRawBufferPointer(rebasing: memory[(index * slotSize)...])
                .copyMemory(from: UnsafeRawBufferPointer(rebasing: rest))
            pending[index].count = rest.count
        }
    }

    /// Returns the size of a segment's samples outside of mapped files, in bytes.
    private static func bufferedSize(_ segment: TrackSegment) -> Int {
        var size = 0
        var last: (bytes: any SampleBytes, isMapped: Bool)?
        for sample in segment.samples {
            if last?.bytes !== sample.bytes { last = (sample.bytes, sample.bytes is MappedFile) }
            if last?.isMapped == false { size += sample.size }
        }
        return size
    }
}
