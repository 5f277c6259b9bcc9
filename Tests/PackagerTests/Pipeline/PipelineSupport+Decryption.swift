import FPSCrypto
import MediaFormats
import Testing

/// Decrypts cbcs block by block, implemented from ISO/IEC 23001-7 without `SampleEncryption`.
func decrypted(_ bytes: [UInt8], _ protection: SampleProtection, in file: [UInt8]) throws -> [UInt8] {
    #expect(protection.scheme == "cbcs")
    #expect(protection.keyID.bytes == PipelineFixture.keyID)
    var bytes = bytes
    var ranges: [Range<Int>] = []
    var position = 0
    for entry in protection.subsamples.entries(in: file.span.bytes) {
        position += Int(entry.clear)
        ranges.append(position..<position + Int(entry.protected))
        position += Int(entry.protected)
    }
    if ranges.isEmpty { ranges = [0..<bytes.count] } else { #expect(position == bytes.count) }
    let (crypt, skip) = (Int(protection.cryptByteBlock), Int(protection.skipByteBlock))
    for range in ranges {
        var chain: [UInt8] = []
        var places: [Int] = []
        for (number, start) in stride(from: range.lowerBound, to: range.upperBound - 15, by: 16)
            .enumerated()
        where skip == 0 || number % (crypt + skip) < crypt {
            chain += bytes[start..<start + 16]
            places.append(start)
        }
        let clear = try AES128.decryptCBC(
            chain,
            key: PipelineFixture.key,
            iv: PipelineFixture.iv
        )
        for (number, start) in places.enumerated() {
            bytes.replaceSubrange(start..<start + 16, with: clear[number * 16..<number * 16 + 16])
        }
    }
    return bytes
}
