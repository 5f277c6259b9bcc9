import DRMSignaling
import Foundation
import HLSPlaylist
import Testing

@testable import Packager

@Suite struct PackagingRunTests {
    @Test(arguments: [nil, TrackProtection.Scheme.cbcs, .aes128], [false, true])
    func linterFindsNothing(scheme: TrackProtection.Scheme?, hasClearLead: Bool) throws {
        let folder = try ScratchFolder()
        var job = try PipelineFixture.job(["film.mp4", "small.mp4"], to: folder.path, scheme: scheme)
        if hasClearLead, scheme != nil { job.clearLead = RationalTime(1, timescale: 1) }
        try PipelineFixture.package(job)
        let main = try LintFile(name: "main.m3u8", bytes: folder.bytes("main.m3u8"))
        var loaded: [String] = []
        let findings = Linter().check(presentation: main) { uri in
            loaded.append(uri)
            return try? LintFile(name: uri, bytes: folder.bytes(uri))
        }
        // Segments that are encrypted as a whole have no byte ranges for key frames.
        let isWhole = scheme == .aes128
        let unexpected = findings.filter { !isWhole || $0.diagnostic.rule != "no-i-frame-variants" }
        #expect(unexpected.isEmpty, "\(unexpected)")
        #expect(loaded.count == (isWhole && !hasClearLead ? 3 : 5))
    }

    @Test func namesBothInputsWhereKeyFramesPart() throws {
        let folder = try ScratchFolder()
        let job = try PipelineFixture.job(["film.mp4", "misaligned.mp4"], to: folder.path)
        let error = #expect(throws: Segmenter.Failure.self) { try PipelineFixture.package(job) }
        let text = "\(try #require(error))"
        #expect(text.contains("film.mp4 (video-64)") && text.contains("misaligned.mp4 (video-48)"))
        #expect(text.contains("not aligned at 1.0 s") && text.contains("1.25 s"))
        #expect(folder.files().isEmpty, "a failed run leaves nothing")
    }

    @Test func replacesOnlyWhatItMay() throws {
        let folder = try ScratchFolder()
        var job = try PipelineFixture.job(["film.mp4"], to: folder.path)
        try PipelineFixture.package(job)
        let before = try folder.bytes("video-64/1.m4s")
        let error = #expect(throws: JobFailure.self) { try PipelineFixture.package(job) }
        #expect(error?.option == "out")
        job.scheme = .cbcs
        job.systems = [.fairPlay]
        job.keys = try PipelineFixture.job(["film.mp4"], to: "", scheme: .cbcs).keys
        job.overwrites = true
        try PipelineFixture.package(job)
        #expect(try folder.bytes("video-64/1.m4s") != before)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder.path).allSatisfy {
                !$0.hasPrefix(".")
            }
        )
    }

    @Test func removesWhatKilledRunsLeft() throws {
        let folder = try ScratchFolder()
        let leftover = folder.path + "/.keyway-dead"
        try FileManager.default.createDirectory(atPath: leftover, withIntermediateDirectories: true)
        try Data().write(to: URL(fileURLWithPath: leftover + "/lock"))
        let live = try PresentationFolder(path: folder.path)
        #expect(!FileManager.default.fileExists(atPath: leftover))
        try PipelineFixture.package(try PipelineFixture.job(["film.mp4"], to: folder.path))
        // The folder of the other run still exists, because that run is using it.
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(names.filter { $0.hasPrefix(".") }.count == 1)
        _ = consume live
    }

    /// A run was killed while replacing a presentation: one folder is in place, the old one has been moved away.
    @Test func takesBackWhatAKilledRunMoved() throws {
        let scratch = try ScratchFolder()
        let dead = scratch.path + "/.keyway-dead"
        for folder in ["video-64", ".keyway-dead/content/audio", ".keyway-dead/retired-video-64"] {
            let path = scratch.path + "/" + folder
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        }
        func write(_ text: String, _ name: String) throws {
            try Data(text.utf8).write(to: URL(fileURLWithPath: scratch.path + "/" + name))
        }
        try write("", ".keyway-dead/lock")
        try write("audio\nvideo-64\nmain.m3u8", ".keyway-dead/publishing")
        try write("new", "video-64/media.m3u8")
        try write("old", ".keyway-dead/retired-video-64/media.m3u8")
        try write("old", ".keyway-dead/retired-main.m3u8")
        try write("new", ".keyway-dead/content/main.m3u8")
        #expect(PresentationFolder.unfinished(in: scratch.path) == ["video-64"])

        let job = try PipelineFixture.job(["film.mp4"], to: scratch.path)
        let error = #expect(throws: JobFailure.self) { try PipelineFixture.package(job) }
        #expect(error?.option == "out", "the old presentation is restored, and overwriting is not allowed")
        #expect(!FileManager.default.fileExists(atPath: dead))
        #expect(scratch.files() == ["main.m3u8", "video-64/media.m3u8"])
        #expect(try scratch.bytes("video-64/media.m3u8") == Array("old".utf8))
        #expect(try scratch.bytes("main.m3u8") == Array("old".utf8))
    }

    @Test func nothingAppearsBeforeAllIsThere() throws {
        let folder = try ScratchFolder()
        let job = try PipelineFixture.job(["film.mp4"], to: folder.path, scheme: .cbcs)
        let plan = try PackagingPlan(job)
        var calls = 0
        _ = try PackagingRun(plan).run { progress in
            calls += 1
            #expect(folder.files().isEmpty)
            #expect(progress.bytesRead <= progress.bytesTotal ?? 0)
        }
        #expect(calls == 6)
        #expect(folder.files().contains("main.m3u8"))
    }

    /// Wherever the input is truncated, the error contains its name, and no output remains.
    @Test(arguments: ["film.mp4", "fragmented.mp4"])
    func cutOffInputsAreRefused(name: String) throws {
        let scratch = try ScratchFolder()
        let bytes = try Data(contentsOf: URL(fileURLWithPath: try PipelineFixture.path(name)))
        for length in stride(from: 0, to: bytes.count - 1, by: 131) {
            let path = scratch.path + "/cut.mp4"
            try bytes.prefix(length).write(to: URL(fileURLWithPath: path))
            let output = scratch.path + "/out"
            let job = PackagingJob(inputs: [PackagingJob.Input(path: path)], output: output)
            do {
                try PipelineFixture.package(job)
                // A fragmented file truncated between two fragments is valid, or lacks less than a second.
                #expect(name == "fragmented.mp4", "\(length) bytes")
                try FileManager.default.removeItem(atPath: output)
            } catch  where error is InputFailure || error is OmissionFailure {
                #expect("\(error)".contains("cut.mp4"), "\(length) bytes: \(error)")
                #expect(ScratchFolder.isEmpty(output), "\(length) bytes")
            }
        }
    }
}

extension ScratchFolder {
    static func isEmpty(_ path: String) -> Bool {
        ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).isEmpty
    }
}
