import ByteCoding
import Foundation
import HLSPlaylist
import MediaFormats
import Testing

@testable import Packager

extension TestTrack {
    /// A track of a clip in Fixtures/Inputs, as it is read.
    static func clip(_ name: String, track: Int = 0) throws -> TestTrack {
        let input = try MediaInputs.open(Clip.path(name))
        var samples: [MediaSample] = []
        while case .sample(let index, let sample)? = try input.next() { if index == track { samples.append(sample) } }
        return TestTrack(track: input.tracks[track], samples: samples)
    }

    /// The track as a fragmented MP4 file.
    func movie() throws -> [UInt8] {
        let writer = try FragmentedMP4Writer(track)
        let all = segment(0, 0..<samples.count)
        return try #require(try writer.initialization(isProtected: false, first: all))
            + write([all], with: writer).bytes
    }

    /// The input that reads the file from a pipe.
    func piped() throws -> MovieStreamInput { try MovieStreamInput(Pieces(movie())) }

    /// Writes the file into a folder, and returns its path.
    func save(_ name: String, in folder: ScratchFolder) throws -> String {
        let path = folder.path + "/" + name
        try Data(movie()).write(to: URL(fileURLWithPath: path))
        return path
    }

    /// The file as an input.
    func opened(in folder: ScratchFolder) throws -> MovieFileInput {
        try MovieFileInput(MappedFile(path: try save("input.mp4", in: folder)))
    }

    /// Adds a box to the sample entry.
    mutating func add(_ type: FourCC, _ content: [UInt8] = []) {
        track.sampleEntry?.boxes.append(RawBox(type: type, content: content))
    }

    /// Replaces the bytes of samples.
    mutating func change(_ change: (Int, [UInt8]) -> [UInt8]) {
        samples = samples.indices.map { index in
            let bytes = change(index, bytes(index))
            var sample = samples[index]
            (sample.bytes, sample.offset, sample.size) = (BufferedBytes(bytes), 0, bytes.count)
            return sample
        }
    }
}

extension MediaTrack {
    var hevc: HEVCConfigurationBox? { if case .hevc(let configuration) = format { configuration } else { nil } }
    var h264: AVCConfigurationBox? { if case .h264(let configuration) = format { configuration } else { nil } }
}

extension MediaInput {
    /// Returns all samples of a track as their NAL units.
    func units(of track: Int = 0) throws -> [[[UInt8]]] {
        try samples(of: track).map { sample in
            var units = LengthPrefixedNALUnits(lengthSize: 4)
            var list: [[UInt8]] = []
            while let range = try units.next(sample.bytes.span.bytes) { list.append(Array(sample.bytes[range])) }
            return list
        }
    }
}

/// A presentation that a test has packaged.
struct Packaged {
    let folder: ScratchFolder
    let report: PackagingReport
    let main: MultivariantPlaylist

    init(
        _ inputs: [String],
        in folder: ScratchFolder,
        segments: Int64 = 1,
        _ change: (inout PackagingJob) throws -> Void = { _ in }
    ) throws {
        var job = PackagingJob(inputs: inputs.map { PackagingJob.Input(path: $0) }, output: folder.path + "/out")
        job.segmentDuration = RationalTime(segments, timescale: 1)
        job.manifests = [.hls, .dash]
        try change(&job)
        report = try PipelineFixture.package(job)
        self.folder = folder
        main = try MultivariantPlaylist(parsing: folder.bytes("out/main.m3u8"))
    }

    func text(_ name: String) throws -> String {
        String(decoding: try folder.bytes("out/" + name), as: UTF8.self)
    }

    /// The durations of the segments of a Media Playlist; negative for a gap.
    func durations(_ name: String) throws -> [Double] {
        try MediaPlaylist(parsing: folder.bytes("out/" + name)).segments.map { $0.isGap ? -$0.duration : $0.duration }
    }
}
