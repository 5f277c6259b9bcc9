import ByteCoding
package import MediaFormats

/// A decryptor for MP4 files with Common Encryption (ISO/IEC 23001-7).
///
/// The supported schemes are cbcs, cenc, cens and cbc1. The input is a progressive file, a fragmented file, or a
/// segment.
///
/// The output has the size of the input. Encrypted bytes are replaced with plaintext in place, and
/// ``ProtectionEraser`` overwrites the encryption metadata. All other bytes are unchanged and keep their offsets, so that
/// no tables or indexes have to be rewritten.
package struct MP4Decryptor {
    private let keys: DecryptionKeys

    /// Creates a decryptor.
    package init(keys: DecryptionKeys) { self.keys = keys }

    /// Reads the `moov` box of a file or an initialization segment.
    ///
    /// - Throws: `ParseError`, with the code `missing-box` if there is no `moov` box.
    package static func movie(of file: RawSpan) throws -> Movie { try MovieFile(reading: file).movie }

    /// Returns whether a file has a `moov` box, so that it can be read without an initialization segment.
    ///
    /// - Throws: `ParseError` if the file is not a sequence of complete boxes.
    package static func hasMovie(_ file: RawSpan) throws -> Bool { try BoxRanges.first("moov", in: file) != nil }

    /// Returns whether a file or a segment has a `moof` or `mdat` box.
    ///
    /// - Throws: `ParseError` if the file is not a sequence of complete boxes.
    package static func hasSamples(_ file: RawSpan) throws -> Bool {
        try BoxRanges.first("moof", in: file) != nil || BoxRanges.first("mdat", in: file) != nil
    }

    /// Decrypts a file.
    ///
    /// - Parameters:
    ///   - input: the file, or a segment of one.
    ///   - initialization: the `moov` box of the segment's initialization segment; not required for a file with a
    ///     `moov` box.
    ///   - output: memory of the size of `input`.
    /// - Returns: the result for each encrypted track; empty if nothing is encrypted.
    /// - Throws: ``DecryptionError`` or `ParseError`.
    package func decrypt(
        _ input: RawSpan,
        initialization: Movie? = nil,
        into output: inout MutableRawSpan
    ) throws -> [DecryptedTrack] {
        precondition(input.byteCount == output.byteCount, "the output must have the size of the input")
        let hasMovieBox = try Self.hasMovie(input)
        guard let movie = try hasMovieBox ? Self.movie(of: input) : initialization else {
            throw DecryptionError(
                .missingInitialization,
                "media segment",
                "it has no moov box; its initialization segment is required"
            )
        }
        // A key is required only for encrypted samples: an initialization segment has none, and neither have the first
        // segments of a presentation with a clear lead.
        let tracks = try movie.tracks.filter { try Self.isProtected($0) }
        copy(input, to: &output)
        try ProtectionEraser(tracks: Set(tracks.map(\.id))).erase(input, in: &output)
        var reports: [DecryptedTrack] = []
        for track in tracks {
            var decryptor = MP4TrackDecryptor(track, keys: keys, byteCount: input.byteCount)
            if hasMovieBox, var table = SampleTableCursor(track) {
                while let sample = try table.next(input) { try decryptor.add(sample, of: input, in: &output) }
            }
            // The cursor searches all boxes of the input for fragments, from the first box at offset 0.
            var fragments = FragmentCursor(track, from: 0)
            while let sample = try fragments.next(input) { try decryptor.add(sample, of: input, in: &output) }
            try decryptor.flush(&output)
            reports.append(decryptor.report)
        }
        return reports
    }

    /// Returns whether a movie has a track with encrypted samples.
    ///
    /// - Throws: ``DecryptionError`` if the encryption scheme of a track is not supported.
    package static func isProtected(_ movie: Movie) throws -> Bool { try movie.tracks.contains(where: isProtected) }

    private static func isProtected(_ track: Track) throws -> Bool {
        let protected = track.descriptions.filter { entry in
            !entry.protections.isEmpty || ["encv", "enca", "enct", "encs", "drms", "drmi"].contains(entry.format)
        }
        for entry in protected where entry.commonEncryption == nil {
            let scheme = entry.protections.first?.schemeType.map { "the scheme \($0)" } ?? "an unknown scheme"
            throw DecryptionError(
                .notSupported,
                "track \(track.id)",
                "it is protected by \(scheme); the supported schemes are cbcs, cenc, cens and cbc1"
            )
        }
        return !protected.isEmpty
    }

    private func copy(_ input: RawSpan, to output: inout MutableRawSpan) {
        output.withUnsafeMutableBytes { output in input.withUnsafeBytes { output.copyMemory(from: $0) } }
    }
}
