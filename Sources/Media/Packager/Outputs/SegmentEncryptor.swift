import MediaFormats
import SampleEncryption

/// METHOD=AES-128 around any writer: encrypts whole media segments (RFC 8216bis, 4.4.4.4), several side by side where
/// that is possible, since no core encrypts one chain of CBC faster than about 1.5 GB/s.
///
/// What is held is not the bytes of segments but their lists of samples: the segments are made and encrypted together,
/// a part of each in turn, when ``sideBySide`` of them have come or ``flush()`` is called. So memory is bounded,
/// however large segments are. Samples that do not lie in a mapped file are memory themselves; of these no more than
/// ``gatheredLimit`` bytes are held, however few segments that is.
///
///     let encryptor = try SegmentEncryptor(writer, protection: protection)
///     for segment in segments {
///         try encryptor.add(segment, to: output) { keyFrames in ... }
///     }
///     try encryptor.flush()
///
/// The IV is the protection's, or the segment's number where it has none, as playlists that begin at Media Sequence
/// Number 0 have it. With live streams, flush after each segment.
package final class SegmentEncryptor {
    /// How many segments are encrypted together, at most: more gain nothing.
    package static let sideBySide = 16
    /// How many bytes of samples outside mapped files are held, at most, beside those of one segment: 16 MiB.
    package static let gatheredLimit = 16 << 20
    /// How much of each segment is made at once: all of them together stay in the cache.
    private static let partSize = 64 << 10

    /// A segment on its way.
    private struct Segment {
        let source: any SegmentSource
        let output: any SegmentOutput
        let whenWritten: ([KeyFrame]) throws -> Void
        /// How much lies in its part of the buffer.
        var count = 0
        var isComplete = false
    }

    private let writer: any SegmentWriter
    private var protection: TrackProtection
    private var cipher: SegmentCipher
    private var held: [Segment] = []
    private var ivs: [CipherIV] = []
    private var gathered = 0
    private var buffer: UnsafeMutableRawBufferPointer?

    /// Puts encryption around a writer, which the encryptor calls from now on.
    ///
    /// - Throws: `SampleEncryptionError` when the key or the IV is not of 16 bytes.
    package init(_ writer: any SegmentWriter, protection: TrackProtection) throws {
        self.writer = writer
        self.protection = protection
        cipher = try SegmentCipher(key: protection.key)
        if let iv = protection.iv, iv.count != 16 {
            throw SampleEncryptionError(.invalidIV, reason: "\(iv.count) bytes, must be 16")
        }
    }

    deinit { buffer?.deallocate() }

    /// Goes on with another key. What is held is written under the old one.
    ///
    /// - Throws: `SampleEncryptionError` when the key is not of 16 bytes; what writing throws.
    package func change(to protection: TrackProtection) throws {
        try flush()
        cipher = try SegmentCipher(key: protection.key)
        self.protection = protection
    }

    /// Takes a segment that is complete. It is written now, or together with later ones.
    ///
    /// - Parameters:
    ///   - output: Where its bytes go. Nobody else writes there before `whenWritten` is called.
    ///   - whenWritten: Called once all of it was written, in the order of the segments. Key frames are counted in
    ///     clear bytes; playlists of encrypted segments cannot point at them.
    package func add(
        _ segment: MediaSegment,
        to output: any SegmentOutput,
        whenWritten: @escaping ([KeyFrame]) throws -> Void
    ) throws {
        guard segment.isProtected else {
            try flush()
            return try whenWritten(try writer.write(segment, to: output))
        }
        let iv = protection.iv ?? CipherIV(mediaSequenceNumber: UInt64(segment.index))
        guard let writer = writer as? any SteppedSegmentWriter else {
            let encrypted = try EncryptedOutput(output, key: protection.key, iv: iv)
            let keyFrames = try writer.write(segment, to: encrypted)
            try encrypted.finish()
            return try whenWritten(keyFrames)
        }
        let size = Self.gatheredSize(segment)
        if gathered + size > Self.gatheredLimit { try flush() }
        held.append(Segment(source: try writer.begin(segment), output: output, whenWritten: whenWritten))
        ivs.append(iv)
        gathered += size
        if held.count == Self.sideBySide || gathered > Self.gatheredLimit { try flush() }
    }

    /// Writes all segments that are held.
    package func flush() throws {
        defer {
            held.removeAll(keepingCapacity: true)
            ivs.removeAll(keepingCapacity: true)
            gathered = 0
        }
        while held.contains(where: { !$0.isComplete }) { try step() }
        for segment in held { try segment.whenWritten(segment.source.keyFrames) }
    }

    /// Makes, encrypts and writes the next part of each segment.
    private func step() throws {
        // Room for what was left of the part before and for padding, in multiples of a cache line.
        let room = Self.partSize + 64
        let memory = buffer ?? .allocate(byteCount: Self.sideBySide * room, alignment: 64)
        buffer = memory
        var active: [Int] = []
        var parts: [UnsafeMutableRawBufferPointer] = []
        for index in held.indices where !held[index].isComplete {
            let part = UnsafeMutableRawBufferPointer(rebasing: memory[index * room..<(index + 1) * room])
            let start = held[index].count
            var free = UnsafeMutableRawBufferPointer(rebasing: part[start..<start + Self.partSize]).mutableBytes
            let made = try held[index].source.read(into: &free)
            held[index].count += made
            if made == 0 {
                // PKCS #7: so many bytes of that value, at least one.
                let padding = 16 - start % 16
                part[start..<start + padding].initializeMemory(as: UInt8.self, repeating: UInt8(padding))
                held[index].count += padding
                held[index].isComplete = true
            }
            active.append(index)
            parts.append(UnsafeMutableRawBufferPointer(rebasing: part.prefix(held[index].count / 16 * 16)))
        }
        var chains = active.map { ivs[$0] }
        try cipher.encrypt(unsafeWholeBlocks: parts, ivs: &chains)
        for (index, (part, chain)) in zip(active, zip(parts, chains)) {
            ivs[index] = chain
            try held[index].output.write(part.bytes)
            let rest = memory[index * room + part.count..<index * room + held[index].count]
            UnsafeMutableRawBufferPointer(rebasing: memory[(index * room)...])
                .copyMemory(from: UnsafeRawBufferPointer(rebasing: rest))
            held[index].count = rest.count
        }
    }

    /// How many bytes a segment keeps in memory that is not mapped.
    private static func gatheredSize(_ segment: MediaSegment) -> Int {
        var size = 0
        var last: (bytes: any SampleBytes, isMapped: Bool)?
        for sample in segment.samples {
            if last?.bytes !== sample.bytes { last = (sample.bytes, sample.bytes is MappedFile) }
            if last?.isMapped == false { size += sample.size }
        }
        return size
    }
}
