import DRMSignaling
import FileWriting
import HLSPlaylist
import MediaFormats
import Testing

@testable import Packager

@Suite("Writer of a rendition, over several parts of a presentation")
struct RenditionWriterTests {
    /// Files in a folder, which exists.
    private final class Files: PresentationFiles {
        let folder: ScratchFolder

        init(_ folder: ScratchFolder) { self.folder = folder }

        func create(_ name: String) throws -> FileOutput {
            try FileOutput(path: folder.path + "/" + name.replacing("/", with: "-"))
        }
    }

    /// Writes the video of a movie twice, as two parts.
    private func written(
        _ folder: ScratchFolder,
        change: (inout PackagingJob) -> Void,
        secondTrack: (inout MediaTrack) -> Void = { _ in }
    ) throws -> Rendition {
        var job = try PipelineFixture.job(["film.mp4"], to: folder.path + "/out", scheme: .cbcs)
        change(&job)
        let plan = try PackagingPlan(job)
        let planned = try #require(plan.renditions.first)
        let writer = try RenditionWriter(planned, plan, files: Files(folder))
        let pipeline = try SegmentPipeline(plan)
        var segments: [TrackSegment] = []
        while let segment = try pipeline.next() { if segment.rendition == 0 { segments.append(segment) } }
        for segment in segments { try writer.write(segment, isClear: false) }
        var tracks = plan.inputs.map(\.tracks)
        secondTrack(&tracks[0][planned.track])
        let next = plan.part(1, tracks).plan
        try writer.begin(1, next.renditions[0], next)
        for segment in segments { try writer.write(segment, isClear: false) }
        return try writer.finish()
    }

    private func bytes(_ resource: Rendition.Resource, _ folder: ScratchFolder) throws -> [UInt8] {
        let bytes = try folder.bytes("video-64-" + resource.uri)
        return resource.byteRange.map { Array(bytes[$0]) } ?? bytes
    }

    @Test("starts a part with a discontinuity and another init segment", arguments: [false, true])
    func parts(isSingleFile: Bool) throws {
        let folder = try ScratchFolder()
        let rendition = try written(folder) {
            $0.isSingleFile = isSingleFile
        } secondTrack: {
            $0.language = "deu"
        }
        let segments = rendition.segments
        let count = segments.count / 2
        try #require(count > 0)
        #expect(segments.map(\.part) == [Int](repeating: 0, count: count) + [Int](repeating: 1, count: count))
        #expect(segments.indices.filter { segments[$0].isDiscontinuity } == [count])
        #expect(segments.map(\.number) == (1...UInt64(2 * count)).map { $0 })
        #expect(segments.map(\.start) == segments.prefix(count).map(\.start) + segments.prefix(count).map(\.start))
        #expect(rendition.track(in: 0).language == "und" && rendition.track(in: 1).language == "deu")
        let maps = try segments.map { try #require($0.initialization) }
        #expect(Set(maps).count == 2)
        let languages = try [maps[0], maps[count]].map { map in
            try movieFile(bytes(map, folder)).movie.tracks.first?.language
        }
        #expect(languages == ["und", "deu"])
        for (first, second) in zip(segments.prefix(count), segments.suffix(count)) {
            let files = try [(maps[0], first), (maps[count], second)].map { map, segment in
                try samples(of: bytes(map, folder) + bytes(segment.resource, folder), kind: "vide")
            }
            #expect(files[0] == files[1] && !files[0].isEmpty)
        }
    }

    @Test("never uses a counter of cenc twice with a key")
    func counters() throws {
        let folder = try ScratchFolder()
        let rendition = try written(folder) { job in
            (job.scheme, job.systems, job.manifests) = (.cenc, [.common], [.dash])
        }
        var vectors: [SampleIV] = []
        for segment in rendition.segments {
            let map = try #require(segment.initialization)
            let file = try bytes(map, folder) + bytes(segment.resource, folder)
            var cursor = try MovieFile(reading: file.span.bytes).samples()
            while let sample = try cursor.next(file.span.bytes) {
                vectors.append(try #require(sample.protection).iv)
            }
        }
        #expect(vectors.count > 2 && Set(vectors).count == vectors.count)
    }

    @Test("reserves an index for each init segment of a single file")
    func indexes() throws {
        let folder = try ScratchFolder()
        let rendition = try written(folder) { job in
            (job.isSingleFile, job.manifests) = (true, [.hls, .dash])
        }
        let count = rendition.segments.count / 2
        let maps = [rendition.segments[0], rendition.segments[count]].compactMap(\.initialization)
        let indexes = maps.compactMap { rendition.indexes[$0] }
        try #require(maps.count == 2 && indexes.count == 2)
        for (index, map) in zip(indexes, maps) {
            #expect(index.lowerBound == map.byteRange?.upperBound)
            let box = try bytes(Rendition.Resource(uri: "media.mp4", byteRange: index), folder)
            #expect(box.dropFirst(4).starts(with: "sidx".utf8))
        }
        #expect(indexes[1].lowerBound > indexes[0].upperBound)
    }

    @Test("lists gaps for parts in which the rendition has no segments")
    func gaps() throws {
        let folder = try ScratchFolder()
        let plan = try PackagingPlan(PipelineFixture.job(["film.mp4"], to: folder.path + "/out", scheme: .cbcs))
        let writers = try plan.renditions.map { try RenditionWriter($0, plan, files: Files(folder)) }
        let pipeline = try SegmentPipeline(plan)
        let segment = try #require(try pipeline.next())
        for part in 0...3 {
            let next = plan.part(part, plan.inputs.map(\.tracks)).plan
            for (index, writer) in writers.enumerated() where index == 0 || part == 0 || part == 3 {
                if part > 0 { try writer.begin(part, next.renditions[index], next) }
                try writer.write(segment, isClear: false)
            }
            for writer in writers { try writer.fillGap(in: part, along: writers[0]) }
        }
        let segments = try writers[1].finish().segments
        #expect(segments.map(\.part) == [0, 1, 2, 3] && segments.map(\.number) == [1, 2, 3, 4])
        #expect(segments.map(\.isGap) == [false, true, true, false])
        #expect(segments.map(\.isDiscontinuity) == [false, true, true, true])
        var list = RenditionPlaylist(.vod)
        for segment in segments { list.append(segment) }
        list.end()
        var playlist = list.playlist()
        playlist.setTargetDuration(6)
        #expect(playlist.segments.map(\.isGap) == [false, true, true, false])
        #expect(playlist.segments.map { $0.map != nil } == [true, false, false, true])
        #expect(playlist.segments.map { !$0.keys.isEmpty } == [true, false, false, false])
        let file = try LintFile(name: "media.m3u8", bytes: playlist.write())
        #expect(Linter().check(file).isEmpty, "\(Linter().check(file))")
    }
}
