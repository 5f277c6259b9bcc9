import ByteCoding
import Foundation
import MediaFormats
import Testing

@testable import Packager

@Suite("Tracks that cannot be packaged")
struct OmissionTests {
    private static func film(_ change: (inout PatchedMovie) throws -> Void) throws -> PatchedMovie {
        var movie = try PatchedMovie()
        try change(&movie)
        return movie
    }

    @Test("end a run, with the track, the reason and how to convert the input")
    func refusal() throws {
        let folder = try ScratchFolder()
        // The first occurrence is a brand.
        let movie = try Self.film { try $0.replace("avc1", with: "av01", number: 1) }
        var job = try movie.job(in: folder)
        let failure = try #require(throws: OmissionFailure.self) { try job.run() }
        #expect(
            "\(failure)"
                == "\(folder.path)/patched.mp4: track 1 (video) has the format AV1 (av01), which cannot be packaged; "
                + "encode it first (ffmpeg -i IN -map '0:V?' -map '0:a?' -c:v libx264 -c:a copy OUT.mp4)"
        )
        #expect(failure.remainingKinds == "audio")
        #expect(folder.files() == ["patched.mp4"], "nothing is written")

        job.inputs[0].tracks = [.audio]
        #expect(try job.run().warnings == [])
        job.inputs[0].tracks = nil
        job.overwrites = true
        job.skipsUnsupported = true
        #expect(
            try job.run().warnings == [
                "\(folder.path)/patched.mp4: track 1 (video) has the format AV1 (av01), which cannot be packaged; it is "
                    + "left out"
            ]
        )
        job.inputs[0].tracks = [.video]
        #expect(throws: JobFailure.self) { try job.run() }
    }

    @Test(
        "in an entry for MPEG-4 audio are named by their codec",
        arguments: [
            (0x6B, "MPEG audio (MP3 or MP2)"), (0x69, "MPEG audio (MP3 or MP2)"), (0xA9, "DTS"), (0xDD, "Vorbis"),
            (0xA5, "AC-3"),
        ] as [(UInt8, String)]
    )
    func objectTypes(type: UInt8, name: String) throws {
        let folder = try ScratchFolder()
        let input = try Self.film { try $0.setObjectType(type) }.open(in: folder)
        #expect(input.tracks.map(\.kind) == [.video])
        #expect(input.omissions.map(\.reason) == ["has the format \(name) in mp4a, which cannot be packaged"])
        #expect(input.warnings == [])
    }

    @Test("do not count if they are neither video nor audio nor subtitles")
    func data() throws {
        let kinds = [
            ("tmcd", "timecode (tmcd)"), ("meta", "timed metadata (meta)"), ("clcp", "closed captions (clcp)"),
            ("hint", "streaming hints (hint)"), ("abcd", "abcd"),
        ]
        for (handler, name) in kinds {
            let folder = try ScratchFolder()
            let movie = try Self.film { movie in
                try movie.replace("soun", with: handler)
                try movie.replace("mp4a", with: "zzzz")
            }
            let input = try movie.open(in: folder)
            #expect(input.omissions == [])
            #expect(input.warnings == ["\(folder.path)/patched.mp4: track 2 contains \(name); the track is skipped"])
            #expect(input.tracks.map(\.kind) == [.video])
        }
    }

    @Test("count if they are subtitles, unless they are the chapters of another track")
    func subtitles() throws {
        let folder = try ScratchFolder()
        var movie = try Self.film { movie in
            try movie.replace("soun", with: "sbtl")
            try movie.replace("mp4a", with: "c608")
        }
        let input = try movie.open(in: folder)
        #expect(input.omissions.map(\.kind) == [.subtitles] && input.warnings == [])
        #expect(input.omissions[0].description.contains("subtitles in the format CEA-608 captions (c608)"))
        #expect(input.omissions[0].advice == nil)

        // The edit list of the video becomes a reference to the chapters in track 2.
        let edits = try movie.offset(of: "edts")
        let size = movie.number(at: edits - 4)
        let reference: [UInt8] = [0, 0, 0, 12] + Array("chap".utf8) + [0, 0, 0, 2]
        let rest = size - 8 - reference.count
        movie.bytes.replaceSubrange(
            edits..<edits - 4 + size,
            with: Array("tref".utf8) + reference + [0, 0, 0, UInt8(rest)] + Array("free".utf8)
                + [UInt8](repeating: 0, count: rest - 8)
        )
        let chapters = try movie.open(in: folder)
        #expect(chapters.omissions == [])
        #expect(chapters.warnings.map { $0.hasSuffix("track 2 contains chapters; the track is skipped") } == [true])
    }

    @Test("are listed if nothing remains")
    func nothing() throws {
        let folder = try ScratchFolder()
        let movie = try Self.film { movie in
            try movie.replace("avc1", with: "apcn", number: 1)
            try movie.replace("mp4a", with: "lpcm")
        }
        let message = failure { _ = try movie.open(in: folder) }
        #expect(message.contains("no track can be packaged; track 1 (video) has the format ProRes 422 (apcn)"))
        #expect(message.contains("track 2 (audio) has the format PCM (lpcm)") && message.contains("-c:a aac OUT.mp4"))
    }

    @Test("because they are empty are left out with a warning", arguments: [1, 2])
    func empty(track: Int) throws {
        let folder = try ScratchFolder()
        var movie = try PatchedMovie()
        movie.set(0, at: try movie.offset(of: "stsz", number: track - 1) + 12)
        let input = try movie.open(in: folder)
        #expect(input.tracks.map(\.kind) == [track == 1 ? .audio : .video])
        #expect(
            input.warnings == ["\(folder.path)/patched.mp4: track \(track) has no samples; the track is skipped"]
        )
        try PipelineFixture.package(movie.job(in: folder))
        movie.set(0, at: try movie.offset(of: "stsz", number: 2 - track) + 12)
        #expect(
            failure { _ = try movie.open(in: folder) }.contains("no track can be packaged") && input.omissions == []
        )
    }

    @Test("because no fragment has their samples are left out with a warning")
    func emptyInFragments() throws {
        let folder = try ScratchFolder()
        var movie = try PatchedMovie(PipelineFixture.path("fragmented.mp4"))
        let header = try movie.offset(of: "tkhd", number: 1)
        try #require(movie.number(at: header + 16) == 2)
        movie.set(9, at: header + 16)
        movie.set(9, at: try movie.offset(of: "trex", number: 1) + 8)
        let input = try movie.open(in: folder)
        #expect(input.tracks.map(\.kind) == [.video])
        #expect(input.warnings.map { $0.hasSuffix("track 9 has no samples; the track is skipped") } == [true])
        #expect(try input.samples().count == 36)
    }

    @Test("because a pipe has no samples of them are left out with a warning", arguments: [0, 1], [false, true])
    func emptyInPipe(track: Int, isSingleFile: Bool) throws {
        let folder = try ScratchFolder()
        var movie = try PatchedMovie(PipelineFixture.path("fragmented.mp4"))
        for number in 0...1 {
            // Without fragments of their own, or as the only track.
            let id = number == track ? 9 : number + 1
            movie.set(id, at: try movie.offset(of: "tkhd", number: number) + 16)
            movie.set(id, at: try movie.offset(of: "trex", number: number) + 8)
        }
        var job = try PipelineFixture.job([], to: folder.path + "/out")
        job.inputs = [PackagingJob.Input(path: "-")]
        job.isSingleFile = isSingleFile
        let plan = try PackagingPlan(job) { _ in try MediaInputs.open(Pieces(movie.bytes)) }
        let report = try PackagingRun(plan).run()
        let empty = plan.renditions[track].folder
        #expect(report.warnings == ["test input: \(empty) has no samples; it is left out"])
        #expect(report.renditions.map(\.folder) == [plan.renditions[1 - track].folder])
        #expect(!folder.files("out").contains { $0.hasPrefix(empty) } && folder.files("out").contains("main.m3u8"))
    }

    @Test("because their durations are 0 are refused")
    func zeroDuration() throws {
        let folder = try ScratchFolder()
        var movie = try PatchedMovie()
        let table = try movie.offset(of: "stts", number: 1)
        for index in 0..<movie.number(at: table + 8) { movie.set(0, at: table + 16 + index * 8) }
        let failure = #expect(throws: OmissionFailure.self) { try movie.job(in: folder).run() }
        #expect(failure?.reason.contains("track 2 has only 72 samples of duration 0") == true)
    }

    @Test("because their decoder configuration is empty are refused with what to tell ffmpeg")
    func emptyConfiguration() throws {
        let folder = try ScratchFolder()
        var movie = try PatchedMovie()
        // The tag of the DecoderSpecificInfo, whose size has 4 bytes, becomes an unknown one.
        let esds = try movie.offset(of: "esds")
        let tag = try #require(movie.offsets(of: [5, 0x80, 0x80, 0x80]).first { $0 > esds })
        movie.bytes[tag] = 0xC0
        let failure = #expect(throws: OmissionFailure.self) { try movie.job(in: folder).run() }
        #expect(failure?.reason.contains("track 2 has an empty decoder configuration") == true)
        #expect(failure?.reason.hasSuffix("with ffmpeg, add -movflags +delay_moov") == true)
    }

    @Test("in a transport stream end a run as soon as they have packets")
    func transportStream() throws {
        let folder = try ScratchFolder()
        var remux = try Remux("h264-aac.ts")
        let teletext = [TransportDescriptor(tag: 0x56, content: [])]
        remux.streams.append(.init(type: .privatePES, pid: 0x111, descriptors: teletext))
        let path = folder.path + "/listed.ts"
        try Data(remux.bytes()).write(to: URL(fileURLWithPath: path))
        var job = try PipelineFixture.job([], to: folder.path + "/out")
        job.inputs = [PackagingJob.Input(path: path)]
        #expect(try job.run().warnings == [])

        let last = try #require(remux.packets.last)
        remux.packets.append(.init(pid: 0x111, presentation: last.presentation, decode: nil, payload: [1, 2, 3]))
        try Data(remux.bytes()).write(to: URL(fileURLWithPath: path))
        job.output = folder.path + "/other"
        let failure = #expect(throws: OmissionFailure.self) { try job.run() }
        #expect(failure?.reason == "PID 273 (teletext), stream type 0x6, cannot be packaged")
        #expect(folder.files("other") == [])
    }

    @Test("because the configuration of an elementary stream cannot be packaged any more are omissions")
    func changedAudio() throws {
        let aac = try Clip.bytes("audio.aac")
        var other = aac
        var offset = 0
        for packet in try Clip.packets("audio.aac") {
            // A channel configuration of 0, which is described in the frames.
            other[offset + 2] &= 0xFE
            other[offset + 3] &= 0x3F
            offset += packet.size
        }
        let input = try MediaInputs.open(Pieces(aac + other, of: [1000]))
        #expect(input.omissions == [])
        _ = try input.samples()
        #expect(input.omissions.map(\.kind) == [.audio] && input.warnings == [])
        #expect(input.omissions.first?.reason.contains("changes to a configuration that cannot be packaged") == true)
    }
}
