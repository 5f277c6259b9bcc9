import DRMSignaling
import FPSCrypto
import Foundation
import MediaFormats
import Testing

@testable import Packager

/// A folder that is deleted at the end of the test.
final class ScratchFolder {
    let path: String

    init() throws {
        path = NSTemporaryDirectory() + "keyway-packager-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// The relative paths of all files below it, in order.
    func files(_ folder: String = "") -> [String] {
        let root = path + "/" + folder
        let names = FileManager.default.enumerator(atPath: root)?.compactMap { $0 as? String } ?? []
        return names.filter { !$0.hasPrefix(".") && isFile(root + "/" + $0) }.sorted()
    }

    func bytes(_ name: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: URL(fileURLWithPath: path + "/" + name)))
    }

    private func isFile(_ path: String) -> Bool {
        var isFolder: ObjCBool = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder)
            && !isFolder.boolValue
    }
}

enum PipelineFixture {
    static func path(_ name: String) throws -> String {
        let folder = try #require(Bundle.module.resourceURL)
        return folder.appendingPathComponent("Fixtures/Pipeline/" + name).path
    }

    static let keyID: [UInt8] = (0x10..<0x20).map { UInt8($0) }
    static var key: SecretBytes { SecretBytes(copying: (0x40..<0x50).map { UInt8($0) }) }
    static let iv: [UInt8] = (0x80..<0x90).map { UInt8($0) }

    /// A job for some of the movies, in segments of one second.
    static func job(_ names: [String], to folder: String, scheme: TrackProtection.Scheme? = nil)
        throws -> PackagingJob
    {
        var job = PackagingJob(
            inputs: try names.map { PackagingJob.Input(path: try path($0)) },
            output: folder
        )
        job.segmentDuration = RationalTime(1, timescale: 1)
        job.scheme = scheme
        guard scheme != nil else { return job }
        job.systems = scheme == .aes128 ? [.identity] : [.fairPlay]
        if scheme == .aes128 { job.keyURI = try KeyURITemplate("https://keys.example/{kid}") }
        if scheme == .sampleAES { job.container = .ts }
        let keyID = try #require(ContentKeyID(keyID))
        job.keys = ContentKeys(
            shared: try PackagingKey(keyID: keyID, key: key, iv: SecretBytes(copying: iv))
        )
        return job
    }

    @discardableResult
    static func package(_ job: PackagingJob) throws -> PackagingReport {
        try PackagingRun(PackagingPlan(job)).run()
    }
}

/// A sample read from the output.
struct WrittenSample: Equatable {
    var bytes: [UInt8]
    var decodeTime: UInt64
    var duration: UInt32
    var compositionOffset: Int32
    var isSync: Bool
    var isProtected = false
}

/// Returns a movie's samples of one track, read with `MediaFormats`; encrypted ones are decrypted.
func samples(of file: [UInt8], kind: FourCC) throws -> [WrittenSample] {
    let movie = try MovieFile(reading: file.span.bytes)
    let track = try #require(movie.movie.tracks.first { $0.kind == kind })
    var cursor = movie.samples(of: [track.id])
    var list: [WrittenSample] = []
    while let sample = try cursor.next(file.span.bytes) {
        var bytes = Array(file[sample.range])
        if let protection = sample.protection {
            bytes = try decrypted(bytes, protection, in: file)
        }
        list.append(
            WrittenSample(
                bytes: bytes,
                decodeTime: sample.decodeTime,
                duration: sample.duration,
                compositionOffset: sample.compositionOffset,
                isSync: sample.isSync,
                isProtected: sample.protection != nil
            )
        )
    }
    return list
}

/// Parses the headers of a movie.
func movieFile(_ file: [UInt8]) throws -> MovieFile { try MovieFile(reading: file.span.bytes) }

/// Returns the first sample of a movie.
func firstSample(of file: [UInt8]) throws -> Sample? {
    var cursor = try MovieFile(reading: file.span.bytes).samples()
    return try cursor.next(file.span.bytes)
}

/// Returns the findings of the `MediaFormats` verifier for an init segment and the segments after it.
func verifierFindings(_ parts: [[UInt8]]) -> [MP4Verifier.Finding] {
    var verifier = MP4Verifier()
    for part in parts { verifier.add(part.span.bytes) }
    return verifier.findings
}
