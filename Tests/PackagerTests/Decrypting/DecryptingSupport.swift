import FPSCrypto
import Foundation
import MediaDecryption
import MediaFormats
import SampleEncryption
import Testing

@testable import Packager

/// The clips of Fixtures/Decrypting, created by the script `make` there.
enum DecryptingFixture {
    static func url(_ name: String) throws -> URL {
        let url = Bundle.module.url(forResource: "Fixtures/Decrypting/\(name)", withExtension: nil)
        return try #require(url, "no fixture \(name)")
    }

    static func bytes(_ name: String) throws -> [UInt8] { Array(try Data(contentsOf: url(name))) }
}

/// The keys of the clips.
enum TestKeys {
    static let videoID = bytes("0123456789abcdef0123456789abcdef")
    static let video = bytes("00112233445566778899aabbccddeeff")
    static let audioID = bytes("fedcba9876543210fedcba9876543210")
    static let audio = bytes("ffeeddccbbaa99887766554433221100")

    /// Both keys and additional keys.
    static func all(_ more: [(id: [UInt8], key: [UInt8])] = []) throws -> DecryptionKeys {
        try keys([(videoID, video), (audioID, audio)] + more)
    }

    static func keys(_ list: [(id: [UInt8], key: [UInt8])], iv: [UInt8]? = nil) throws -> DecryptionKeys {
        let iv = try iv.map { try CipherIV($0) }
        return DecryptionKeys(
            try list.map {
                (try #require(KeyID($0.id)), DecryptionKey(key: SecretBytes(copying: $0.key), iv: iv))
            }
        )
    }

    static func bytes(_ text: String) -> [UInt8] {
        stride(from: 0, to: text.utf8.count, by: 2).compactMap {
            UInt8(text.dropFirst($0).prefix(2), radix: 16)
        }
    }
}

/// Decrypts a file in an array.
func decrypted(
    _ file: [UInt8],
    _ keys: DecryptionKeys,
    initialization: [UInt8]? = nil
) throws -> (bytes: [UInt8], tracks: [DecryptedTrack]) {
    let movie = try initialization.map { try MP4Decryptor.movie(of: $0.span.bytes) }
    var output = [UInt8](repeating: 0xAA, count: file.count)
    var span = output.mutableSpan
    var bytes = span.mutableBytes
    let tracks = try MP4Decryptor(keys: keys).decrypt(file.span.bytes, initialization: movie, into: &bytes)
    return (output, tracks)
}

/// Returns the samples of a track in the order of the file.
func samples(_ file: [UInt8], of kind: FourCC) throws -> [[UInt8]] {
    let movie = try MovieFile(reading: file.span.bytes)
    let track = try #require(movie.movie.tracks.first { $0.kind == kind })
    var cursor = movie.samples(of: [track.id])
    var list: [[UInt8]] = []
    while let sample = try cursor.next(file.span.bytes) { list.append(Array(file[sample.range])) }
    return list
}

/// A temporary folder that is deleted at the end of the test.
final class DecryptingFolder {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appending(path: "keyway-decrypting-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    func path(_ name: String) -> String { url.appending(path: name).path }

    func write(_ name: String, _ bytes: some Collection<UInt8>) throws {
        let file = url.appending(path: name)
        try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(bytes).write(to: file)
    }

    func content(_ name: String) throws -> [UInt8] { Array(try Data(contentsOf: url.appending(path: name))) }

    /// The relative paths of all files in the folder.
    func files() throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: url.path).filter {
            var isFolder: ObjCBool = false
            return FileManager.default.fileExists(atPath: path($0), isDirectory: &isFolder) && !isFolder.boolValue
        }
        .sorted()
    }
}
