package import DASHManifest
import DRMSignaling
import MediaFormats

extension MPD {
    /// Creates the manifest of renditions: one Period, or several with a clear lead, key rotation or parts; an
    /// adaptation set for each kind, language, role and key.
    ///
    /// - Throws: `SignalingError`.
    package init(_ renditions: [Rendition], _ options: PlaylistOptions) throws {
        let leader =
            renditions.firstIndex { $0.track.kind == .video }
            ?? renditions.firstIndex { $0.track.kind != .subtitles } ?? 0
        var builder = ManifestBuilder(
            ManifestBuilder.Settings(
                options: options,
                isVOD: true,
                leader: leader,
                renditionCount: renditions.count
            )
        )
        let order = [leader] + renditions.indices.filter { $0 != leader }
        let last = renditions.flatMap { $0.segments.map(\.part) }.max() ?? 0
        for part in 0...last {
            let segments = order.map { index in renditions[index].segments.filter { $0.part == part } }
            let starts = segments.joined().filter { !$0.isGap }.map(\.start)
            // The first Period starts at 0, whatever the media times are: presentationTimeOffset says so.
            try builder.begin(part, at: starts.min() ?? .zero)
            for (index, segments) in zip(order, segments) {
                var description = renditions[index]
                (description.segments, description.track) = ([], renditions[index].track(in: part))
                for segment in segments { try builder.append(segment, of: description, at: index) }
            }
        }
        self = try builder.finish()
        if renditions.contains(where: { !$0.indexes.isEmpty }) { profiles = [MPD.Profile.onDemand] }
    }
}

extension Period {
    /// Creates a Period with an adaptation set for each kind, language, role and key.
    ///
    /// - Parameters:
    ///   - start: The start in the presentation.
    ///   - origin: The media time of the start.
    ///   - parts: The segments of the renditions, in the order of the presentation.
    /// - Throws: `SignalingError`.
    init(
        id: String,
        start: ManifestDuration,
        origin: RationalTime,
        _ parts: [ManifestPeriod.Part],
        _ options: PlaylistOptions
    ) throws {
        let sets = ManifestSet.all(parts)
        self.init(
            id: id,
            start: start,
            duration: nil,
            adaptationSets: try sets.enumerated().map { index, set in
                let others = sets.indices.filter { sets[$0].identity.differsByKey(from: set.identity) }
                let isFirst = sets.firstIndex { $0.identity.kind == set.identity.kind } == index
                return try AdaptationSet(set, index, isFirst: isFirst, switchesTo: others, origin, options)
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
        _ origin: RationalTime,
        _ options: PlaylistOptions
    ) throws {
        let identity = set.identity
        self.init(
            id: UInt32(clamping: number),
            contentType: identity.kind == .subtitles ? "text" : identity.kind.rawValue,
            mimeType: identity.kind == .subtitles ? "text/vtt" : "\(identity.kind.rawValue)/mp4",
            representations: set.parts.map { Representation($0, origin) }
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
            protections = try ContentProtection.all(protection, options.systems, options.licenseURLs)
            let output = ContentKeyID(protection.keyID).flatMap { protection.systemData.outputProtection(for: $0) }
            outputProtections = output.map { [$0] } ?? []
        }
    }
}

extension Representation {
    fileprivate init(_ part: ManifestPeriod.Part, _ origin: RationalTime) {
        let rendition = part.rendition
        let track = rendition.track
        let segments = part.segments
        // The first part of a segment, with its key frame, has a higher bit rate than the segment.
        let complete = segments.filter { !$0.isOpen }
        let longest = complete.map(\.duration.seconds).max() ?? 0
        let rate = BitRate(complete.map { ($0.duration.seconds, $0.byteCount) }, targetDuration: longest)
        let isText = track.kind == .subtitles
        self.init(id: rendition.folder, bandwidth: max(rate.peak, 1), codecs: isText ? nil : track.codecs)
        if isText {
            let file = segments.first.flatMap { rendition.wholeFiles[$0.number] }
            baseURL = file.map { "\(rendition.folder)/\($0.uri)" }
            return
        }
        if track.kind == .video {
            width = UInt32(clamping: track.width)
            height = UInt32(clamping: track.height)
            // Of a varying frame rate, DASH signals the average (ISO/IEC 23009-1, 5.3.7.2).
            frameRate = (rendition.averageFrameRate ?? rendition.frameRate).flatMap(Self.fraction)
            supplementalCodecs = track.dolbyVisionLayer?.codecs
            supplementalProfiles = track.dolbyVisionLayer?.brand
        } else {
            audioSamplingRate = UInt32(clamping: track.sampleRate)
            if let count = track.channels?.prefix(while: \.isNumber), !count.isEmpty {
                channels = [Descriptor(scheme: Descriptor.channelScheme, value: String(count))]
            }
        }
        let offset = UInt64(clamping: origin.converted(to: track.timescale))
        let initialization = segments.first?.initialization
        if let index = initialization.flatMap({ rendition.indexes[$0] }) {
            baseURL = segments.first.map { "\(rendition.folder)/\($0.resource.uri)" }
            base = SegmentBase(
                timescale: track.timescale,
                presentationTimeOffset: offset,
                indexRange: Range<UInt64>(index),
                initializationRange: initialization?.byteRange.map { Range<UInt64>($0) }
            )
            return
        }
        guard let first = segments.first else { return }
        template = SegmentTemplate(
            timescale: track.timescale,
            presentationTimeOffset: offset,
            startNumber: first.number,
            initialization: initialization.map { "\(rendition.folder)/\($0.uri)" },
            media: "\(rendition.folder)/\(Self.pattern(first.resource.uri, first.number))",
            time: UInt64(clamping: first.start.converted(to: track.timescale)),
            durations: segments.map { UInt64(clamping: $0.listedDuration.converted(to: track.timescale)) }
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
