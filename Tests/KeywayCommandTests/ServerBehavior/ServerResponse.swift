import CZlib

/// A response of ``BehaviorServer``.
struct ServerResponse: Sendable {
    var status = 200
    var headers: [String] = []
    var body: [UInt8] = []
    /// The Content-Length; nil for a body that ends with the connection.
    var length: Int?

    /// Creates a complete response.
    init(_ body: [UInt8], status: Int = 200, _ headers: String...) {
        (self.status, self.headers, self.body) = (status, headers, body)
        // A response without content has no length.
        length = status == 204 ? nil : body.count
    }

    /// The bytes before the body.
    var head: [UInt8] {
        let fields = length.map { ["Content-Length: \($0)"] } ?? []
        let all = ["HTTP/1.1 \(status) X", "Connection: close"] + fields + headers
        return Array((all.joined(separator: "\r\n") + "\r\n\r\n").utf8)
    }

    /// The steps that send the response at once.
    var steps: [BehaviorServer.Step] { [.send(head + body)] }

    /// Returns the steps that send the body in parts with pauses between them.
    func steps(parts: Int, pause milliseconds: UInt32) -> [BehaviorServer.Step] {
        let size = max(1, (body.count + parts - 1) / parts)
        return [.send(head)]
            + stride(from: 0, to: body.count, by: size).flatMap { start in
                [.pause(milliseconds: milliseconds), .send(Array(body[start..<min(start + size, body.count)]))]
            }
    }

    /// Returns the steps that send the body with chunked transfer coding, with or without its end.
    func chunked(isComplete: Bool = true) -> [BehaviorServer.Step] {
        var response = self
        response.length = nil
        response.headers.append("Transfer-Encoding: chunked")
        let chunks = stride(from: 0, to: body.count, by: 1000).flatMap { start -> [UInt8] in
            let part = body[start..<min(start + 1000, body.count)]
            return Array("\(String(part.count, radix: 16))\r\n".utf8) + part + Array("\r\n".utf8)
        }
        return [.send(response.head + chunks + (isComplete ? Array("0\r\n\r\n".utf8) : []))]
    }
}

/// Encoders of content codings.
enum Encoders {
    /// Returns a gzip member.
    static func gzip(_ bytes: [UInt8]) -> [UInt8] {
        // zlib requires that the address of its state does not change.
        let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
        stream.initialize(to: z_stream())
        defer { stream.deallocate() }
        let size = Int32(MemoryLayout<z_stream>.size)
        let isReady = deflateInit2_(stream, 1, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, size) == Z_OK
        guard isReady else { return [] }
        defer { deflateEnd(stream) }
        var input = bytes
        var output = [UInt8](repeating: 0, count: Int(deflateBound(stream, UInt(bytes.count))) + 64)
        input.withUnsafeMutableBufferPointer { input in
            output.withUnsafeMutableBufferPointer { output in
                stream.pointee.next_in = input.baseAddress
                stream.pointee.avail_in = UInt32(input.count)
                stream.pointee.next_out = output.baseAddress
                stream.pointee.avail_out = UInt32(output.count)
                _ = deflate(stream, Z_FINISH)
            }
        }
        return Array(output.prefix(Int(stream.pointee.total_out)))
    }

    /// Returns a Brotli stream of uncompressed meta-blocks (RFC 7932, section 9.2).
    static func brotli(_ bytes: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: 65_536) {
            let part = bytes[start..<min(start + 65_536, bytes.count)]
            // ISLAST 0, MNIBBLES 0 for 4, MLEN - 1, ISUNCOMPRESSED 1; before the first one, WBITS 0 for 16.
            let header = UInt32(part.count - 1) << 3 | 1 << 19
            let bits = start == 0 ? header << 1 : header
            result += [0, 8, 16].map { UInt8(truncatingIfNeeded: bits >> $0) } + part
        }
        // ISLAST 1, ISLASTEMPTY 1; an empty stream starts with WBITS.
        return result + [bytes.isEmpty ? 0x06 : 0x03]
    }
}
