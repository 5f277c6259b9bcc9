import ByteCoding
import MediaFormats
import SampleEncryption

extension EncryptedExcerpt {
    /// Returns the excerpts of the encrypted tracks of an MP4 segment.
    ///
    /// - Parameter isTruncated: Whether the end of the segment may be missing.
    static func excerpts(of segment: RawSpan, movie: Movie, isTruncated: Bool) -> [EncryptedExcerpt] {
        movie.tracks.compactMap { excerpt(of: segment, $0, isTruncated: isTruncated) }
    }

    private static func excerpt(of segment: RawSpan, _ track: Track, isTruncated: Bool) -> EncryptedExcerpt? {
        guard track.kind == "vide" || track.kind == "soun" else { return nil }
        var cursor = FragmentCursor(track, from: 0, endsAtMissingTail: isTruncated)
        var excerpt: EncryptedExcerpt?
        while let sample = (try? cursor.next(segment)) ?? nil {
            guard sample.offset >= 0, sample.size > 0, sample.size <= segment.byteCount - sample.offset else { break }
            guard let protection = sample.protection else {
                if excerpt == nil { continue } else { break }
            }
            let index = Int(sample.descriptionIndex) - 1
            guard track.descriptions.indices.contains(index) else { break }
            if excerpt == nil { excerpt = EncryptedExcerpt(track, track.descriptions[index], protection, sample) }
            // One excerpt has one key.
            guard excerpt?.keyID == protection.keyID, excerpt?.isFull(adding: sample.size) == false else {
                excerpt?.isCutOff = true
                break
            }
            excerpt?.append(sample, protection, segment)
        }
        return excerpt
    }

    private init?(_ track: Track, _ entry: SampleEntry, _ protection: SampleProtection, _ first: MediaFormats.Sample) {
        guard let scheme = ProtectionScheme(protection) else { return nil }
        self.init(kind: track.kind == "vide" ? .video : .audio, format: .other, scheme: .common(scheme))
        self.track = track.id
        keyID = protection.keyID
        startsAtKeyFrame = first.isSync
        switch entry.originalFormat {
        case "avc1", "avc3":
            guard let box = try? entry.boxes.first("avcC")?.parse(as: AVCConfigurationBox.self) else { return }
            format = .h264
            lengthSize = box.lengthSize
            parameterSets = box.sequenceParameterSets + box.pictureParameterSets
        case "hvc1", "hev1", "dvh1", "dvhe":
            guard let box = try? entry.boxes.first("hvcC")?.parse(as: HEVCConfigurationBox.self) else { return }
            format = .hevc
            lengthSize = box.lengthSize
            parameterSets =
                box.units(.videoParameterSet) + box.units(.sequenceParameterSet) + box.units(.pictureParameterSet)
        case "mp4a":
            guard let config = (try? entry.audioSpecificConfig()) ?? nil,
                let index = config.samplingFrequency.tableIndex,
                let syntax = AACBlockSyntax(
                    objectType: config.objectType.rawValue,
                    frequencyIndex: index,
                    channelConfiguration: config.channelConfiguration
                )
            else { return }
            format = .aac(syntax)
        case "ac-3", "ec-3": format = .ac3
        default: break
        }
    }

    /// Returns whether a sample of a size exceeds the limits. The first sample never does, up to the limit of bytes.
    private func isFull(adding size: Int) -> Bool {
        let isVideo = kind == .video
        let count = isVideo ? Limit.pictures : Limit.audioFrames
        return samples.count >= count || bytes.count + size > (isVideo ? Limit.pictureBytes : Limit.audioBytes)
    }

    private mutating func append(_ sample: MediaFormats.Sample, _ protection: SampleProtection, _ segment: RawSpan) {
        let start = bytes.count
        segment.extracting(sample.range).withUnsafeBytes { bytes.append(contentsOf: $0) }
        let subsamples = protection.subsamples.entries(in: segment).map {
            Subsample(clear: Int($0.clear), protected: Int($0.protected))
        }
        samples.append(
            Sample(range: start..<bytes.count, subsamples: subsamples, iv: try? CipherIV(protection.iv.bytes))
        )
    }
}

extension ProtectionScheme {
    /// Creates the scheme of a sample; nil for an invalid pattern.
    fileprivate init?(_ protection: SampleProtection) {
        let pattern = try? EncryptionPattern(
            cryptBlocks: Int(protection.cryptByteBlock),
            skipBlocks: Int(protection.skipByteBlock)
        )
        switch protection.scheme {
        case "cbcs":
            guard let pattern else { return nil }
            self = .cbcs(pattern)
        case "cens":
            guard let pattern else { return nil }
            self = .cens(pattern)
        case "cbc1": self = .cbc1
        case "cenc": self = .cenc
        default: return nil
        }
    }
}
