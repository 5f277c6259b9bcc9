import CZlib

/// A decoder of gzip (RFC 1952), with one or several members.
final class GzipDecoder: ContentDecoder {
    /// zlib requires that the address of its state does not change.
    private let stream: UnsafeMutablePointer<z_stream>
    private let limit: Int
    private var size = 0
    /// True at the start and after each member.
    private var isBetweenMembers = true
    private var hasMember = false

    /// Creates a decoder.
    ///
    /// - Parameter limit: The maximum size of the output, in bytes.
    init(limit: Int) throws(ContentCodingError) {
        self.limit = limit
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        // 15 is the largest window, and 16 selects gzip.
        guard inflateInit2_(stream, 15 + 16, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else {
            throw .noMemory
        }
    }

    deinit {
        inflateEnd(stream)
        stream.deallocate()
    }

    func decode(_ part: [UInt8]) throws(ContentCodingError) -> [UInt8] {
        var result: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        var start = 0
        var mayHaveMore = !part.isEmpty
        while mayHaveMore {
            // Some servers fill the last block with zeros.
            if isBetweenMembers, hasMember, part[start...].allSatisfy({ $0 == 0 }) { break }
            let (status, consumed, produced) = inflate(part, from: start, into: &buffer)
            start += consumed
            guard produced <= limit - size else { throw .tooLarge }
            size += produced
            result += buffer[..<produced]
            switch status {
            case Z_OK:
                isBetweenMembers = false
                // If the buffer is full, there may be more output for the input that has been consumed.
                mayHaveMore = start < part.count || produced == buffer.count
            // No progress is possible without more input.
            case Z_BUF_ERROR: mayHaveMore = false
            case Z_STREAM_END:
                (isBetweenMembers, hasMember) = (true, true)
                guard inflateReset(stream) == Z_OK else { throw .damaged("gzip") }
                mayHaveMore = start < part.count
            case Z_MEM_ERROR: throw .noMemory
            default: throw .damaged("gzip")
            }
        }
        return result
    }

    func finish() throws(ContentCodingError) {
        guard isBetweenMembers else { throw .damaged("gzip") }
    }

    private func inflate(
        _ input: [UInt8],
        from start: Int,
        into buffer: inout [UInt8]
    ) -> (status: Int32, consumed: Int, produced: Int) {
        let length = UInt32(clamping: input.count - start)
        let capacity = UInt32(buffer.count)
        let status = input.withUnsafeBufferPointer { input in
            buffer.withUnsafeMutableBufferPointer { output in
                // zlib does not write to its input.
                stream.pointee.next_in = input.baseAddress.map { UnsafeMutablePointer(mutating: $0 + start) }
                stream.pointee.avail_in = length
                stream.pointee.next_out = output.baseAddress
                stream.pointee.avail_out = capacity
                return CZlib.inflate(stream, Z_NO_FLUSH)
            }
        }
        return (status, Int(length - stream.pointee.avail_in), Int(capacity - stream.pointee.avail_out))
    }
}
