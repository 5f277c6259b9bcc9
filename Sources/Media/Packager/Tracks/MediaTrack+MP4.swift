import ByteCoding
package import MediaFormats

extension MediaTrack {
    /// The reason why a track of a movie cannot be packaged.
    package enum UnsupportedReason: Error, Hashable, CustomStringConvertible {
        /// The sample format is not packaged; its name.
        case format(String)
        /// The edit list does not present one range of the media; the reason.
        case editList(String)
        /// The track is encrypted.
        case encrypted

        /// The reason, to be appended to `track 3`.
        package var description: String {
            switch self {
            case .format(let name): "has the format \(name), which cannot be packaged"
            case .editList(let reason): "has an edit list that cannot be packaged: \(reason)"
            case .encrypted: "is already encrypted; decrypt the file first (keyway decrypt)"
            }
        }
    }

    /// Creates a track from a video or audio track of an MP4 or QuickTime file.
    ///
    /// - Throws: ``UnsupportedReason`` for a track that cannot be packaged; `ParseError` for an invalid one.
    package init(_ track: Track) throws {
        guard let entry = track.descriptions.first else { throw UnsupportedReason.format("unknown") }
        if ["encv", "enca", "drms", "drmi", "p608"].contains(entry.format) || !entry.protections.isEmpty {
            throw UnsupportedReason.encrypted
        }
        try track.requireSelfContained()
        guard track.timescale > 0 else {
            throw ParseError(.invalidValue, reading: "track \(track.id)", offset: 0, reason: "its timescale is 0")
        }
        let timing: TrackTiming
        do throws(ParseError) {
            timing = try track.timing()
        } catch {
            throw UnsupportedReason.editList(error.reason ?? "\(error)")
        }
        let duration = track.mediaHeader.duration
        switch entry.format {
        case "avc1", "avc3", "dva1", "dvav":
            let configuration: AVCConfigurationBox = try entry.require("avcC", of: track.id)
            let size = (try? H264ParameterSets(configuration))?.latestSequence
            self.init(
                format: .h264(configuration),
                entry,
                track,
                timing,
                codecs: configuration.codecs(sampleEntry: entry.format),
                displayed: size?.displaySize,
                color: size?.usability.color
            )
        case "hvc1", "hev1", "dvh1", "dvhe":
            let configuration: HEVCConfigurationBox = try entry.require("hvcC", of: track.id)
            let size = (try? HEVCParameterSets(configuration))?.latestSequence
            self.init(
                format: .hevc(configuration),
                entry,
                track,
                timing,
                codecs: configuration.profileTierLevel.codecs(sampleEntry: entry.format),
                displayed: size?.displaySize,
                color: size?.usability.color
            )
        case _ where track.kind == "soun":
            self = try MediaTrack(audio: entry, track, timing)
        default: throw UnsupportedReason.format(SampleFormatName.name(of: entry))
        }
        self.duration = duration > 0 ? duration : nil
        applyDolbyVision()
        applyRotation(track.header.matrix)
        checkViews()
    }

    private init(
        format: Format,
        _ entry: SampleEntry,
        _ track: Track,
        _ timing: TrackTiming,
        codecs: String,
        displayed: PictureSize?,
        color: ColorDescription?
    ) {
        var size = PictureSize(width: Int(track.header.width >> 16), height: Int(track.header.height >> 16))
        if case .visual(let fields) = entry.fields {
            let coded = PictureSize(width: Int(fields.width), height: Int(fields.height))
            let aspect: PixelAspectRatioBox? = entry.boxes.first("pasp").flatMap {
                try? $0.parse(as: PixelAspectRatioBox.self)
            }
            size = coded.displayed(aspect?.ratio)
            if aspect == nil, let displayed { size = displayed }
        }
        let box: ColorInformationBox? = entry.boxes.first("colr").flatMap {
            try? $0.parse(as: ColorInformationBox.self)
        }
        self.init(
            format: format,
            sampleEntry: entry,
            timescale: track.timescale,
            timing: timing,
            language: track.language,
            width: size.width,
            height: size.height,
            displaySize: DisplaySize(
                width: track.header.width > 0 ? track.header.width : UInt32(clamping: size.width) << 16,
                height: track.header.height > 0 ? track.header.height : UInt32(clamping: size.height) << 16
            ),
            codecs: codecs,
            videoRange: DynamicRange(container: box?.description, codec: color)
        )
    }
}

extension SampleEntry {
    /// Returns a box that the format requires.
    fileprivate func require<Kind: Box>(_ type: FourCC, of track: UInt32) throws(ParseError) -> Kind {
        guard let box = boxes.first(type) else {
            throw ParseError(
                .missingBox,
                reading: "track \(track)",
                offset: 0,
                reason: "its \(format) sample entry has no \(type) box"
            )
        }
        return try box.parse(as: Kind.self)
    }
}
