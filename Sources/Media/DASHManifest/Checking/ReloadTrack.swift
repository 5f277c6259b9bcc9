/// A Representation of a Period, as two states of a manifest are compared.
struct ReloadTrack {
    /// What finds it in another state.
    struct Name: Hashable {
        var period: String
        var representation: String
    }

    /// What must stay. The bit rate may become more exact, and sets may be numbered anew.
    struct Character: Hashable {
        var mimeType: String?
        var codecs: String?
        var language: String?
        var keyIDs: Set<String>
        var timescale: UInt32?
        var offset: UInt64?
        var initialization: String?
        var media: String?
    }

    let name: Name
    let place: String
    let character: Character
    let template: SegmentTemplate?
    /// When its Period begins; nil: nobody knows.
    let start: ManifestDuration?

    /// Those of a manifest whose Periods have ids.
    static func all(_ manifest: MPD) -> [ReloadTrack] {
        let starts = Dictionary(manifest.namedStarts, uniquingKeysWith: { first, _ in first })
        return manifest.representations.compactMap { subject in
            subject.period.id.map { ReloadTrack(subject, period: $0, start: starts[$0]) }
        }
    }

    /// The same by their names; of two with one name the first.
    static func byName(_ manifest: MPD) -> [Name: ReloadTrack] {
        Dictionary(all(manifest).map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    }

    private init(_ subject: RepresentationSubject, period: String, start: ManifestDuration?) {
        let representation = subject.representation
        name = Name(period: period, representation: representation.id)
        place = subject.place
        template = subject.template
        let protections = subject.set.protections + representation.protections
        character = Character(
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
    /// When Periods begin that have an id, as far as that is said.
    var namedStarts: [(String, ManifestDuration)] {
        zip(periods, periodStarts).compactMap { period, start in
            guard let id = period.id, let start else { return nil }
            return (id, start)
        }
    }
}
