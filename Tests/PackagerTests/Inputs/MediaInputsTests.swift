import Foundation
import MediaFormats
import Testing

@testable import Packager

@Suite("Opening inputs")
struct MediaInputsTests {
    @Test("detects the format from the content, for files and for pipes")
    func kinds() throws {
        let kinds: [(name: String, type: Any.Type, codecs: [String])] = [
            ("h264-aac.ts", TransportStreamInput.self, ["avc1.4d400a", "mp4a.40.2"]),
            ("hevc-ac3.ts", TransportStreamInput.self, ["hvc1.2.4.L30.90", "ac-3"]),
            ("h264-aac.mp4", MovieFileInput.self, ["avc1.4d400a", "mp4a.40.2"]),
        ]
        for kind in kinds {
            let input = try MediaInputs.open(Clip.path(kind.name))
            #expect(type(of: input) == kind.type)
            #expect(input.tracks.map(\.codecs) == kind.codecs)
            #expect(input.byteCount == (try Clip.bytes(kind.name).count))
            #expect(try input.samples().count > 20)
            #expect(input.position == input.byteCount)
        }
    }

    @Test("rejects formats that cannot be packaged, with how to convert them")
    func refusals() throws {
        func text(_ words: String) -> [UInt8] { Array(words.utf8) }
        func packets(_ size: Int, _ start: Int) -> [UInt8] {
            (0..<size * 8).map { $0 % size == start ? 0x47 : 0 }
        }
        let refusals: [(bytes: [UInt8], words: String)] = [
            ([], "the file is empty"),
            (
                [0x1A, 0x45, 0xDF, 0xA3, 0x9F, 0x42, 0x82, 0x88] + text("matroska") + [0x86, 0x8F]
                    + text("V_MPEG4/ISO/AVC") + [0x86, 0x85] + text("A_AAC"),
                "the format is Matroska with H.264 and AAC; remux it first "
                    + "(ffmpeg -i IN -map '0:V?' -map '0:a?' -c copy OUT.mp4)"
            ),
            (
                [0x1A, 0x45, 0xDF, 0xA3, 0x9F, 0x42, 0x82, 0x88] + text("matroska") + [0x86, 0x8F]
                    + text("V_MPEG4/ISO/AVC") + [0x86, 0x86] + text("A_OPUS"),
                "the format is Matroska with H.264 and Opus; encode it first "
                    + "(ffmpeg -i IN -map '0:V?' -map '0:a?' -c:v copy -c:a aac OUT.mp4)"
            ),
            (
                [0x1A, 0x45, 0xDF, 0xA3, 0x9F, 0x42, 0x82, 0x84] + text("webm") + [0x86, 0x85] + text("V_VP9"),
                "the format is WebM with VP9; encode it first (ffmpeg -i IN -map '0:V?' -map '0:a?' -c:v libx264 -c:a copy"
            ),
            (
                [0x1A, 0x45, 0xDF, 0xA3, 0x9F],
                "the format is Matroska; if it contains H.264 or HEVC with AAC or AC-3, remux it first"
            ),
            (text("RIFF....AVI LIST"), "the format is AVI; encode it"),
            (text("RIFF....WAVEfmt "), "the format is WAV; encode it first"),
            (text("FLV\u{1}"), "the format is Flash video; if it contains H.264"),
            ([0, 0, 1, 0xBA, 0x44], "the format is an MPEG program stream"),
            ([0, 0, 1, 0xB3, 0], "the format is MPEG-1 or MPEG-2 video"),
            ([0x30, 0x26, 0xB2, 0x75, 0x8E], "the format is ASF"),
            ([0x06, 0x0E, 0x2B, 0x34, 2], "the format is MXF"), (text("DKIF"), "the format is IVF"),
            (text("OggS"), "the format is Ogg"),
            (text("fLaC"), "the format is FLAC"), (text("caff"), "the format is Core Audio Format"),
            (text("FORM"), "the format is AIFF"),
            (text("<?xml version"), "the format is XML, perhaps TTML"), (text("<tt xmlns"), "the format is TTML"),
            (text("[Script Info]"), "the format is SubStation Alpha"), (text("#!AMR\n"), "the format is AMR"),
            ([0x7F, 0xFE, 0x80, 0x01], "the format is DTS"),
            (text("1\r\n00:00:01,000 --> 00:00:02,000\r\nA"), "the format is SubRip subtitles; convert it first"),
            (text("#EXTM3U\n#EXT-X-VERSION:7\n"), "the file is a playlist; give the source media"),
            (
                [0, 0, 0, 24] + text("styp") + [0, 0],
                "the file is a media segment without its init segment; concatenate"
            ),
            ([0, 0, 0, 1, 0x67, 0x64, 0], "the file is an H.264 byte stream, which has no timestamps"),
            ([0, 0, 0, 1, 0x40, 1, 0xC], "the file is an HEVC byte stream, which has no timestamps"),
            (
                [0xFF, 0xFB, 0x90, 0x64],
                "the format is MPEG audio, MP3; encode it first (ffmpeg -i IN -vn -c:a aac OUT.m4a)"
            ),
            ([0xFF, 0xFD, 0x90, 0x64], "the format is MPEG audio, layer 2; encode it first"),
            (text("ID3\u{4}\u{0}\u{0}\u{0}\u{0}\u{0}\u{2}") + [0, 0], "the file is an ID3 tag without audio after it"),
            (packets(192, 4), "no program map table"),
            (text("Nothing of the kind, but long enough to be something."), "the format is not supported; use MP4"),
        ]
        for refusal in refusals {
            let message = failure { _ = try MediaInputs.open(Pieces(refusal.bytes)) }
            #expect(message.hasPrefix("test input: ") && message.contains(refusal.words), "\(message)")
        }
        // Every message is different.
        let messages = refusals.map { refusal in failure { _ = try MediaInputs.open(Pieces(refusal.bytes)) } }
        #expect(Set(messages).count == refusals.count)
    }

    @Test("recognizes MP3 by two frames, behind an ID3 tag even if the size of the tag is wrong")
    func taggedMPEGAudio() throws {
        // 128 kbit/s at 44.1 kHz: frames of 417 bytes.
        let frame: [UInt8] = [0xFF, 0xFB, 0x90, 0x64] + [UInt8](repeating: 0x55, count: 413)
        let audio = frame + frame + frame
        let tag = Array("ID3\u{3}\u{0}\u{0}\u{0}\u{0}\u{0}\u{A}0123456789".utf8)
        for bytes in [
            audio, tag + audio, tag + [UInt8](repeating: 0, count: 100) + audio, tag + [1, 2, 0xFF, 0xFF, 3] + audio,
        ] {
            let message = failure { _ = try MediaInputs.open(Pieces(bytes)) }
            #expect(message.contains("the format is MPEG audio, MP3; encode it first"), "\(message)")
        }
        let single = failure { _ = try MediaInputs.open(Pieces(frame + [UInt8](repeating: 0x55, count: 2000))) }
        #expect(single.contains("the format is not supported"))
    }

    @Test("reports folders and missing files")
    func files() throws {
        #expect(failure { _ = try MediaInputs.open("/") } == "/: the path is a folder; give the files in it")
        let message = failure { _ = try MediaInputs.open("/nonexistent/clip.mp4") }
        #expect(message == "cannot open /nonexistent/clip.mp4: No such file or directory")
    }

    /// Writes bytes into a pipe, a few at a time, while `body` reads them.
    private func piped<R: Sendable>(_ bytes: [UInt8], _ body: (Int32) throws -> R) throws -> R {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        let writer = Thread { [ends] in
            var start = 0
            while start < bytes.count {
                let count = bytes[start..<min(bytes.count, start + 777)].withUnsafeBytes { piece in
                    write(ends[1], piece.baseAddress, piece.count)
                }
                guard count > 0 else { break }
                start += count
            }
            close(ends[1])
        }
        writer.start()
        defer { close(ends[0]) }
        return try body(ends[0])
    }

    @Test("reads pipes", arguments: ["h264-aac.ts", "hevc-ac3.ts", "audio.aac", "audio.ac3"])
    func pipes(name: String) throws {
        let expected = try MediaInputs.open(Clip.path(name)).samples()
        let samples = try piped(Clip.bytes(name)) { descriptor in
            let input = try MediaInputs.open(PipeReader(descriptor: descriptor, name: "a pipe"))
            #expect(input.name == "a pipe" && input.byteCount == nil)
            let samples = try input.samples()
            #expect(input.position == (try Clip.bytes(name).count))
            return samples
        }
        #expect(samples == expected)
    }

    @Test("reads a named pipe")
    func namedPipe() throws {
        let path = NSTemporaryDirectory() + "inputs-\(UUID().uuidString)"
        try #require(mkfifo(path, 0o600) == 0)
        defer { unlink(path) }
        let bytes = try Clip.bytes("audio.ac3")
        let writer = Thread {
            let descriptor = Foundation.open(path, O_WRONLY)
            _ = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            close(descriptor)
        }
        writer.start()
        let input = try MediaInputs.open(path)
        #expect(input.name == path)
        #expect(try input.samples() == (MediaInputs.open(Clip.path("audio.ac3")).samples()))
    }

    @Test("reports the system's error when a pipe cannot be read")
    func brokenPipe() throws {
        #expect(
            failure { _ = try PipeReader(descriptor: -1, name: "a pipe").peek(1) }
                == "cannot read a pipe: Bad file descriptor"
        )
    }
}

@Suite("Movies from pipes")
struct MovieStreamInputTests {
    @Test("have the samples of the file", arguments: [[1 << 20], [1], [1000, 7]])
    func samples(sizes: [Int]) throws {
        // The moov box must be first: the MP4 of the fixtures has it last, so it is fragmented.
        let bytes = try Clip.bytes("h264-aac-fragmented.mp4")
        let file = try MovieFileInput(MappedFile(path: Clip.path("h264-aac-fragmented.mp4")))
        let stream = try MediaInputs.open(Pieces(bytes, of: sizes))
        #expect(stream is MovieStreamInput)
        #expect(stream.tracks.map(\.codecs) == file.tracks.map(\.codecs))
        let (ours, theirs) = (try stream.samples(), try file.samples())
        #expect(ours.count == theirs.count && ours.count > 60)
        for track in 0...1 { #expect(ours.filter { $0.track == track } == theirs.filter { $0.track == track }) }
        #expect(stream.position == bytes.count && stream.warnings == [])
    }

    @Test("report how to correct a moov box after the media, or a truncated input")
    func failures() throws {
        let late = failure { _ = try MediaInputs.open(Pieces(Clip.bytes("h264-aac.mp4"))) }
        #expect(late.contains("for a pipe; give the file by its name, or move its moov box to the front"))
        let bytes = try Clip.bytes("h264-aac-fragmented.mp4")
        for end in stride(from: 8, to: bytes.count, by: 131) {
            let message = failure {
                let input = try MediaInputs.open(Pieces(Array(bytes[..<end])))
                _ = try input.samples()
            }
            #expect(message.isEmpty || message.contains("truncated") || message.contains("moov"), "\(end): \(message)")
        }
        #expect(failure { _ = try MediaInputs.open(Pieces(Array(bytes[..<600]))) }.contains("truncated"))
    }
}

@Suite("WebVTT inputs")
struct WebVTTInputTests {
    private let text = """
        WEBVTT

        one
        00:00.500 --> 00:02.500
        First

        00:07.000 --> 00:08.000 line:0
        Second

        00:09.000 --> 00:08.000
        Never

        """

    @Test("are split where the leading track is cut")
    func segments() throws {
        let input = try #require(try MediaInputs.open(Pieces(Array(text.utf8), of: [5])) as? WebVTTInput)
        #expect(input.tracks.map(\.kind) == [.subtitles])
        #expect(input.tracks[0].duration == 8000)
        #expect(try input.samples().isEmpty)
        let never = "the end time of the cue is not after its start time, so the cue is never visible"
        #expect(input.warnings == ["test input: line 10: \(never); the block is skipped"])
        let rendition = input.rendition(map: WebVTTTimestampMap(mpegTS: 900_000))
        let head = "WEBVTT\nX-TIMESTAMP-MAP=MPEGTS:900000,LOCAL:00:00:00.000\n\n"
        let first = "one\n00:00:00.500 --> 00:00:02.500\nFirst\n\n"
        let second = "00:00:07.000 --> 00:00:08.000 line:0\nSecond\n\n"
        let cuts: [RationalTime] = [
            RationalTime(180_000, timescale: 90_000), RationalTime(4, timescale: 1), RationalTime(6, timescale: 1),
        ]
        let segments = cuts.map { String(decoding: rendition.segment(until: $0), as: UTF8.self) }
        // The first cue spans the first cut; there is no cue between 4 and 6 s.
        #expect(segments == [head + first, head + first, head])
        #expect(String(decoding: rendition.last(), as: UTF8.self) == head + second)
    }

    @Test("that are longer than the presentation are cut at its end, and do not lengthen it")
    func long() throws {
        let folder = try ScratchFolder()
        let path = folder.path + "/long.vtt"
        let text = "WEBVTT\n\n00:02.000 --> 00:09.000\nkept\n\n00:03.000 --> 02:00:04.000\nlate\n\n"
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        var job = try PipelineFixture.job(["film.mp4"], to: folder.path + "/out")
        let duration = try PackagingPlan(job).presentationDuration
        job.inputs.append(PackagingJob.Input(path: path))
        let plan = try PackagingPlan(job)
        #expect(plan.presentationDuration == duration)
        let report = try PackagingRun(plan).run()
        #expect(
            report.warnings == [
                "\(path): 1 cue after the end of the presentation at 3.0 s left out"
            ]
        )
        let last = String(decoding: try folder.bytes("out/subtitles/3.vtt"), as: UTF8.self)
        #expect(last.contains("kept") && !last.contains("late"))
    }

    @Test("that are invalid or too large are rejected")
    func failures() throws {
        let big = Pieces(Array("WEBVTT\n\n".utf8) + [UInt8](repeating: 0x0A, count: WebVTTDocument.maximumSize))
        #expect(failure { _ = try MediaInputs.open(big) }.contains("split the file"))
        #expect(failure { _ = try WebVTTInput(Pieces(Array("WEBVTTX".utf8))) }.contains("must begin with WEBVTT"))
    }
}
