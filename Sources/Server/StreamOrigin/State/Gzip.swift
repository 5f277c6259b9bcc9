import CZlib

/// Compression with gzip (RFC 1952).
enum Gzip {
    /// Returns the compressed bytes; nil if that fails or does not make them smaller.
    static func compress(_ bytes: [UInt8]) -> [UInt8]? {
        guard bytes.count >= 256, bytes.count <= 1 << 30 else { return nil }
        var stream = z_stream()
        // 16 selects the format of gzip instead of zlib.
        guard
            deflateInit2_(
                &stream,
                6,
                Z_DEFLATED,
                MAX_WBITS + 16,
                8,
                Z_DEFAULT_STRATEGY,
                ZLIB_VERSION,
                Int32(MemoryLayout<z_stream>.size)
            ) == Z_OK
        else { return nil }
        defer { deflateEnd(&stream) }
        var input = bytes
        let capacity = bytes.count
        let output = [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
            let result = input.withUnsafeMutableBufferPointer { input in
                stream.next_in = input.baseAddress
                stream.avail_in = UInt32(input.count)
                stream.next_out = buffer.baseAddress
                stream.avail_out = UInt32(capacity)
                return deflate(&stream, Z_FINISH)
            }
            count = result == Z_STREAM_END ? capacity - Int(stream.avail_out) : 0
        }
        return output.isEmpty ? nil : output
    }
}
