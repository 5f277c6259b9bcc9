package import DRMSignaling
import MediaFormats

/// What a plan has to do with key periods.
extension PackagingPlan {
    /// The places of the renditions that are made of samples.
    var sampledRenditions: [Int] { renditions.indices.filter { renditions[$0].media.kind != .subtitles } }

    /// The classes that are to be encrypted: each needs a key.
    package var trackClasses: [TrackClass] {
        let wanted = Set(renditions.filter(\.isProtected).compactMap(\.trackClass))
        return TrackClass.allCases.filter(wanted.contains)
    }

    /// How many key periods there will be, at most, as far as the inputs say how long they are; nil: nobody knows.
    package var mostPeriods: Int? {
        guard let rotation = job.rotation else { return 1 }
        guard let duration = presentationDuration, let segments = mostSegments else { return nil }
        return switch rotation.length {
        case .segments(let count): segments / count + 1
        case .seconds(let count): Int((duration.seconds / Double(count)).rounded(.down)) + 1
        }
    }

    /// Takes the keys of the period with which the presentation begins.
    ///
    /// - Throws: ``JobFailure``, `SignalingError`: keys that are missing, lack an IV, or serve variants that must not share
    ///   one.
    package mutating func use(_ period: ContentKeyPeriod) throws {
        try check(period)
        let changes = try renditions.indices.map { try change(to: period, of: $0) }
        job.keys = period.keys
        job.awaitsKeys = false
        periodStart = period.start
        for place in renditions.indices { renditions[place].protection = changes[place]?.protection }
    }

    /// What a period brings for a rendition; nil when that is not encrypted.
    ///
    /// - Throws: ``JobFailure`` when its class has no key.
    func change(to period: ContentKeyPeriod, of place: Int) throws -> Rendition.Change? {
        let planned = renditions[place]
        guard planned.isProtected else { return nil }
        var job = job
        job.keys = period.keys
        let input = job.inputs[planned.input]
        guard let protection = try job.protection(of: planned.media, from: input, number: place) else { return nil }
        return Rendition.Change(
            number: period.number,
            protection: protection,
            systems: try job.protectionHeaders(of: protection),
            start: period.start
        )
    }

    /// Holds that a period's keys can be used.
    ///
    /// - Throws: ``JobFailure``, `SignalingError`.
    func check(_ period: ContentKeyPeriod) throws {
        var job = job
        job.keys = period.keys
        job.awaitsKeys = false
        try job.checkKeys(period: period.start)
        for trackClass in trackClasses where period.keys[trackClass] == nil {
            throw JobFailure(
                "keys",
                "key period \(period.number) has no key for \(trackClass.rawValue): give one for it, or one for all"
            )
        }
        let subjects = renditions.map { rendition in
            VariantProtection.Subject(
                name: rendition.folder,
                kind: rendition.media.kind,
                trackClass: rendition.trackClass,
                keyID: rendition.isProtected ? rendition.trackClass.flatMap { period.keys[$0]?.keyID.bytes } : nil
            )
        }
        try VariantProtection.check(subjects, PlaylistOptions(job))
    }
}

extension PackagingPlan.Rendition {
    /// A key that a writer is to go on with.
    struct Change {
        /// The number of the key period, from 0.
        var number: Int
        /// The key.
        var protection: TrackProtection
        /// The `pssh` boxes of its init segments.
        var systems: [ProtectionSystemHeaderBox]
        /// When the period begins, in Unix seconds.
        var start: Int64?
    }
}
