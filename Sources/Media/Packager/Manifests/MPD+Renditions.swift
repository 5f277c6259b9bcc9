package import DASHManifest
import DRMSignaling
import MediaFormats

extension MPD {
    /// Creates the manifest of renditions: one Period, or several with a clear lead or key rotation; an adaptation set
    /// for each kind, language, role and key.
    ///
    /// - Throws: `SignalingError`.
    package init(_ renditions: [Rendition], _ options: PlaylistOptions) throws {
        let periods = ManifestPeriod.all(renditions)
        let isSingleFile = renditions.contains { $0.index != nil || $0.clearIndex != nil }
        self.init(
            profiles: [isSingleFile ? MPD.Profile.onDemand : MPD.Profile.live],
            duration: ManifestDuration(seconds: periods.last?.end.seconds ?? 0),
            periods: []
        )
        for (number, period) in periods.enumerated() {
            self.periods.append(
                try Period(
                    period,
                    id: "\(number)",
                    start: ManifestDuration(seconds: period.start.seconds),
                    duration: ManifestDuration(seconds: period.end.seconds - period.start.seconds),
                    options
                )
            )
        }
    }
}

extension Period {
    /// Creates a Period with an adaptation set for each kind, language, role and key.
    ///
    /// - Parameters:
    ///   - start: The start of the Period in the presentation.
    ///   - duration: The duration; nil if unknown.
    /// - Throws: `SignalingError`.
    init(
        _ period: ManifestPeriod,
        id: String,
        start: ManifestDuration,
        duration: ManifestDuration?,
        _ options: PlaylistOptions
    ) throws {
        let sets = ManifestSet.all(period)
        self.init(
            id: id,
            start: start,
            duration: duration,
            adaptationSets: try sets.enumerated().map { index, set in
                let others = sets.indices.filter { sets[$0].identity.differsByKey(from: set.identity) }
                let isFirst = sets.firstIndex { $0.identity.kind == set.identity.kind } == index
                return try AdaptationSet(set, index, isFirst: isFirst, switchesTo: others, period, options)
            }
        )
    }
}

extension AdaptationSet {
    fileprivate init(
        _ set: ManifestSet,
        _ number: Int,
        isFirst: Bool,
        switchesTo others: [Int],
        _ period: ManifestPeriod,
        _ options: PlaylistOptions
    ) throws {
        let identity = set.identity
        self.init(
            id: UInt32(clamping: number),
            contentType: identity.kind == .subtitles ? "text" : identity.kind.rawValue,
            mimeType: identity.kind == .subtitles ? "text/vtt" : "\(identity.kind.rawValue)/mp4",
            representations: set.parts.map { Representation($0, period) }
        )
        language = identity.language
        label = identity.kind == .video ? nil : identity.name
        roles = set.roles(isFirst: isFirst)
        accessibility = set.accessibility
        supplementalProperties = set.properties
        if !others.isEmpty {
            let ids = others.map { "\($0)" }.joined(separator: ",")
            supplementalProperties.append(Descriptor(scheme: Descriptor.switchingScheme, value: ids))
        }
        guard identity.kind != .subtitles, let first = set.parts.first else { return }
        if representations.contains(where: { $0.base != nil }) {
            hasAlignedSubsegments = true
            subsegmentsStartWithSAP = 1
        } else {
            hasAlignedSegments = true
            startsWithSAP = 1
        }
        if let protection = first.protection {
            protections = try ContentProtection.all(protection, options.systems)
        }
    }
}

extension Representation {
    fileprivate init(_ part: ManifestPeriod.Part, _ period: ManifestPeriod) {
        let rendition = part.rendition
        let track = rendition.track
        let segments = rendition.segments[part.segments]
        let longest = segments.map(\.duration.seconds).max() ?? 0
        let rate = BitRate(segments.map { ($0.duration.seconds, $0.byteCount) }, targetDuration: longest)
        let isText = track.kind == .subtitles
        self.init(id: rendition.folder, bandwidth: max(rate.peak, 1), codecs: isText ? nil : track.codecs)
        if isText {
            baseURL = rendition.wholeFile.map { "\(rendition.folder)/\($0.uri)" }
            return
        }
        if track.kind == .video {
            width = UInt32(clamping: track.width)
            height = UInt32(clamping: track.height)
            frameRate = rendition.frameRate.flatMap(Self.fraction)
        } else {
            audioSamplingRate = UInt32(clamping: track.sampleRate)
            if let count = track.channels?.prefix(while: \.isNumber), !count.isEmpty {
                channels = [Descriptor(scheme: Descriptor.channelScheme, value: String(count))]
            }
        }
        let offset = UInt64(clamping: period.start.converted(to: track.timescale))
        let usesClear = !part.isProtected && rendition.clearInitialization != nil
        let initialization = usesClear ? rendition.clearInitialization : rendition.initialization(in: part.number)
        if let index = usesClear ? rendition.clearIndex : rendition.index {
            baseURL = segments.first.map { "\(rendition.folder)/\($0.resource.uri)" }
            base = SegmentBase(
                timescale: track.timescale,
                presentationTimeOffset: offset,
                indexRange: Range<UInt64>(index),
                initializationRange: initialization?.byteRange.map { Range<UInt64>($0) }
            )
            return
        }
        template = SegmentTemplate(
            timescale: track.timescale,
            presentationTimeOffset: offset,
            startNumber: part.firstNumber,
            initialization: initialization.map { "\(rendition.folder)/\($0.uri)" },
            media: segments.first.map {
                "\(rendition.folder)/\(Self.pattern($0.resource.uri, part.firstNumber))"
            },
            time: UInt64(clamping: part.start.converted(to: track.timescale)),
            durations: segments.map { UInt64(clamping: $0.duration.converted(to: track.timescale)) }
        )
    }

    /// Returns a segment name with `$Number$` in place of the number.
    private static func pattern(_ name: String, _ number: UInt64) -> String {
        guard let range = name.ranges(of: "\(number).").last else { return name }
        return "\(name[..<range.lowerBound])$Number$.\(name[range.upperBound...])"
    }

    /// Returns a frame rate as an integer or a fraction: `30000/1001` for 29.97.
    private static func fraction(_ rate: Double) -> String? {
        guard rate > 0, rate < 10_000 else { return nil }
        if abs(rate - rate.rounded()) < 0.0005 { return "\(Int(rate.rounded()))" }
        let whole = (rate * 1.001).rounded()
        if abs(rate * 1.001 - whole) < 0.0005 { return "\(Int(whole) * 1000)/1001" }
        return "\(Int((rate * 1000).rounded()))/1000"
    }
}

extension Range<UInt64> {
    /// Converts a byte range.
    fileprivate init(_ range: Range<Int>) { self = UInt64(range.lowerBound)..<UInt64(range.upperBound) }
}
