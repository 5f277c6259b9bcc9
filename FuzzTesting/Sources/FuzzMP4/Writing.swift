import ByteCoding
import MediaFormats

/// Writes each track as an init segment and a media segment, and checks that they have the track's content.
func checkWriting(_ input: [UInt8], _ contents: FileContents) {
    for (track, samples) in zip(contents.movie.tracks, contents.samples) {
        checkDescriptions(track)
        checkConfigurations(track)
        checkTiming(track, contents.movie)
        let initialization = initSegment(track, contents.movie)
        // A track without a sample description has no samples.
        guard !track.descriptions.isEmpty else { continue }
        // A segment has samples of one description, and their decode times are contiguous.
        let first = samples.first?.descriptionIndex ?? 1
        let segment = Array(samples.prefix { $0.descriptionIndex == first })
        checkSegment(track, segment, initialization, input)
        checkEncryptedSegment(track, segment, contents.movie, input)
    }
}

/// Checks that sample descriptions are written as parsed, with protection, and that protecting and unprotecting are
/// inverse.
private func checkDescriptions(_ track: Track) {
    let box = SampleDescriptionBox(entries: track.descriptions)
    let again = reread(box, track.kind)
    precondition(again.entries == box.entries.map(written), "\(again)\n\(box)")
    precondition(reread(again, track.kind) == again)
    let key = TrackEncryptionBox(cryptByteBlock: 1, skipByteBlock: 9, keyID: Array(1...16), constantIV: Array(1...16))
    for entry in box.entries {
        let clear = entry.unprotected()
        let protected = clear.protected(scheme: "cbcs", trackEncryption: key)
        precondition(protected.unprotected() == clear)
        precondition(protected.commonEncryption?.trackEncryption == key && protected.originalFormat == clear.format)
    }
}

private func reread(_ box: SampleDescriptionBox, _ kind: FourCC) -> SampleDescriptionBox {
    var writer = BoxWriter()
    box.write(to: &writer)
    do throws(ParseError) {
        var reader = ByteReader(writer.bytes.span.bytes.extracting(8..<writer.count))
        let again = try SampleDescriptionBox(reading: &reader, handler: kind)
        try reader.finish("stsd box")
        return again
    } catch {
        preconditionFailure("a stsd box that was written cannot be parsed: \(error)")
    }
}

/// The fields of an audio entry have 16 bits for channels and 32 for the rate; QuickTime has more.
func written(_ entry: SampleEntry) -> SampleEntry {
    guard case .audio(var fields) = entry.fields else { return entry }
    fields.channelCount = UInt32(UInt16(clamping: fields.channelCount))
    fields.sampleRate = fields.sampleRate < 65536 ? (fields.sampleRate * 65536).rounded(.down) / 65536 : 0
    var written = entry
    written.fields = .audio(fields)
    return written
}

/// Checks that an edit list made of a track's timing means the same, except for rounding down to the movie's timescale.
private func checkTiming(_ track: Track, _ movie: Movie) {
    try? track.requireSelfContained()
    guard let timing = try? track.timing() else { return }
    let scale = movie.header.timescale
    for isFragmented in [false, true] {
        let list = timing.editList(movieTimescale: scale, isFragmented: isFragmented)
        let again = try? TrackTiming(
            editList: list,
            trackID: track.id,
            movieTimescale: scale,
            timescale: timing.timescale
        )
        // Without a timescale there are no timestamps.
        guard let again else { return precondition(scale == 0 || timing.timescale == 0) }
        precondition(again.mediaTime == timing.mediaTime && again.delay <= timing.delay)
        precondition(isFragmented || again.movieDuration == timing.movieDuration)
    }
}

func initSegment(_ track: Track, _ movie: Movie) -> [UInt8] {
    let segment = InitializationSegment(
        fileType: .cmafHeader(kind: track.kind, hasEditList: track.editList != nil),
        timescale: movie.header.timescale,
        duration: movie.fragmentDuration,
        tracks: [
            InitializationSegment.Track(
                id: track.id,
                kind: track.kind,
                name: track.handler.name,
                timescale: track.timescale,
                language: track.mediaHeader.language,
                extendedLanguage: track.extendedLanguage,
                width: track.header.width,
                height: track.header.height,
                descriptions: track.descriptions.map { $0.unprotected() },
                editList: track.editList
            )
        ],
        protectionSystemHeaders: movie.protectionSystemHeaders
    )
    let bytes = segment.bytes
    do throws(ParseError) {
        let again = try MovieFile(reading: bytes.span.bytes).movie
        precondition(
            again.header.timescale == movie.header.timescale && again.fragmentDuration == movie.fragmentDuration
        )
        precondition(again.protectionSystemHeaders == movie.protectionSystemHeaders)
        precondition(again.tracks.count == 1 && again.isFragmented)
        let same = again.tracks[0]
        precondition(same.id == track.id && same.kind == track.kind && same.handler == track.handler)
        precondition(same.timescale == track.timescale && same.language == track.language)
        precondition(same.editList == track.editList)
        precondition(same.descriptions == track.descriptions.map { written($0.unprotected()) })
        if let timing = try? track.timing() {
            let again = try same.timing()
            precondition(again == timing)
            let shifted = FragmentTiming(timing, kind: track.kind, firstCompositionOffset: 1001)
            precondition(shifted.compositionShift <= 0)
        }
    } catch {
        preconditionFailure("an init segment that was written cannot be parsed: \(error)")
    }
    return bytes
}

private func checkSegment(_ track: Track, _ samples: [Sample], _ initialization: [UInt8], _ input: [UInt8]) {
    var fragment = FragmentWriter(trackID: track.id, sampleDescriptionIndex: samples.first?.descriptionIndex ?? 1)
    var media: [UInt8] = []
    for sample in samples {
        fragment.append(
            FragmentSample(
                size: UInt32(sample.size),
                duration: sample.duration,
                compositionOffset: sample.compositionOffset,
                flags: sample.isSync ? .sync : .nonSync
            )
        )
        media += input[sample.range]
    }
    let start = min(samples.first?.decodeTime ?? 0, 1 << 60)
    var writer = BoxWriter()
    fragment.finish(sequenceNumber: 1, decodeTime: start, to: &writer)
    let segment = writer.bytes + media
    var verifier = MP4Verifier()
    verifier.add(initialization.span.bytes)
    verifier.add(segment.span.bytes)
    precondition(verifier.findings.isEmpty, "\(verifier.findings)")

    let bytes = initialization + segment
    let file = bytes.span.bytes
    do throws(ParseError) {
        var cursor = try MovieFile(reading: file).samples()
        var time = start
        for sample in samples {
            guard let again = try cursor.next(file) else { preconditionFailure("a sample is missing") }
            precondition(again.size == sample.size && again.duration == sample.duration && again.decodeTime == time)
            precondition(again.compositionOffset == sample.compositionOffset && again.isSync == sample.isSync)
            precondition(again.descriptionIndex == sample.descriptionIndex && again.protection == nil)
            precondition(bytes[again.range] == input[sample.range])
            time += UInt64(sample.duration)
        }
        let end = try cursor.next(file)
        precondition(end == nil)
    } catch {
        preconditionFailure("a segment that was written cannot be parsed: \(error)")
    }
}
