import ByteCoding
import FPSCrypto
import HLSPlaylist
import MediaDecryption
import MediaFormats
import SampleEncryption

/// Opens the Partial Segments of a watched playlist one by one, each with the key that applies to it alone.
///
/// A decoder can judge pictures only from a key frame on, so the decrypted pictures of the open segment are kept.
struct PartDecryption: Sendable {
    /// A loaded Partial Segment with the tags that apply to it.
    struct Input {
        var part: SegmentTracker.Part
        var bytes: [UInt8]
        /// The init segment.
        var initialization: [UInt8]
        /// False if the decoder must not be used, because the watch would become late.
        var mayDecode: Bool
    }

    /// The verdicts about a Partial Segment.
    struct Output {
        var decryptions: [MeasuredDecryption] = []
        /// The reason why the key is not available; nil unless it was requested for this part.
        var failure: (key: MeasuredKey.ID, reason: String)?
    }

    /// The decrypted pictures of a track of the open segment.
    private struct Pictures {
        var sequence: UInt64
        var stream: [UInt8]
    }

    let source: any ValidationKeySource
    let decoder: (any ExternalDecoder)?
    /// The resolved URI of the playlist.
    let playlist: String

    /// The keys that were requested, in the order of their first use, and the segment in which that was.
    private var keys: [(key: MeasuredKey, sequence: UInt64)] = []
    private var initialization: [UInt8] = []
    private var movie: Movie?
    private var pictures: [UInt32: Pictures] = [:]
    /// The tracks of which the decoder has found errors with a wrong key.
    private var trusted: Set<UInt32> = []

    /// The maximum number of keys that are kept, and of decrypted bytes of a track.
    private static let (keyCount, pictureBytes) = (64, 4 << 20)

    init(_ source: any ValidationKeySource, _ decoder: (any ExternalDecoder)?, playlist: String) {
        (self.source, self.decoder, self.playlist) = (source, decoder, playlist)
    }

    /// Opens the tracks of a Partial Segment.
    mutating func open(_ input: Input) async -> Output {
        var output = Output()
        guard let tag = PresentationKeys.tag(of: input.part.keys, source), !input.part.isSealed,
            let movie = movie(input.initialization)
        else { return output }
        let excerpts = EncryptedExcerpt.excerpts(of: input.bytes.span.bytes, movie: movie, isTruncated: false)
        for excerpt in excerpts where !excerpt.samples.isEmpty {
            let id = MeasuredKey.ID(tag, playlist: playlist, keyID: excerpt.keyID)
            let isNew = !keys.contains { $0.key.id == id }
            let own = await key(id, tag, excerpt.keyID, input.part.sequence)
            if isNew, let reason = own.grants.first?.license.failure { output.failure = (id, reason) }
            if let found = await open(excerpt, own, tag, input) { output.decryptions.append(found) }
        }
        return output
    }

    private mutating func open(
        _ excerpt: EncryptedExcerpt,
        _ own: MeasuredKey,
        _ tag: KeyTag,
        _ input: Input
    ) async -> MeasuredDecryption? {
        let sequence = input.part.sequence
        let delivered = RenditionDecryption.delivered(own, tag, sequence)
        var judge = ExcerptJudge(excerpt: excerpt, decoder: input.mayDecode ? decoder : nil)
        if let known = pictures[excerpt.track], known.sequence == sequence, !excerpt.startsAtKeyFrame {
            judge.precedingPictures = known.stream
        }
        judge.trustsDecoder = trusted.contains(excerpt.track)
        let judged = await judge.judge(
            key: own.value,
            delivered: delivered,
            vectors: RenditionDecryption.vectors(own, tag, sequence, except: excerpt.mediaIV ?? delivered),
            candidates: candidates(own, tag, sequence)
        )
        if judge.trustsDecoder { trusted.insert(excerpt.track) }
        keep(excerpt, opened: judged?.verdict == .opened, own, delivered, judge.precedingPictures, sequence)
        guard let judged else { return nil }
        var result = MeasuredDecryption(
            track: excerpt.track,
            kind: excerpt.kind,
            key: own.id,
            verdict: judged.verdict,
            frameCount: judged.frameCount,
            evidence: judged.evidence
        )
        (result.opensWith, result.opensWithIV) = (judged.opensWith, judged.opensWithIV)
        if let media = excerpt.mediaIV, excerpt.hasConstantIV, let given = own.license?.iv, tag.keyFormat == .fairPlay {
            result.hasDifferentVectors = media.paddedWithZeros.bytes != given
        }
        return result
    }

    /// Keeps the decrypted pictures of a Partial Segment for the next one.
    private mutating func keep(
        _ excerpt: EncryptedExcerpt,
        opened: Bool,
        _ own: MeasuredKey,
        _ delivered: CipherIV?,
        _ preceding: [UInt8],
        _ sequence: UInt64
    ) {
        pictures[excerpt.track] = nil
        guard opened, !excerpt.isCutOff, excerpt.format == .h264 || excerpt.format == .hevc, let key = own.value,
            let frames = excerpt.decrypted(key: key, iv: excerpt.mediaIV == nil ? delivered : nil)
        else { return }
        let stream = preceding + ExcerptJudge.byteStream(frames.flatMap(\.self))
        guard stream.count <= Self.pictureBytes else { return }
        pictures[excerpt.track] = Pictures(sequence: sequence, stream: stream)
    }

    private mutating func movie(_ bytes: [UInt8]) -> Movie? {
        if bytes != initialization || movie == nil {
            (initialization, pictures) = (bytes, [:])
            movie = bytes.isEmpty ? nil : try? MP4Decryptor.movie(of: bytes.span.bytes)
        }
        return movie
    }

    // MARK: Keys

    /// Returns a key, which is requested once.
    private mutating func key(
        _ id: MeasuredKey.ID,
        _ tag: KeyTag,
        _ keyID: KeyID?,
        _ sequence: UInt64
    ) async -> MeasuredKey {
        if let known = keys.first(where: { $0.key.id == id }) { return known.key }
        let keyIDs = keyID.map { [$0] } ?? []
        let deviceClass = tag.keyFormat == .fairPlay ? source.deviceClasses.first : nil
        let request = ValidationKeyRequest(tag: tag, playlist: playlist, keyIDs: keyIDs, deviceClass: deviceClass)
        let grant = MeasuredKey.Grant(deviceClass: deviceClass, license: await source.license(for: request))
        let key = MeasuredKey(
            id: id,
            tag: tag,
            place: .init(playlist),
            isAhead: false,
            keyIDs: keyIDs,
            grants: [grant]
        )
        keys.append((key, sequence))
        if keys.count > Self.keyCount { keys.removeFirst(Self.keyCount / 2) }
        return key
    }

    /// Returns the other keys to try: those of earlier periods, the last one first.
    private func candidates(_ own: MeasuredKey, _ tag: KeyTag, _ sequence: UInt64) -> [ExcerptJudge.Candidate] {
        let start = keys.first { $0.key.id == own.id }?.sequence ?? sequence
        let earlier = keys.reversed().filter { $0.key.id != own.id && $0.key.value != nil && $0.key.value != own.value }
        return earlier.prefix(4).enumerated().compactMap { index, other in
            guard let value = other.key.value else { return nil }
            let distance = Int(clamping: sequence - min(start, sequence)) + 1
            return ExcerptJudge.Candidate(
                key: value,
                iv: RenditionDecryption.delivered(other.key, tag, sequence)
                    ?? RenditionDecryption.delivered(own, tag, sequence),
                reason: index == 0 && other.sequence < start
                    ? .neighbor(isBefore: true, distance: distance) : .other(uri: other.key.id.printedURI)
            )
        }
    }
}
