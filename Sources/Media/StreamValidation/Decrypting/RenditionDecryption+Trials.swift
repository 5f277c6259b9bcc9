import HLSPlaylist
import MediaFormats
import SampleEncryption

extension RenditionDecryption {
    /// The maximum number of other keys that are tried on a segment, without those that anyone can guess.
    private static let candidateCount = 16

    /// Returns the vector for media that contain none: that of the tag, or that of the key response.
    static func delivered(_ key: MeasuredKey?, _ tag: KeyTag, _ sequence: UInt64) -> CipherIV? {
        if let iv = tag.initializationVector(mediaSequenceNumber: sequence) { return try? CipherIV(iv.bytes) }
        return key?.license?.iv.flatMap { try? CipherIV($0) }
    }

    /// Returns the other vectors that a packager could have used.
    static func vectors(
        _ key: MeasuredKey?,
        _ tag: KeyTag,
        _ sequence: UInt64,
        except used: CipherIV?
    ) -> [ExcerptJudge.Vector] {
        var result: [ExcerptJudge.Vector] = []
        func add(_ source: String, _ iv: CipherIV?) {
            guard let iv, iv.count == 16, iv != used, !result.contains(where: { $0.iv == iv }) else { return }
            result.append(.init(source: source, iv: iv))
        }
        add("the vector of the key response", key?.license?.iv.flatMap { try? CipherIV($0) })
        add("the IV attribute of EXT-X-KEY", tag.iv.flatMap { try? CipherIV($0.bytes) })
        add("the Media Sequence Number", CipherIV(mediaSequenceNumber: sequence))
        add("a vector of zeros", CipherIV(mediaSequenceNumber: 0))
        return result
    }

    /// Returns the other keys to try: those of the periods before and after, those of other tracks and keys that anyone can
    /// guess.
    func candidates(_ own: MeasuredKey?, _ place: SegmentPlace, _ sequence: UInt64) -> [ExcerptJudge.Candidate] {
        var result: [ExcerptJudge.Candidate] = []
        var known: Set<MeasuredKey.ID> = own.map { [$0.id] } ?? []
        func add(_ other: MeasuredKey?, _ reason: MeasuredDecryption.OtherKey) {
            guard let other, let value = other.value, value != own?.value, known.insert(other.id).inserted else {
                return
            }
            let iv = Self.delivered(other, place.tag, sequence) ?? Self.delivered(own, place.tag, sequence)
            result.append(.init(key: value, iv: iv, reason: reason))
        }
        add(place.before, .neighbor(isBefore: true, distance: place.index - place.range.lowerBound + 1))
        add(place.after, .neighbor(isBefore: false, distance: place.range.upperBound - place.index))
        guard place.triesAllKeys else { return result }
        for other in keys where result.count < Self.candidateCount { add(other, .other(uri: other.id.printedURI)) }
        let iv = Self.delivered(own, place.tag, sequence)
        for weak in WeakKeys.candidates(keyIDs: own?.keyIDs ?? []) {
            result.append(.init(key: weak.key, iv: iv, reason: .weak(weak.description)))
        }
        return result
    }
}
