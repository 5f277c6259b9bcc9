import ByteCoding
import Testing

@Suite("ByteReader and ByteWriter")
struct ByteReaderTests {
    @Test("Numbers are read and written in big-endian order")
    func numbers() throws {
        var writer = ByteWriter(capacity: 15)
        writer.write(UInt8(0x01))
        writer.write(UInt16(0x0203))
        writer.write(UInt32(0x0405_0607))
        writer.write(UInt64(0x0809_0a0b_0c0d_0e0f))
        #expect(writer.bytes == Array(1...15))

        var reader = ByteReader(writer.bytes.span.bytes)
        #expect(try reader.readUInt8("a") == 0x01)
        #expect(try reader.readUInt16("b") == 0x0203)
        #expect(try reader.readUInt32("c") == 0x0405_0607)
        #expect(try reader.readUInt64("d") == 0x0809_0a0b_0c0d_0e0f)
        try reader.finish("all")
    }

    @Test("The error for a truncated field contains its name and its offset in the outermost input")
    func truncated() throws {
        let bytes: [UInt8] = Array(0..<10)
        var whole = ByteReader(bytes.span.bytes)
        try whole.skip(2, "head")
        var part = try whole.split(6, "part")
        _ = try part.readUInt32("first")
        do {
            _ = try part.readUInt32("second")
            Issue.record("read past the end of the part")
        } catch {
            #expect(error == ParseError(.truncated, reading: "", offset: 0))
            #expect(error.reading == "second")
            #expect(error.offset == 6)
            #expect(error.description == "truncated at byte 6, reading second: expected 4 bytes, found 2")
        }
        #expect(part.remaining == 2, "a failed read must not move the cursor")
        #expect(whole.offset == 8)
    }

    @Test("Bytes after the last field are an error")
    func leftOver() throws {
        let bytes: [UInt8] = [1, 2]
        var reader = ByteReader(bytes.span.bytes)
        _ = try reader.readUInt8("a")
        do {
            try reader.finish("message")
            Issue.record("a byte was left over")
        } catch {
            #expect(error.code == .trailingBytes)
            #expect(error.offset == 1)
        }
    }

    @Test("A length in the input cannot overflow or move the position back", arguments: [Int.max, Int.min, -1, 3])
    func wildLengths(count: Int) {
        let bytes: [UInt8] = [1, 2]
        var reader = ByteReader(bytes.span.bytes)
        do {
            _ = try reader.readBytes(count, "wild")
            Issue.record("read \(count) bytes of 2")
        } catch {
            #expect(error.code == .truncated)
        }
    }
}
