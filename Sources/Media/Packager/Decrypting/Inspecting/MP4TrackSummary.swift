package import ByteCoding
package import MediaFormats

/// What a track of an MP4 file is, its samples counted.
package struct MP4TrackSummary: Sendable {
    /// How samples are encrypted. Constant vectors are not in it: with FairPlay they are as secret as keys.
    package struct Encryption: Sendable {
        /// `cbcs`, `cenc` ...; nil when a `sinf` box does not say.
        package var scheme: FourCC?
        /// What `tenc` says; nil when there is none.
        package var keyID: KeyID?
        /// How many blocks of 16 bytes are encrypted of how many; nil: all.
        package var pattern: (crypt: UInt8, skip: UInt8)?
        /// Bytes of each sample's own vector; 0: it has none.
        package var perSampleIVSize: UInt8 = 0
        /// Bytes of the vector that all samples share; 0: there is none.
        package var constantIVSize = 0
        /// The key IDs that samples really have, in the order in which they come; 16 at most.
        package var keyIDs: [KeyID] = []
        /// How many samples are encrypted.
        package var sampleCount = 0
    }

    /// The track as it was read.
    package let track: Track
    /// The elements of a CODECS attribute, one for each sample description; those that are equal once.
    package private(set) var codecs: [String] = []
    /// How many samples there are.
    package private(set) var sampleCount = 0
    /// How many sync samples there are.
    package private(set) var syncCount = 0
    /// How many bytes the samples have.
    package private(set) var byteCount = 0
    /// The sum of the samples' durations, in the timescale of the media.
    package private(set) var duration: UInt64 = 0
    /// Nil when no sample description is protected.
    package private(set) var encryption: Encryption?
    /// Why samples could not be counted to the end.
    package private(set) var problem: ParseError?

    /// Counts the samples of a track.
    ///
    /// - Parameters:
    ///   - track: The track.
    ///   - file: The file in which it and its samples lie.
    ///   - isSegment: Whether the track comes from an init segment elsewhere, so that its tables do not lie in the file.
    package init(_ track: Track, in file: RawSpan, isSegment: Bool = false) {
        self.track = track
        for entry in track.descriptions {
            let codec = Self.codec(entry)
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

    /// How long it is, in seconds.
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
                reason: "its \(sample.size) bytes do not lie in the file, which has \(file.byteCount)"
            )
        }
        guard byteCount <= file.byteCount else {
            throw ParseError(
                .invalidValue,
                reading: "sample \(sampleCount) of track \(track.id)",
                offset: sample.offset,
                reason: "the track's samples take more bytes than the file has"
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

    /// The element of a CODECS attribute; the format alone where nothing more is known.
    private static func codec(_ entry: SampleEntry) -> String {
        let format = entry.originalFormat
        var codec: String?
        switch format {
        case "avc1", "avc3":
            let box = try? entry.boxes.first("avcC")?.parse(as: AVCConfigurationBox.self)
            codec = box?.codecs(sampleEntry: format)
        case "hvc1", "hev1":
            let box = try? entry.boxes.first("hvcC")?.parse(as: HEVCConfigurationBox.self)
            codec = box?.profileTierLevel.codecs(sampleEntry: format)
        case "mp4a": codec = try? entry.elementaryStreamDescriptor()?.codecs()
        default: break
        }
        return codec ?? format.description
    }
}
