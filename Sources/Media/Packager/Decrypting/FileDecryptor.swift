import FileWriting
package import MediaDecryption
import MediaFormats
import SampleEncryption

/// Decrypts a single file: MP4, a transport stream, packed audio, or a segment encrypted as a whole.
package struct FileDecryptor {
    private let keys: DecryptionKeys

    /// Creates a decryptor with keys.
    package init(keys: DecryptionKeys) { self.keys = keys }

    /// Decrypts a file. The output appears under its name only when it is complete.
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - initialization: The path of the init segment of an MP4 media segment or of a transport stream segment; nil
    ///     for none.
    ///   - output: The path of the decrypted file. It may be the input's path.
    /// - Returns: The result for each track; empty if nothing was encrypted.
    /// - Throws: ``DecryptionError``, `ParseError` and ``FileError``.
    package func decrypt(
        _ path: String,
        initialization: String? = nil,
        to output: String
    ) throws -> [DecryptedTrack] {
        let file = try MappedFile(path: path)
        let header = try initialization.map { try MappedFile(path: $0) }
        return try file.withBytes { input in
            switch MediaFileKind(input) {
            case .mp4:
                let movie = try header.map { try $0.withBytes { try MP4Decryptor.movie(of: $0) } }
                return try write(input.byteCount, to: output) {
                    try MP4Decryptor(keys: keys).decrypt(input, initialization: movie, into: &$0)
                }
            case .transportStream:
                let key = try onlyKey("transport stream")
                var decryptor = TransportStreamDecryptor()
                try header?.withBytes { try decryptor.prepare($0, key: key) }
                return try write(input.byteCount, to: output) {
                    try decryptor.decrypt(input, key: key, into: &$0)
                    return decryptor.reports
                }
            case .packedAudio:
                let key = try onlyKey("packed audio")
                var decryptor = PackedAudioDecryptor()
                return try write(input.byteCount, to: output) {
                    try decryptor.decrypt(input, key: key, into: &$0)
                    return decryptor.report.map { [$0] } ?? []
                }
            case .other: return try decryptSegment(input, to: output)
            case .webVTT, .playlist:
                throw DecryptionError(.notSupported, path, "the file is text and not encrypted")
            }
        }
    }

    private func write(
        _ count: Int,
        to path: String,
        _ body: (inout MutableRawSpan) throws -> [DecryptedTrack]
    ) throws -> [DecryptedTrack] {
        let file = try ClearFile(path: path, count: count)
        let tracks = try file.withMutableBytes { try body(&$0) }
        try file.finish()
        return tracks
    }

    /// Returns the only key, for formats that do not contain key IDs; only MP4 contains them.
    private func onlyKey(_ subject: String) throws -> DecryptionKey {
        guard let key = keys.only else {
            throw DecryptionError(
                .missingKey,
                subject,
                "the format contains no key ID: give exactly one key, or the playlist, which specifies the key of each "
                    + "segment"
            )
        }
        return key
    }

    private func decryptSegment(_ input: RawSpan, to output: String) throws -> [DecryptedTrack] {
        guard let key = keys.only, let iv = key.iv else {
            throw DecryptionError(
                .notSupported,
                "file type",
                "the file is not MP4, a transport stream or packed audio; for an AES-128 segment, give one key "
                    + "and its initialization vector, as KID:KEY:IV, or the playlist"
            )
        }
        let segment = try SegmentDecryptor(input, key: key.key, iv: iv, name: "segment")
        return try write(segment.clearSize, to: output) {
            try segment.decrypt(input, into: &$0, at: 0, name: "segment")
            var track = DecryptedTrack(name: "segment", format: "whole", scheme: "AES-128")
            track.decrypted = 1
            return [track]
        }
    }
}
