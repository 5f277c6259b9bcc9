import ByteCoding
import MediaFormats

/// A way to signal how samples are encrypted.
private struct Protection {
    let encryption: FragmentWriter.Encryption
    let scheme: FourCC
    let box: TrackEncryptionBox
    /// The number of subsamples of each sample.
    let subsamples: Int

    /// Returns one of all combinations, selected by a number from the input.
    init(_ number: Int) {
        let key = Array<UInt8>(1...16)
        let constant = Array<UInt8>(17...32)
        subsamples = [1, 3, 50][number / 8 % 3]
        switch number % 4 {
        case 0, 1:
            encryption = number % 4 == 0 ? .subsamples : .wholeSamples
            scheme = "cbcs"
            let skip: UInt8 = number % 4 == 0 ? 9 : 0
            box = TrackEncryptionBox(cryptByteBlock: 1, skipByteBlock: skip, keyID: key, constantIV: constant)
        default:
            encryption = number % 4 == 2 ? .vectors : .vectorsAndSubsamples
            scheme = "cenc"
            let size: UInt8 = number / 4 % 2 == 0 ? 8 : 16
            box = TrackEncryptionBox(cryptByteBlock: 0, skipByteBlock: 0, perSampleIVSize: size, keyID: key)
        }
    }

    var hasSubsamples: Bool { encryption == .subsamples || encryption == .vectorsAndSubsamples }

    /// Returns alternating clear and protected ranges; none for a sample without bytes.
    func entries(_ size: Int) -> [SampleEncryptionBox.Subsample] {
        guard hasSubsamples else { return [] }
        var entries: [SampleEncryptionBox.Subsample] = []
        var left = size
        for _ in 1..<subsamples where left > 0 {
            let clear = min(left, 5)
            let protected = min(left - clear, 16)
            entries.append(.init(clear: UInt16(clear), protected: UInt32(protected)))
            left -= clear + protected
        }
        if left > 0 {
            let clear = min(left, 0xFFFF)
            entries.append(.init(clear: UInt16(clear), protected: UInt32(left - clear)))
        }
        return entries
    }

    func vector(_ index: Int) -> SampleIV {
        let bytes = (0..<Int(box.perSampleIVSize)).map { UInt8(truncatingIfNeeded: index &* 31 &+ $0) }
        return SampleIV(bytes) ?? .none
    }
}

/// Checks that a segment that signals the encryption of its samples is parsed accordingly, and that the verifier
/// accepts it.
func checkEncryptedSegment(_ track: Track, _ samples: [Sample], _ movie: Movie, _ input: [UInt8]) {
    // Entries of unknown types are stored as bytes, and contain no protection information.
    for entry in track.descriptions {
        if case .visual = entry.fields {} else if case .audio = entry.fields {} else { return }
    }
    let protection = Protection(input.reduce(5) { ($0 &* 31 &+ Int($1)) & 0xFFFF })
    var encrypted = track
    for index in encrypted.descriptions.indices {
        encrypted.descriptions[index] = written(track.descriptions[index].unprotected())
            .protected(scheme: protection.scheme, trackEncryption: protection.box)
    }
    let description = samples.first?.descriptionIndex ?? 1
    var fragment = FragmentWriter(
        trackID: track.id,
        sampleDescriptionIndex: description,
        encryption: protection.encryption
    )
    var media: [UInt8] = []
    for (index, sample) in samples.enumerated() {
        let listed = FragmentSample(size: UInt32(sample.size), duration: sample.duration)
        fragment.append(listed, iv: protection.vector(index), subsamples: protection.entries(sample.size))
        media += input[sample.range]
    }
    precondition(fragment.count == samples.count)
    let initialization = protectedInitSegment(encrypted, movie)
    var writer = BoxWriter()
    fragment.finish(sequenceNumber: 1, decodeTime: 0, to: &writer)
    let segment = writer.bytes + media
    var verifier = MP4Verifier()
    verifier.add(initialization.span.bytes)
    verifier.add(segment.span.bytes)
    precondition(verifier.findings.isEmpty, "\(verifier.findings)")
    checkReading(initialization + segment, samples, protection)
}

private func protectedInitSegment(_ track: Track, _ movie: Movie) -> [UInt8] {
    InitializationSegment(
        fileType: .cmafHeader(kind: track.kind, hasEditList: false, isSingleFile: true),
        tracks: [
            InitializationSegment.Track(
                id: track.id,
                kind: track.kind,
                timescale: track.timescale,
                descriptions: track.descriptions
            )
        ],
        protectionSystemHeaders: movie.protectionSystemHeaders
    ).bytes
}

private func checkReading(_ bytes: [UInt8], _ samples: [Sample], _ protection: Protection) {
    let file = bytes.span.bytes
    do throws(ParseError) {
        var cursor = try MovieFile(reading: file).samples()
        for (index, sample) in samples.enumerated() {
            guard let again = try cursor.next(file), let own = again.protection else {
                preconditionFailure("a sample is missing or not encrypted")
            }
            precondition(again.size == sample.size && own.scheme == protection.scheme)
            precondition(own.keyID.bytes == protection.box.keyID)
            let vector = protection.box.constantIV
            precondition(own.iv == (vector.isEmpty ? protection.vector(index) : SampleIV(vector)))
            precondition(own.subsamples.entries(in: file) == protection.entries(sample.size))
        }
    } catch {
        preconditionFailure("a segment that was written cannot be parsed: \(error)")
    }
}
