package import ByteCoding
package import MediaFormats

/// A track of an MP4 file with statistics about its samples.
package struct MP4TrackSummary: Sendable {
    /// The encryption of the samples. Constant initialization vectors are not included: with FairPlay they are as
    /// secret as keys.
    package struct Encryption: Sendable {
        /// The scheme, such as `cbcs` or `cenc`; nil if the `sinf` box does not specify one.
        package var scheme: FourCC?
        /// The default key ID of the `tenc` box, if any.
        package var keyID: KeyID?
        /// The encrypted and the skipped blocks of 16 bytes in a pattern; nil if all blocks are encrypted.
        package var pattern: (crypt: UInt8, skip: UInt8)?
        /// The size in bytes of each sample's initialization vector; 0 if samples have none.
        package var perSampleIVSize: UInt8 = 0
        /// The size in bytes of the constant initialization vector; 0 if there is none.
        package var constantIVSize = 0
        /// The key IDs that samples use, in order of appearance; at most 16.
        package var keyIDs: [KeyID] = []
        /// The number of encrypted samples.
        package var sampleCount = 0
    }

    /// The parsed track.
    package let track: Track
    /// The elements of the CODECS attribute, one for each sample description, without duplicates.
    package private(set) var codecs: [String] = []
    /// The number of samples.
    package private(set) var sampleCount = 0
    /// The number of sync samples.
    package private(set) var syncCount = 0
    /// The total size of the samples in bytes.
    package private(set) var byteCount = 0
    /// The total duration of the samples, in the media timescale.
    package private(set) var duration: UInt64 = 0
    /// The encryption; nil if no sample description is protected.
    package private(set) var encryption: Encryption?
    /// The error that stopped the counting; nil if all samples were counted.
    package private(set) var problem: ParseError?

    /// Counts the samples of a track.
    ///
    /// - Parameters:
    ///   - track: The track.
    ///   - file: The file that contains the track and its samples.
    ///   - isSegment: Whether the track comes from a separate init segment, so that its sample table does not apply to
    ///     the file.
    package init(_ track: Track, in file: RawSpan, isSegment: Bool = false) {
        self.track = track
        for entry in track.descriptions {
            let codec = entry.codecs
            if !codecs.contains(codec) { codecs.append(codec) }
            if encryption == nil, let protection = entry.protections.first { encryption = Self.encryption(protection) }
        }
        do throws(ParseError) {
            if !isSegment, var table = SampleTableCursor(track) {
                while let sample = try table.next(file) { try count(sample, file) }
            }
            var fragments = FragmentCursor(track, from: 0)
            while let sample = try fragments.next(file) { try count(sample, file) }
        } catch {
            problem = error
        }
    }

    /// The duration in seconds.
    package var seconds: Double { track.timescale > 0 ? Double(duration) / Double(track.timescale) : 0 }

    private mutating func count(_ sample: Sample, _ file: RawSpan) throws(ParseError) {
        sampleCount += 1
        if sample.isSync { syncCount += 1 }
        byteCount += sample.size
        duration = duration &+ UInt64(sample.duration)
        guard sample.offset <= file.byteCount, sample.size <= file.byteCount - sample.offset else {
            throw ParseError(
                .truncated,
                reading: "sample \(sampleCount) of track \(track.id)",
                offset: sample.offset,
                reason: "its \(sample.size) bytes end after the end of the file (\(file.byteCount) bytes)"
            )
        }
        guard byteCount <= file.byteCount else {
            throw ParseError(
                .invalidValue,
                reading: "sample \(sampleCount) of track \(track.id)",
                offset: sample.offset,
                reason: "the samples of the track are larger than the file"
            )
        }
        guard let protection = sample.protection else { return }
        if encryption == nil { encryption = Encryption() }
        encryption?.sampleCount += 1
        guard let known = encryption?.keyIDs, known.count < 16, known.last != protection.keyID else { return }
        if !known.contains(protection.keyID) { encryption?.keyIDs.append(protection.keyID) }
    }

    private static func encryption(_ protection: ProtectionSchemeInfoBox) -> Encryption {
        var encryption = Encryption(scheme: protection.schemeType)
        guard let track = protection.trackEncryption else { return encryption }
        encryption.keyID = KeyID(track.keyID)
        if track.cryptByteBlock > 0 || track.skipByteBlock > 0 {
            encryption.pattern = (track.cryptByteBlock, track.skipByteBlock)
        }
        encryption.perSampleIVSize = track.perSampleIVSize
        encryption.constantIVSize = track.constantIV.count
        return encryption
    }
}
