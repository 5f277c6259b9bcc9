import Foundation
import Testing

@testable import HTTPTransport

@Suite("Content codings")
struct ContentCodingTests {
    private static let text = Array(("#EXTM3U\n" + String(repeating: "#EXTINF:6,\nsegment.ts\n", count: 20)).utf8)
    private static let gzip = bytes(
        "H4sIAAAAAAACA1N2jQjxNQ7lUgbSnn5uVmY6XMWp6bmpeSV6JcWjooNeFAAPJZdFwAEAAA=="
    )
    private static let brotli = bytes("G78B+I3EOBbyhWKSlvRkLbx+iqazCRqb0kkFG6esRRfO0oESeAl8u3QwD4uGu+Qv")
    /// 16 MiB of zeros.
    private static let brotliZeros = bytes("y///P/gnAOKxQCD3/i/////wTwDEYRGA7v0f")
    /// 128 KiB of zeros.
    private static let gzipZeros = bytes(
        "H4sIAAAAAAACA+3BMQEAAADCoPVP7WENoAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAABuzc3ofgAAAgA="
    )

    private static func bytes(_ base64: String) -> [UInt8] { Data(base64Encoded: base64).map { [UInt8]($0) } ?? [] }

    private static func decode(
        _ body: [UInt8],
        _ coding: ContentCoding,
        limit: Int = 1 << 20,
        partSize: Int = .max
    ) throws(ContentCodingError) -> [UInt8] {
        let decoder = try coding.decoder(limit: limit)
        var result: [UInt8] = []
        var start = 0
        while start < body.count {
            let end = start + min(partSize, body.count - start)
            result += try decoder.decode(Array(body[start..<end]))
            start = end
        }
        try decoder.finish()
        return result
    }

    @Test("are decoded, in parts of any size", arguments: [1, 2, 7, .max])
    func parts(size: Int) throws {
        #expect(try Self.decode(Self.gzip, .gzip, partSize: size) == Self.text)
        #expect(try Self.decode(Self.brotli, .brotli, partSize: size) == Self.text)
        #expect(try Self.decode(Self.gzip + Self.gzip, .gzip, partSize: size) == Self.text + Self.text)
        #expect(try Self.decode(Self.gzip + [0, 0, 0], .gzip, partSize: size) == Self.text)
        #expect(try Self.decode(Self.gzipZeros, .gzip, partSize: size).count == 128 << 10)
    }

    @Test("end at the limit of the decoded size", arguments: [1, .max])
    func limit(size: Int) throws {
        #expect(try Self.decode(Self.gzip, .gzip, limit: Self.text.count, partSize: size) == Self.text)
        #expect(throws: ContentCodingError.tooLarge) {
            try Self.decode(Self.gzip, .gzip, limit: Self.text.count - 1, partSize: size)
        }
        #expect(throws: ContentCodingError.tooLarge) {
            try Self.decode(Self.gzipZeros, .gzip, limit: 100_000, partSize: size)
        }
        #expect(throws: ContentCodingError.tooLarge) {
            try Self.decode(Self.brotliZeros, .brotli, limit: 100_000, partSize: size)
        }
        #expect(try Self.decode(Self.brotliZeros, .brotli, limit: 16 << 20, partSize: size).count == 16 << 20)
    }

    @Test("report every truncation and every changed byte of gzip, whose data have a checksum")
    func damage() {
        for count in 1..<Self.gzip.count {
            #expect(throws: ContentCodingError.damaged("gzip")) { try Self.decode(Array(Self.gzip[..<count]), .gzip) }
        }
        for count in 1..<Self.brotli.count {
            #expect(throws: ContentCodingError.damaged("br")) { try Self.decode(Array(Self.brotli[..<count]), .brotli) }
        }
        // Bytes 3 to 9 are flags, the time, the level and the system.
        for index in Self.gzip.indices where !(3...9).contains(index) {
            var changed = Self.gzip
            changed[index] ^= 1
            #expect(throws: ContentCodingError.damaged("gzip"), "byte \(index)") { try Self.decode(changed, .gzip) }
        }
        #expect(throws: ContentCodingError.damaged("gzip")) { try Self.decode(Self.text, .gzip) }
        #expect(throws: ContentCodingError.damaged("br")) { try Self.decode(Self.brotli + [1], .brotli) }
    }

    @Test("are read from Content-Encoding; other values than codings are ignored")
    func fields() throws {
        for field in [nil, "", "identity", "utf-8", "aws-chunked", "none, identity"] {
            #expect(try ContentCoding.of(field) == nil)
        }
        for field in ["gzip", "x-gzip", " GZIP ", "aws-chunked,gzip", "gzip, identity"] {
            #expect(try ContentCoding.of(field) == .gzip)
        }
        #expect(try ContentCoding.of("br") == .brotli)
        #expect(throws: ContentCodingError.unsupported("zstd")) { try ContentCoding.of("zstd") }
        #expect(throws: ContentCodingError.unsupported("deflate")) { try ContentCoding.of("deflate") }
        #expect(throws: ContentCodingError.severalCodings) { try ContentCoding.of("gzip, br") }
        #expect(throws: ContentCodingError.severalCodings) { try ContentCoding.of("gzip, gzip") }
    }
}
