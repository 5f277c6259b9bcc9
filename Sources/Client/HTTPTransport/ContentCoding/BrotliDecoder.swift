import CBrotli

/// A decoder of Brotli (RFC 7932).
final class BrotliDecoder: ContentDecoder {
    private let state: OpaquePointer
    private let limit: Int
    private var size = 0
    private var hasInput = false
    private var isComplete = false

    /// Creates a decoder.
    ///
    /// - Parameter limit: The maximum size of the output, in bytes.
    init(limit: Int) throws(ContentCodingError) {
        guard let state = BrotliDecoderCreateInstance(nil, nil, nil) else { throw .noMemory }
        (self.state, self.limit) = (state, limit)
    }

    deinit { BrotliDecoderDestroyInstance(state) }

    func decode(_ part: [UInt8]) throws(ContentCodingError) -> [UInt8] {
        guard !part.isEmpty else { return [] }
        guard !isComplete else { throw .damaged("br") }
        hasInput = true
        var result: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        var start = 0
        while true {
            let capacity = buffer.count
            var (available, free) = (part.count - start, capacity)
            let status = part.withUnsafeBufferPointer { input in
                buffer.withUnsafeMutableBufferPointer { output in
                    var next = input.baseAddress.map { $0 + start }
                    var place = output.baseAddress
                    return BrotliDecoderDecompressStream(state, &available, &next, &free, &place, nil)
                }
            }
            start = part.count - available
            let produced = capacity - free
            guard produced <= limit - size else { throw .tooLarge }
            size += produced
            result += buffer[..<produced]
            switch status {
            case BROTLI_DECODER_RESULT_SUCCESS:
                isComplete = true
                guard available == 0 else { throw .damaged("br") }
                return result
            case BROTLI_DECODER_RESULT_NEEDS_MORE_INPUT: return result
            case BROTLI_DECODER_RESULT_NEEDS_MORE_OUTPUT: continue
            default: throw .damaged("br")
            }
        }
    }

    func finish() throws(ContentCodingError) {
        guard isComplete || !hasInput else { throw .damaged("br") }
    }
}
