import ByteCoding
import MediaFormats
import Testing

@Suite("MP4 files")
struct MP4FileTests {
    @Test("samples equal those of ffprobe", arguments: MP4Fixture.allCases)
    func clip(_ fixture: MP4Fixture) throws {
        let bytes = try fixture.bytes
        let file = try MovieFile(reading: bytes.span.bytes)
        #expect(file.truncation == nil)
        let samples = try samples(of: bytes)
        #expect(try lines(samples, file.movie).sorted() == fixture.packets.sorted())
        #expect(MP4Verifier.verify(bytes.span.bytes) == [])
    }

    @Test("samples of all tracks are in the order of decoding", arguments: MP4Fixture.allCases)
    func order(_ fixture: MP4Fixture) throws {
        let bytes = try fixture.bytes
        let file = try MovieFile(reading: bytes.span.bytes)
        var last = -Double.infinity
        for sample in try samples(of: bytes) {
            let track = try #require(file.movie.track(sample.trackID))
            let time =
                Double(Int64(sample.decodeTime) + (try track.timing().presentationOffset)) / Double(track.timescale)
            #expect(time >= last)
            last = time
        }
    }

    @Test("one track only")
    func selection() throws {
        let bytes = try MP4Fixture.hybrid.bytes
        let file = try MovieFile(reading: bytes.span.bytes)
        var cursor = file.samples(of: [2])
        var count = 0
        while let sample = try cursor.next(bytes.span.bytes) {
            #expect(sample.trackID == 2)
            count += 1
        }
        #expect(count == 23)
    }

    @Test("a pipe returns the same samples and their bytes", arguments: MP4Fixture.allCases, [1, 7, 4096])
    func stream(_ fixture: MP4Fixture, step: Int) throws {
        let bytes = try fixture.bytes
        var stream = MovieStream()
        var seen: [Sample] = []
        func run() throws(ParseError) {
            for start in stride(from: 0, to: bytes.count, by: step) {
                stream.push(Array(bytes[start..<min(start + step, bytes.count)]))
                while let event = try stream.next() {
                    guard case .sample(let sample) = event else { continue }
                    #expect(sample.bytes == Array(bytes[sample.sample.range]))
                    let subsamples = sample.subsamples.reduce(0) { $0 + Int($1.clear) + Int($1.protected) }
                    #expect(subsamples == 0 || subsamples == sample.bytes.count)
                    seen.append(sample.sample)
                }
            }
            try stream.finish()
        }
        if fixture == .progressive {
            let error = #expect(throws: ParseError.self) { try run() }
            #expect(error?.code == .moovAfterMdat)
            return
        }
        try run()
        let movie = try MovieFile(reading: bytes.span.bytes).movie
        #expect(try lines(seen, movie).sorted() == fixture.packets.sorted())
    }

    private func drain(_ stream: MovieStream, _ bytes: [UInt8]) throws(ParseError) {
        var stream = stream
        stream.push(bytes)
        while try stream.next() != nil {}
        try stream.finish()
    }

    @Test("a pipe that ends too early is an error", arguments: [MP4Fixture.fragmented, .hybrid, .encrypted])
    func brokenPipe(_ fixture: MP4Fixture) throws {
        let bytes = try fixture.bytes
        // The last box can be missing: the rest is a valid file.
        let tree = BoxTree(reading: bytes.span.bytes)
        let ends = Set(tree.boxes.map(\.offset))
        let hasMovie = { (length: Int) in tree.boxes.contains { $0.type == "moov" && $0.offset + $0.size <= length } }
        for length in 0..<bytes.count where !ends.contains(length) {
            let box = try #require(tree.boxes.last { $0.offset < length })
            let hasSamples = ["ftyp", "moov", "moof", "mdat"].contains(box.type)
            if hasMovie(length), !hasSamples, length >= box.offset + 8 {
                // Nothing is lost with a part of another box.
                #expect(throws: Never.self, "\(length) bytes") { try drain(MovieStream(), Array(bytes[..<length])) }
                continue
            }
            let error = #expect(throws: ParseError.self, "\(length) bytes") {
                try drain(MovieStream(), Array(bytes[..<length]))
            }
            #expect(error?.code == .truncated || error?.code == .missingBox)
        }
    }

    @Test("a pipe whose fragments precede the moov box is an error, and no sample is lost without an error")
    func fragmentBeforeMovie() throws {
        let bytes = try MP4Fixture.fragmented.bytes
        let boxes = BoxTree(reading: bytes.span.bytes).boxes
        let movie = try #require(boxes.first { $0.type == "moov" })
        let fragment = try #require(boxes.first { $0.type == "moof" })
        let turned =
            bytes[fragment.offset..<fragment.offset + fragment.size] + bytes[movie.offset..<movie.offset + movie.size]
        let error = #expect(throws: ParseError.self) { try drain(MovieStream(), Array(turned)) }
        #expect(error?.code == .moovAfterMdat && error?.offset == 0)
    }

    @Test("the memory of a pipe's buffer is limited")
    func bounded() throws {
        let header = [0, 0, 0x10, 0] + Array("moov".utf8)
        let error = #expect(throws: ParseError.self) { try drain(MovieStream(maximumHeaderSize: 1000), header) }
        #expect(error?.code == .invalidLength)
        var skipping = MovieStream()
        skipping.push([0, 0, 0, 0] + Array("free".utf8))
        for _ in 0..<100 {
            skipping.push([UInt8](repeating: 0, count: 1000))
            #expect(try skipping.next() == nil)
            #expect(skipping.bufferedCount == 0)
        }
    }

    @Test("encrypted samples have a key ID, an initialization vector and subsamples")
    func encrypted() throws {
        let bytes = try MP4Fixture.encrypted.bytes
        let keyID = KeyID([1, 0x23, 0x45, 0x67, 0x89, 0xAB, 0xCD, 0xEF, 1, 0x23, 0x45, 0x67, 0x89, 0xAB, 0xCD, 0xEF])
        let samples = try samples(of: bytes)
        var vectors: Set<SampleIV> = []
        for sample in samples {
            let protection = try #require(sample.protection)
            #expect(protection.scheme == "cenc")
            #expect(protection.keyID == keyID)
            #expect(protection.iv.count == 8)
            #expect((protection.subsamples.count > 0) == (sample.trackID == 1))
            let sum = protection.subsamples.entries(in: bytes.span.bytes).reduce(0) {
                $0 + Int($1.clear) + Int($1.protected)
            }
            #expect(sum == (sample.trackID == 1 ? sample.size : 0))
            vectors.insert(protection.iv)
        }
        #expect(vectors.count == samples.count)
    }

    @Test("auxiliary information in the moov box is read from a pipe as well")
    func auxiliary() throws {
        var bytes = try MP4Fixture.encrypted.bytes
        let expected = try samples(of: bytes).map(\.protection?.iv)
        // Only saio locates the initialization vectors then, with offsets from the start of the file.
        for place in bytes.indices.dropLast(4) where bytes[place..<place + 4].elementsEqual("senc".utf8) {
            bytes.replaceSubrange(place..<place + 4, with: Array("free".utf8))
        }
        #expect(try samples(of: bytes).map(\.protection?.iv) == expected)
        var stream = MovieStream()
        stream.push(bytes)
        var vectors: [SampleIV?] = []
        while let event = try stream.next() {
            if case .sample(let sample) = event { vectors.append(sample.sample.protection?.iv) }
        }
        try stream.finish()
        #expect(Set(vectors) == Set(expected) && vectors.count == expected.count)
    }

    @Test("other boxes can be in between, and mdat can extend to the end of the file")
    func layout() throws {
        let clip = try MP4Fixture.fragmented.bytes
        let before = written { writer in
            writer.box("free") { $0.zeros(3) }
            writer.box("uuid") { $0.zeros(16) }
            writer.box("wide") { _ in }
        }
        // Offsets in the clip are relative to the moof boxes, so that it can be moved.
        let moved = try samples(of: before + clip).map(\.size)
        #expect(try moved == samples(of: clip).map(\.size))
        var open = TestMovie(tables: MP4TableTests.tables()).bytes
        let moov = Array(open[72...])
        let mdat: [UInt8] = [0, 0, 0, 1] + Array("mdat".utf8) + [0, 0, 0, 0, 0, 0, 0, 80] + open[8..<72]
        #expect(try samples(of: mdat + moov).count == 4)
        // A moov box at the start, and media data without an end.
        open = moov + [0, 0, 0, 0] + Array("mdat".utf8) + [UInt8](repeating: 0, count: 64)
        let file = try MovieFile(reading: open.span.bytes)
        #expect(file.truncation == nil)
        #expect(try samples(of: open).count == 4)
    }

    @Test("a truncated file is reported as such")
    func truncated() throws {
        let bytes = try MP4Fixture.encrypted.bytes
        let short = Array(bytes.dropLast(100))
        let file = try MovieFile(reading: short.span.bytes)
        #expect(file.truncation?.type == "mdat")
        #expect(file.truncation?.missing == 100)
        let error = #expect(throws: ParseError.self) { try samples(of: short) }
        #expect(error?.code == .truncated)
        #expect(error?.reading.contains("of track") == true)
        let none = #expect(throws: ParseError.self) {
            try samples(of: Array(try MP4Fixture.progressive.bytes.prefix(3000)))
        }
        #expect(none?.code == .missingBox)
        // All samples before the truncated one are still returned.
        var cursor = file.samples()
        var count = 0
        while let sample = try? cursor.next(short.span.bytes) {
            #expect(sample.range.upperBound <= short.count)
            count += 1
        }
        #expect(count >= 30)
    }
}
