import FileWriting
import Foundation
import Testing

@testable import Packager

@Suite struct FileOutputTests {
    /// Writes alternating small and large parts, more of them than one system call accepts.
    @Test(arguments: [[7], [1, 20_000, 3], [40_000, 100, 200_000], Array(repeating: 100, count: 3000)])
    func partsStandOneBehindTheOther(sizes: [Int]) throws {
        let folder = try ScratchFolder()
        let bytes = (0..<1 << 20).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) }
        let output = try FileOutput(path: folder.path + "/file")
        let part = FilePart(output)
        var expected: [UInt8] = []
        for round in 0..<5 {
            var ranges: [Range<Int>] = []
            for (index, size) in sizes.enumerated() {
                let start = (round * 977 + index * 331) % (bytes.count - size)
                ranges.append(start..<start + size)
                expected += bytes[start..<start + size]
            }
            try part.write(ranges, of: bytes.span.bytes)
            try part.write([UInt8(round)])
            expected.append(UInt8(round))
            #expect(part.count == expected.count)
        }
        try output.finish()
        let written = try folder.bytes("file")
        #expect(written == expected)
    }

    @Test func aFileThatIsThereIsNotWrittenOver() throws {
        let folder = try ScratchFolder()
        try Data("old".utf8).write(to: URL(fileURLWithPath: folder.path + "/file"))
        #expect(throws: FileError(.create, path: folder.path + "/file", code: EEXIST)) {
            try FileOutput(path: folder.path + "/file")
        }
    }
}
