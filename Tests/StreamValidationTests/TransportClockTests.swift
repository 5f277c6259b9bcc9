import ByteCoding
import Foundation
import MediaFormats
import Testing

@testable import StreamValidation

@Suite("Clock references of transport streams")
struct TransportClockTests {
    /// Ten pictures of 100 ms, each with a clock reference (see Tests/PackagerTests/Fixtures/Decrypting/make).
    private static func clip() throws -> [UInt8] {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "PackagerTests/Fixtures/Decrypting")
        return [UInt8](try Data(contentsOf: folder.appending(path: "sample-aes-video-1.ts")))
    }

    /// Calls a function with each packet that has a clock reference.
    private static func changing(_ bytes: [UInt8], _ change: (Int, inout ArraySlice<UInt8>) -> Void) -> [UInt8] {
        var (bytes, number) = (bytes, 0)
        for offset in stride(from: 0, to: bytes.count, by: 188)
        where bytes[offset + 3] & 0x20 != 0 && bytes[offset + 4] > 0 && bytes[offset + 5] & 0x10 != 0 {
            change(number, &bytes[offset..<offset + 188])
            number += 1
        }
        return bytes
    }

    private static func findings(_ segment: [UInt8]) throws -> [String] {
        var probe = SegmentProbe()
        let clock = try probe.measure(segment.span.bytes).clock
        var made = MadePresentation()
        made.changeSegment = { name, _, segment in if name == "high.m3u8" { segment.clock = clock } }
        return try made.findings()
    }

    @Test("A clock with each picture, and before its timestamp, violates nothing")
    func clean() throws {
        let bytes = try Self.clip()
        let clock = TransportClock(bytes.span.bytes)
        #expect(clock.count == 10 && abs(clock.longestInterval - 0.1) < 0.001 && clock.latestArrival == 0)
        #expect(try Self.findings(bytes) == [])
    }

    @Test("Missing and rare references are found")
    func missing() throws {
        // The field stays, without the flag.
        let none = Self.changing(try Self.clip()) { _, packet in packet[packet.startIndex + 5] &= ~0x10 }
        #expect(try Self.findings(none) == ["should clock-reference-missing"])
        let rare = Self.changing(try Self.clip()) { number, packet in
            if number % 5 != 0 { packet[packet.startIndex + 5] &= ~0x10 }
        }
        #expect(try Self.findings(rare) == ["advice clock-reference-missing"])
    }

    @Test("A clock that is ahead of the timestamps is found")
    func late() throws {
        let ahead = Self.changing(try Self.clip()) { _, packet in
            // Bit 16 of the base: 65,536 units of 1/90,000 second.
            packet[packet.startIndex + 8] ^= 0x80
        }
        let clock = TransportClock(ahead.span.bytes)
        #expect(clock.latestArrival > 0.7 && clock.latestArrival < 0.8)
        #expect(try Self.findings(ahead) == ["should clock-reference-late"])
    }

    @Test("A jump of the timestamps, and damaged packets, are not late")
    func jumps() throws {
        let jump = Self.changing(try Self.clip()) { _, packet in packet[packet.startIndex + 6] ^= 0x40 }
        #expect(TransportClock(jump.span.bytes).latestArrival == 0)
        let bytes = try Self.clip()
        for count in stride(from: 0, to: bytes.count, by: 61) {
            var damaged = Array(bytes.prefix(count))
            for index in stride(from: count % 7, to: damaged.count, by: 7) {
                damaged[index] ^= UInt8(truncatingIfNeeded: count)
            }
            #expect(TransportClock(damaged.span.bytes).latestArrival < 10)
        }
    }
}
