import DRMSignaling
import Foundation
import MediaFormats
import Testing

@testable import Packager

@Suite struct FragmentedMP4Tests {
    /// Returns the input's samples with the times in fragments: video without the delay of its B-frames.
    private func expected(_ name: String, _ kind: FourCC) throws -> [WrittenSample] {
        let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: try PipelineFixture.path(name))))
        let list = try samples(of: bytes, kind: kind)
        guard kind == "vide" else { return list }
        let timing = try #require(try movieFile(bytes).movie.tracks.first { $0.kind == kind }).timing()
        let delay = min(Int32(timing.mediaTime), try #require(list.first).compositionOffset)
        return list.map { sample in
            var sample = sample
            sample.compositionOffset -= delay
            return sample
        }
    }

    private func rendition(_ folder: ScratchFolder, _ name: String) throws -> [UInt8] {
        let numbers = 1...folder.files(name).filter { $0.hasSuffix(".m4s") }.count
        return try folder.bytes(name + "/init.mp4")
            + numbers.flatMap { try folder.bytes("\(name)/\($0).m4s") }
    }

    @Test(arguments: ["film.mp4", "fragmented.mp4"])
    func clearSamplesAreThoseOfTheInput(name: String) throws {
        let folder = try ScratchFolder()
        try PipelineFixture.package(try PipelineFixture.job([name], to: folder.path))
        #expect(try samples(of: rendition(folder, "video-64"), kind: "vide") == expected(name, "vide"))
        #expect(try samples(of: rendition(folder, "audio"), kind: "soun") == expected(name, "soun"))
    }

    @Test func protectedSamplesAreThoseOfTheInputOnceDecrypted() throws {
        let folder = try ScratchFolder()
        try PipelineFixture.package(
            try PipelineFixture.job(["film.mp4"], to: folder.path, scheme: .cbcs)
        )
        for (name, kind) in [("video-64", "vide"), ("audio", "soun")] as [(String, FourCC)] {
            let bytes = try rendition(folder, name)
            let written = try samples(of: bytes, kind: kind)
            let areProtected = written.allSatisfy(\.isProtected)
            #expect(areProtected)
            let decrypted = written.map { sample in
                var sample = sample
                sample.isProtected = false
                return sample
            }
            let expected = try expected("film.mp4", kind)
            #expect(decrypted == expected)
            let large = try #require(expected.first { $0.bytes.count > 64 }).bytes
            let isLeaked = bytes.contains(large)
            #expect(!isLeaked, "\(name) holds a sample in clear")
        }
    }

    @Test(arguments: [nil, TrackProtection.Scheme.cbcs], [false, true])
    func ownReaderFindsNothingWrong(scheme: TrackProtection.Scheme?, isSingleFile: Bool) throws {
        let folder = try ScratchFolder()
        var job = try PipelineFixture.job(["film.mp4", "small.mp4"], to: folder.path, scheme: scheme)
        job.isSingleFile = isSingleFile
        let report = try PipelineFixture.package(job)
        for rendition in report.renditions {
            let initialization = try #require(rendition.segments.first?.initialization)
            var parts = [try part(initialization, of: rendition, folder)]
            for segment in rendition.segments {
                parts.append(try part(segment.resource, of: rendition, folder))
                #expect(parts.last?.count == segment.byteCount)
            }
            let findings = verifierFindings(parts)
            #expect(findings.isEmpty, "\(rendition.folder): \(findings)")
        }
        #expect(report.renditions.map(\.folder) == ["video-64", "audio", "video-48"])
        #expect(report.renditions.map(\.segments.count) == [3, 3, 3])
    }

    private func part(
        _ resource: Rendition.Resource,
        of rendition: Rendition,
        _ folder: ScratchFolder
    ) throws -> [UInt8] {
        let bytes = try folder.bytes(rendition.folder + "/" + resource.uri)
        return resource.byteRange.map { Array(bytes[$0]) } ?? bytes
    }

    @Test func singleFileIsItsPartsInOrder() throws {
        let (folder, parts) = (try ScratchFolder(), try ScratchFolder())
        var job = try PipelineFixture.job(["film.mp4"], to: folder.path, scheme: .cbcs)
        try PipelineFixture.package(
            try PipelineFixture.job(["film.mp4"], to: parts.path, scheme: .cbcs)
        )
        job.isSingleFile = true
        let report = try PipelineFixture.package(job)
        #expect(folder.files("video-64") == ["iframes.m3u8", "media.m3u8", "media.mp4"])
        #expect(try folder.bytes("video-64/media.mp4") == rendition(parts, "video-64"))
        let ranges =
            [report.renditions[0].segments.first?.initialization?.byteRange]
            + report.renditions[0].segments.map(\.resource.byteRange)
        var end = 0
        for range in ranges {
            #expect(range?.lowerBound == end)
            end = range?.upperBound ?? -1
        }
        #expect(end == (try folder.bytes("video-64/media.mp4").count))
    }

    @Test func clearLeadHasAnInitSegmentOfItsOwn() throws {
        let (folder, clear) = (try ScratchFolder(), try ScratchFolder())
        var job = try PipelineFixture.job(["film.mp4"], to: folder.path, scheme: .cbcs)
        job.clearLead = RationalTime(3, timescale: 2)
        let report = try PipelineFixture.package(job)
        try PipelineFixture.package(try PipelineFixture.job(["film.mp4"], to: clear.path))
        #expect(report.renditions[0].segments.map(\.isProtected) == [false, false, true])
        for name in ["video-64/1.m4s", "video-64/2.m4s", "audio/1.m4s"] {
            #expect(try folder.bytes(name) == clear.bytes(name), "\(name)")
        }
        #expect(try folder.bytes("video-64/init-clear.mp4") == clear.bytes("video-64/init.mp4"))
        let clearMovie = try movieFile(folder.bytes("video-64/init-clear.mp4"))
        let movie = try movieFile(folder.bytes("video-64/init.mp4"))
        #expect(clearMovie.movie.tracks[0].descriptions[0].format == "avc1")
        #expect(movie.movie.tracks[0].descriptions[0].format == "encv")
        #expect(
            movie.movie.tracks[0].descriptions[0].commonEncryption?.trackEncryption?.keyID
                == PipelineFixture.keyID
        )
    }

    /// A segment of several groups of pictures has a fragment for each, which the I-frame playlist references.
    @Test func keyFramesWithinASegmentAreFragments() throws {
        let folder = try ScratchFolder()
        var job = try PipelineFixture.job(["film.mp4"], to: folder.path, scheme: .cbcs)
        job.segmentDuration = RationalTime(3, timescale: 1)
        let report = try PipelineFixture.package(job)
        let segment = try #require(report.renditions[0].segments.first)
        #expect(segment.keyFrames.map(\.presentation) == (0..<3).map { RationalTime($0, timescale: 1) })
        let bytes = try folder.bytes("video-64/1.m4s")
        let header = try folder.bytes("video-64/init.mp4")
        let all = try samples(of: try rendition(folder, "video-64"), kind: "vide")
        for (frame, sample) in zip(segment.keyFrames, all.filter(\.isSync)) {
            // The byte range in the playlist is a fragment up to the end of its first sample.
            let piece = header + bytes[frame.offset..<frame.offset + frame.size]
            let found = try #require(try firstSample(of: piece))
            #expect(found.range.upperBound == piece.count)
            let protection = try #require(found.protection)
            let frame = try decrypted(Array(piece[found.range]), protection, in: piece)
            #expect(frame == sample.bytes)
        }
    }
}

/// The boxes that describe color and light are copied from the input.
@Suite struct CarriedBoxesTests {
    @Test(arguments: [false, true])
    func boxesOfTheSampleEntryAreKept(isProtected: Bool) throws {
        let input = try MovieFileInput(MappedFile(path: try PipelineFixture.path("film.mp4")))
        var track = input.tracks[0]
        let added: [RawBox] = [
            RawBox(ColorInformationBox(.nclx(ColorDescription(primaries: 9, transfer: 16, matrix: 9)))),
            RawBox(type: "mdcv", content: (0..<24).map { UInt8($0) }),
            RawBox(type: "clli", content: [3, 232, 1, 144]),
            RawBox(type: "dvcC", content: [UInt8](repeating: 7, count: 24)),
        ]
        track.sampleEntry?.boxes += added
        let keys = try PipelineFixture.job(["film.mp4"], to: "", scheme: isProtected ? .cbcs : nil)
        let writer = try FragmentedMP4Writer(track, protection: try keys.protection(of: .sd))
        guard case .sample(_, let sample)? = try input.next() else {
            Issue.record("there is no sample")
            return
        }
        let first = TrackSegment(index: 0, samples: [sample], start: .zero, end: .zero, isProtected: isProtected)
        let bytes = try #require(try writer.initialization(isProtected: isProtected, first: first))
        let entry = try #require(try movieFile(bytes).movie.tracks.first?.descriptions.first)
        #expect(entry.format == (isProtected ? "encv" : "avc1"))
        for box in added { #expect(entry.boxes.contains(box), "\(box.type)") }
        #expect(entry.boxes == track.sampleEntry?.boxes)
    }
}
