import FPSCrypto
import SampleEncryption
import Testing

@Suite("Sample encryption: subsample lists and IVs")
struct LayoutTests {
    private func list(_ pairs: (Int, Int)...) -> [Subsample] {
        pairs.map { Subsample(clear: $0.0, protected: $0.1) }
    }

    @Test("Ranges are converted to subsamples whose sizes add up to the sample's")
    func ranges() throws {
        #expect(try Subsample.list(protecting: [], ofSize: 0) == [])
        #expect(try Subsample.list(protecting: [], ofSize: 9) == list((9, 0)))
        #expect(try Subsample.list(protecting: [0..<9], ofSize: 9) == list((0, 9)))
        #expect(
            try Subsample.list(protecting: [2..<5, 5..<6, 7..<7, 8..<9], ofSize: 10)
                == list((2, 3), (0, 1), (2, 1), (1, 0))
        )
    }

    @Test("Clear parts above 65,535 bytes are split")
    func longClear() throws {
        #expect(try Subsample.list(protecting: [65_535..<65_536], ofSize: 65_536) == list((65_535, 1)))
        #expect(try Subsample.list(protecting: [65_536..<65_537], ofSize: 65_537) == list((65_535, 0), (1, 1)))
        #expect(
            try Subsample.list(protecting: [131_071..<131_073], ofSize: 131_073)
                == list((65_535, 0), (65_535, 0), (1, 2))
        )
        #expect(try Subsample.list(protecting: [], ofSize: 70_000) == list((65_535, 0), (4465, 0)))
    }

    @Test("Ranges that overlap, are out of order or exceed the sample are rejected")
    func wrongRanges() {
        let cases: [([Range<Int>], SampleEncryptionError.Code)] = [
            ([0..<11], .outOfBounds), ([-1..<1], .outOfBounds), ([11..<11], .outOfBounds),
            ([.min ..< .max], .outOfBounds),
            ([0..<5, 4..<6], .overlap), ([5..<6, 0..<1], .overlap), ([0..<5, 0..<5], .overlap),
            ([3..<5, 1..<1], .overlap),
        ]
        for (ranges, expected) in cases {
            #expect(
                code { () throws(SampleEncryptionError) in
                    _ = try Subsample.list(protecting: ranges, ofSize: 10)
                } == expected
            )
        }
        for size in [-1, 1 << 32, .max] {
            #expect(throws: SampleEncryptionError(.outOfBounds)) { try Subsample.list(protecting: [], ofSize: size) }
        }
    }

    @Test("For cenc, the bytes that do not fill a block are added to the clear part")
    func wholeBlocks() throws {
        #expect(try Subsample.wholeBlocks(list((10, 32))) == list((10, 32)))
        #expect(try Subsample.wholeBlocks(list((10, 47))) == list((25, 32)))
        #expect(try Subsample.wholeBlocks(list((10, 15), (3, 17))) == list((29, 16)))
        #expect(try Subsample.wholeBlocks(list((10, 15))) == list((25, 0)))
        #expect(try Subsample.wholeBlocks(list((65_530, 22))) == list((65_535, 0), (1, 16)))
        #expect(try Subsample.wholeBlocks([]) == [])
        let wrongLists = [
            list((-1, 5)), list((1, -5)), list((.max, .max)), list((0, 1 << 32)), list((1 << 31, 1 << 31)),
            list((5, 1 << 31), (0, (1 << 31) - 5)),
        ]
        for wrong in wrongLists {
            #expect(throws: SampleEncryptionError(.outOfBounds)) { try Subsample.wholeBlocks(wrong) }
        }
    }

    @Test("An IV of 8 bytes counts samples, an IV of 16 bytes counts blocks, and both wrap around")
    func nextIV() throws {
        let short = try CipherIV(hex("00000000000000ff"))
        #expect(short.next(afterProtecting: 5000).bytes == hex("0000000000000100"))
        #expect(short.next(afterProtecting: 0).count == 8)
        #expect(
            try CipherIV(hex("ffffffffffffffff")).next(afterProtecting: 1).bytes == hex("0000000000000000")
        )
        let long = try CipherIV(hex("0011223344556677ffffffffffffffff"))
        for (size, end) in [(-5, "ffffffffffffffff"), (0, "ffffffffffffffff"), (1, "0000000000000000")] {
            #expect(long.next(afterProtecting: size).bytes == hex("0011223344556677" + end))
        }
        #expect(long.next(afterProtecting: 16).bytes == hex("00112233445566770000000000000000"))
        #expect(long.next(afterProtecting: 17).bytes == hex("00112233445566770000000000000001"))
        #expect(long.next(afterProtecting: .max).bytes == hex("001122334455667707ffffffffffffff"))
    }

    @Test("A Media Sequence Number is a 128-bit big-endian IV")
    func sequenceNumber() {
        let iv = CipherIV(mediaSequenceNumber: 0x0102_0304_0506_0708)
        #expect(iv.bytes == hex("00000000000000000102030405060708"))
    }
}
