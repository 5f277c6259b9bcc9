import ByteCoding

/// A tag with its value: one line of a playlist.
public indirect enum PlaylistTag: Hashable, Sendable {
    case extM3U
    case version(UInt64)
    case independentSegments
    case start(StartTag)
    case define(DefineTag)
    case targetDuration(UInt64)
    case mediaSequence(UInt64)
    case discontinuitySequence(UInt64)
    case endList
    case playlistType(PlaylistType)
    case iFramesOnly
    case partInf(PartInfTag)
    case serverControl(ServerControlTag)
    /// The duration in seconds and the title.
    case inf(duration: Double, title: String)
    case byteRange(ByteRange)
    case discontinuity
    case key(KeyTag)
    case map(MapTag)
    case programDateTime(PlaylistDate)
    case gap
    /// The bit rate in kilobits per second.
    case bitrate(UInt64)
    case part(PartTag)
    case dateRange(DateRangeTag)
    case skip(SkipTag)
    case preloadHint(PreloadHintTag)
    case renditionReport(RenditionReportTag)
    case media(MediaTag)
    case streamInf(StreamInfTag)
    case iFrameStreamInf(IFrameStreamInfTag)
    case sessionData(SessionDataTag)
    case sessionKey(SessionKeyTag)
    case contentSteering(ContentSteeringTag)
}

extension PlaylistTag {
    /// Parses the value of a tag. If the value does not match the definition of the tag, reports it and returns nil.
    init?(_ context: ReadingContext, _ name: TagName, _ value: Range<Int>?) {
        if let simple = Self.withoutValue(name) {
            if let value {
                context.report(.malformedTagValue, at: value.lowerBound - 1, "\(name.rawValue) must not have a value")
            }
            self = simple
            return
        }
        guard let value else {
            context.report(
                name.hasAttributes ? .malformedAttributeList : .malformedTagValue,
                "\(name.rawValue): the value is missing"
            )
            switch name {
            // The URI line after the tag has a meaning without the attributes.
            case .streamInf: self = .streamInf(StreamInfTag(VariantAttributes(bandwidth: 0)))
            case .key: self = .key(KeyTag(method: .unspecified))
            default: return nil
            }
            return
        }
        guard let tag = Self.read(context, name, value) else { return nil }
        self = tag
    }

    private static func withoutValue(_ name: TagName) -> PlaylistTag? {
        switch name {
        case .extM3U: .extM3U
        case .independentSegments: .independentSegments
        case .endList: .endList
        case .iFramesOnly: .iFramesOnly
        case .discontinuity: .discontinuity
        case .gap: .gap
        default: nil
        }
    }

    private static func read(_ context: ReadingContext, _ name: TagName, _ value: Range<Int>) -> PlaylistTag? {
        let bytes = context.source.bytes
        return switch name {
        case .extM3U, .independentSegments, .endList, .iFramesOnly, .discontinuity, .gap: withoutValue(name)
        case .version: IntegerTag.read(context, name, value).map { .version($0) }
        case .targetDuration: IntegerTag.read(context, name, value).map { .targetDuration($0) }
        case .mediaSequence: IntegerTag.read(context, name, value).map { .mediaSequence($0) }
        case .discontinuitySequence: IntegerTag.read(context, name, value).map { .discontinuitySequence($0) }
        case .bitrate: IntegerTag.read(context, name, value).map { .bitrate($0) }
        case .playlistType: .playlistType(PlaylistType.read(context, value))
        case .inf:
            InfTag.read(context, bytes.span.bytes, value)
                .map { .inf(duration: $0.duration, title: context.source.text($0.title)) }
        case .byteRange: ByteRangeTag.read(context, value).map { .byteRange($0) }
        case .programDateTime:
            ProgramDateTimeTag.read(context, bytes.span.bytes, value).map { .programDateTime($0) }
        case .start: context.read(StartTag.self, value).map { .start($0) }
        case .define: context.read(DefineTag.self, value).map { .define($0) }
        case .partInf: context.read(PartInfTag.self, value).map { .partInf($0) }
        case .serverControl: context.read(ServerControlTag.self, value).map { .serverControl($0) }
        case .key: context.read(KeyTag.self, value).map { .key($0) }
        case .map: context.read(MapTag.self, value).map { .map($0) }
        case .part: context.read(PartTag.self, value).map { .part($0) }
        case .dateRange: context.read(DateRangeTag.self, value).map { .dateRange($0) }
        case .skip: context.read(SkipTag.self, value).map { .skip($0) }
        case .preloadHint: context.read(PreloadHintTag.self, value).map { .preloadHint($0) }
        case .renditionReport: context.read(RenditionReportTag.self, value).map { .renditionReport($0) }
        case .media: context.read(MediaTag.self, value).map { .media($0) }
        case .streamInf: context.read(StreamInfTag.self, value).map { .streamInf($0) }
        case .iFrameStreamInf: context.read(IFrameStreamInfTag.self, value).map { .iFrameStreamInf($0) }
        case .sessionData: context.read(SessionDataTag.self, value).map { .sessionData($0) }
        case .sessionKey: context.read(SessionKeyTag.self, value).map { .sessionKey($0) }
        case .contentSteering: context.read(ContentSteeringTag.self, value).map { .contentSteering($0) }
        }
    }

    /// Writes the line of the tag.
    func write(to playlist: inout PlaylistWriter) {
        switch self {
        case .extM3U, .independentSegments, .endList, .iFramesOnly, .discontinuity, .gap: playlist.tag(name)
        case .version(let number), .targetDuration(let number), .mediaSequence(let number),
            .discontinuitySequence(let number), .bitrate(let number):
            IntegerTag.write(name, number, to: &playlist)
        case .playlistType(let type): type.write(to: &playlist)
        case .inf(let duration, let title): InfTag.write(duration, title, to: &playlist)
        case .byteRange(let range): ByteRangeTag.write(range, to: &playlist)
        case .programDateTime(let date): ProgramDateTimeTag.write(date, to: &playlist)
        case .start(let tag): tag.write(to: &playlist)
        case .define(let tag): tag.write(to: &playlist)
        case .partInf(let tag): tag.write(to: &playlist)
        case .serverControl(let tag): tag.write(to: &playlist)
        case .key(let tag): tag.write(to: &playlist)
        case .map(let tag): tag.write(to: &playlist)
        case .part(let tag): tag.write(to: &playlist)
        case .dateRange(let tag): tag.write(to: &playlist)
        case .skip(let tag): tag.write(to: &playlist)
        case .preloadHint(let tag): tag.write(to: &playlist)
        case .renditionReport(let tag): tag.write(to: &playlist)
        case .media(let tag): tag.write(to: &playlist)
        case .streamInf(let tag): tag.write(to: &playlist)
        case .iFrameStreamInf(let tag): tag.write(to: &playlist)
        case .sessionData(let tag): tag.write(to: &playlist)
        case .sessionKey(let tag): tag.write(to: &playlist)
        case .contentSteering(let tag): tag.write(to: &playlist)
        }
    }

    /// The name of the tag.
    public var name: TagName {
        switch self {
        case .extM3U: .extM3U
        case .version: .version
        case .independentSegments: .independentSegments
        case .start: .start
        case .define: .define
        case .targetDuration: .targetDuration
        case .mediaSequence: .mediaSequence
        case .discontinuitySequence: .discontinuitySequence
        case .endList: .endList
        case .playlistType: .playlistType
        case .iFramesOnly: .iFramesOnly
        case .partInf: .partInf
        case .serverControl: .serverControl
        case .inf: .inf
        case .byteRange: .byteRange
        case .discontinuity: .discontinuity
        case .key: .key
        case .map: .map
        case .programDateTime: .programDateTime
        case .gap: .gap
        case .bitrate: .bitrate
        case .part: .part
        case .dateRange: .dateRange
        case .skip: .skip
        case .preloadHint: .preloadHint
        case .renditionReport: .renditionReport
        case .media: .media
        case .streamInf: .streamInf
        case .iFrameStreamInf: .iFrameStreamInf
        case .sessionData: .sessionData
        case .sessionKey: .sessionKey
        case .contentSteering: .contentSteering
        }
    }
}

extension ReadingContext {
    /// Parses a tag with attributes. If the tag is not usable, reports the reason and returns nil.
    func read<Tag: AttributeTag>(_ type: Tag.Type, _ value: Range<Int>) -> Tag? {
        var reader = AttributeReader(self, Tag.name, value)
        defer { reader.finish() }
        guard reader.isUsable else { return nil }
        let tag = Tag(reading: &reader)
        return reader.isUsable ? tag : nil
    }
}
