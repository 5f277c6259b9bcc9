/// A Representation of a Period, for the comparison of two versions of a manifest.
struct ReloadTrack {
    /// The identity of the Representation in both versions.
    struct Key: Hashable {
        var period: String
        var representation: String
    }

    /// The properties that must not change. The bandwidth and the ids of AdaptationSets may change.
    struct Invariants: Hashable {
        var mimeType: String?
        var codecs: String?
        var language: String?
        var keyIDs: Set<String>
        var timescale: UInt32?
        var offset: UInt64?
        var initialization: String?
        var media: String?
    }

    let key: Key
    let location: String
    let invariants: Invariants
    let template: SegmentTemplate?
    /// The start time of the Period; nil when it is unknown.
    let start: ManifestDuration?

    /// True if the last segment may be listed before it is complete, when its duration is not final.
    var hasIncompleteSegment: Bool { template?.availabilityTimeComplete == false }

    /// Returns the Representations of a manifest in Periods with an id.
    static func all(_ manifest: MPD) -> [ReloadTrack] {
        let starts = Dictionary(manifest.namedStarts, uniquingKeysWith: { first, _ in first })
        return manifest.representations.compactMap { subject in
            subject.period.id.map { ReloadTrack(subject, period: $0, start: starts[$0]) }
        }
    }

    /// Returns the Representations by key. If several have the same key, the first one is used.
    static func byKey(_ manifest: MPD) -> [Key: ReloadTrack] {
        Dictionary(all(manifest).map { ($0.key, $0) }, uniquingKeysWith: { first, _ in first })
    }

    private init(_ subject: RepresentationSubject, period: String, start: ManifestDuration?) {
        let representation = subject.representation
        key = Key(period: period, representation: representation.id)
        location = subject.location
        template = subject.template
        let protections = subject.set.protections + representation.protections
        invariants = Invariants(
            mimeType: subject.mimeType,
            codecs: subject.codecs,
            language: subject.set.language,
            keyIDs: Set(protections.compactMap { $0.defaultKeyID?.lowercased() }),
            timescale: subject.template?.timescale,
            offset: subject.template?.presentationTimeOffset,
            initialization: subject.template?.initialization,
            media: subject.template?.media
        )
        self.start = start
    }
}

extension MPD {
    /// The ids and the start times of the Periods that have both.
    var namedStarts: [(String, ManifestDuration)] {
        zip(periods, periodStarts).compactMap { period, start in
            guard let id = period.id, let start else { return nil }
            return (id, start)
        }
    }
}
