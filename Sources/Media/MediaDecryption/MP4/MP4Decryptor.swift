import ByteCoding
package import MediaFormats

/// Decrypts MP4 files under Common Encryption (ISO/IEC 23001-7): cbcs, cenc, cens and cbc1, progressive and fragmented,
/// whole files and segments.
///
/// The output has the size of the input, and every byte that is not encrypted and says nothing of encryption is where
/// it was. So nothing has to be written anew: see ``ProtectionEraser``.
package struct MP4Decryptor {
    private let keys: DecryptionKeys

    /// Makes a decryptor.
    package init(keys: DecryptionKeys) { self.keys = keys }

    /// Reads the `moov` box of a file or an init segment.
    ///
    /// - Throws: `ParseError`; `missing-box` when there is none.
    package static func movie(of file: RawSpan) throws -> Movie { try MovieFile(reading: file).movie }

    /// Whether a file has a `moov` box, so that it can be read without an init segment.
    ///
    /// - Throws: `ParseError` when boxes do not follow each other to its end.
    package static func hasMovie(_ file: RawSpan) throws -> Bool { try BoxPlaces.first("moov", in: file) != nil }

    /// Decrypts a file.
    ///
    /// - Parameters:
    ///   - input: The file, or a segment of one.
    ///   - initialization: The `moov` box of a segment's init segment; a file with such a box needs none.
    ///   - output: As large as `input`.
    /// - Returns: What was done, by track; empty when nothing is encrypted.
    /// - Throws: ``DecryptionError`` and `ParseError`.
    package func decrypt(
        _ input: RawSpan,
        initialization: Movie? = nil,
        into output: inout MutableRawSpan
    ) throws -> [DecryptedTrack] {
        precondition(input.byteCount == output.byteCount, "the output is as large as the input")
        let isWhole = try Self.hasMovie(input)
        guard let movie = try isWhole ? Self.movie(of: input) : initialization else {
            throw DecryptionError(
                .missingInitialization,
                "media segment",
                "it has no moov box, so that the init segment is needed that it belongs to"
            )
        }
        let tracks = try movie.tracks.filter { try isEncrypted($0) }
        copy(input, to: &output)
        try ProtectionEraser(tracks: Set(tracks.map(\.id))).erase(input, in: &output)
        var reports: [DecryptedTrack] = []
        for track in tracks {
            var decryption = MP4TrackDecryption(track, keys: keys, byteCount: input.byteCount)
            if isWhole, var table = SampleTableCursor(track) {
                while let sample = try table.next(input) { try decryption.take(sample, of: input, in: &output) }
            }
            var fragments = FragmentCursor(track, from: 0)
            while let sample = try fragments.next(input) { try decryption.take(sample, of: input, in: &output) }
            try decryption.flush(&output)
            reports.append(decryption.report)
        }
        return reports
    }

    /// Whether a track is encrypted, and if so, in a way that can be undone with the keys that were given.
    private func isEncrypted(_ track: Track) throws -> Bool {
        let protected = track.descriptions.filter { entry in
            !entry.protections.isEmpty || ["encv", "enca", "enct", "encs", "drms", "drmi"].contains(entry.format)
        }
        for entry in protected {
            guard let protection = entry.commonEncryption else {
                let scheme = entry.protections.first?.schemeType.map { "the scheme \($0)" } ?? "an unknown scheme"
                throw DecryptionError(
                    .notSupported,
                    "track \(track.id)",
                    "it is protected by \(scheme); cbcs, cenc, cens and cbc1 can be undone"
                )
            }
            // Told before a long file is copied. Where keys change, groups of samples name them, and this may name none.
            guard let encryption = protection.trackEncryption, encryption.isProtected,
                let id = KeyID(encryption.keyID), !id.isZero
            else { continue }
            if keys[id] == nil { throw DecryptionError.missingKey(id, "track \(track.id) (\(entry.originalFormat))") }
        }
        return !protected.isEmpty
    }

    private func copy(_ input: RawSpan, to output: inout MutableRawSpan) {
        output.withUnsafeMutableBytes { output in input.withUnsafeBytes { output.copyMemory(from: $0) } }
    }
}
