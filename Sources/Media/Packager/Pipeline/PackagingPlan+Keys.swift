package import DRMSignaling
import MediaFormats

/// The key periods of a plan.
extension PackagingPlan {
    /// The indexes of the renditions that consist of samples: all except subtitles.
    var sampledRenditions: [Int] { renditions.indices.filter { renditions[$0].media.kind != .subtitles } }

    /// The track classes to encrypt; each requires a key.
    package var trackClasses: [TrackClass] {
        let wanted = Set(renditions.filter(\.isProtected).compactMap(\.trackClass))
        return TrackClass.allCases.filter(wanted.contains)
    }

    /// The maximum number of key periods, from the durations in the inputs; nil if unknown.
    package var maximumPeriods: Int? {
        guard let rotation = job.rotation else { return 1 }
        guard let duration = presentationDuration, let segments = maximumSegments else { return nil }
        return switch rotation.length {
        case .segments(let count): segments / count + 1
        case .seconds(let count): Int((duration.seconds / Double(count)).rounded(.down)) + 1
        }
    }

    /// Sets the keys of the first period.
    ///
    /// - Throws: ``JobFailure``, `SignalingError`: keys are missing, have no IV, or are shared by variants that must
    ///   not share one.
    package mutating func use(_ period: ContentKeyPeriod) throws {
        try check(period)
        let changes = try renditions.indices.map { try change(to: period, of: $0) }
        job.keys = period.keys
        job.keysArriveLater = false
        periodStart = period.start
        for index in renditions.indices { renditions[index].protection = changes[index]?.protection }
    }

    /// Returns the keys of a period for a rendition; nil if the rendition is not encrypted.
    ///
    /// - Throws: ``JobFailure`` if the rendition's class has no key.
    func change(to period: ContentKeyPeriod, of index: Int) throws -> Rendition.KeyChange? {
        let planned = renditions[index]
        guard planned.isProtected else { return nil }
        var job = job
        job.keys = period.keys
        let input = job.inputs[planned.input]
        guard let protection = try job.protection(of: planned.media, from: input, number: index) else { return nil }
        return Rendition.KeyChange(
            number: period.number,
            protection: protection,
            systems: try job.protectionHeaders(of: protection),
            start: period.start
        )
    }

    /// Checks that a period's keys are complete and can be signaled.
    ///
    /// - Throws: ``JobFailure``, `SignalingError`.
    func check(_ period: ContentKeyPeriod) throws {
        var job = job
        job.keys = period.keys
        job.keysArriveLater = false
        try job.checkKeys(period: period.start)
        for trackClass in trackClasses where period.keys[trackClass] == nil {
            throw JobFailure(
                "keys",
                "key period \(period.number) has no key for \(trackClass.rawValue): give one for this class, or one "
                    + "for all"
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
    /// The new keys of a rendition in a key period.
    struct KeyChange {
        /// The number of the key period, from 0.
        var number: Int
        /// The key.
        var protection: TrackProtection
        /// The `pssh` boxes of its init segments.
        var systems: [ProtectionSystemHeaderBox]
        /// The start of the period in Unix seconds.
        var start: Int64?
    }
}
