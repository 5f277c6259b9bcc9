import ByteCoding
import MediaDecryption
import MediaFormats
import Packager
import TextCoding

extension MediaInspection {
    /// Inspects a transport stream.
    init(transportStream file: RawSpan) {
        let summary = TransportStreamSummary(file)
        self.init(kind: "mpeg-ts", headline: "")
        let streams = summary.programMap?.streams ?? []
        let isEncrypted = streams.contains { TransportStreamSummary.isEncrypted($0.type) }
        var parts = ["MPEG-2 transport stream", MediaFormatting.size(file.byteCount)]
        if let times = summary.times {
            parts.append(MediaFormatting.duration(Double(times.upperBound - times.lowerBound) / 90_000))
        }
        parts += [counted(summary.packets, "packet"), counted(streams.count, "stream")]
        parts.append(isEncrypted ? "encrypted (SAMPLE-AES)" : "clear")
        headline = parts.joined(separator: ", ")
        if let map = summary.programMap { tables.append(Self.table(map)) }
        grids = [Self.streams(summary), Self.pids(summary)]
        let errors = summary.pids.reduce(0) { $0 + $1.continuityErrors }
        if errors > 0 {
            notes.append("packets are missing: continuity counters jump, \(counted(errors, "time"))")
        }
        if summary.pids.contains(where: { $0.scrambled > 0 }) {
            notes.append("packets are scrambled by a conditional access system, which is not an HLS encryption method")
        }
        if let found = summary.problem { problem = found.description }
    }

    private static func table(_ map: ProgramMapTable) -> FieldTable {
        FieldTable(
            title: "Program",
            fields: [
                Field("number", .number(map.programNumber)), Field("version", .number(map.version)),
                Field("PID of the clock", .number(map.pcrPID)),
                Field("descriptors", .list(map.descriptors.map(name))),
            ]
        )
    }

    /// Returns the elementary streams, in the order of the program map table.
    private static func streams(_ summary: TransportStreamSummary) -> Grid {
        let columns = [
            "PID", "type", "stream", "encryption", "PES packets", "random access", "from", "to", "descriptors",
        ]
        var grid = Grid(title: "Streams", columns: columns)
        for stream in summary.programMap?.streams ?? [] {
            let pid = summary.pids.first { $0.pid == stream.pid }
            let isEncrypted = TransportStreamSummary.isEncrypted(stream.type)
            let descriptors = stream.descriptors.map(name)
            grid.rows.append(
                Grid.Row(
                    identity: [.number(stream.pid)],
                    cells: [
                        .number(stream.pid), .text("0x" + Hexadecimal.encode([stream.type.rawValue])),
                        .text(name(stream.type)),
                        .text(isEncrypted ? "SAMPLE-AES" : "none"), .number(pid?.units ?? 0),
                        .number(pid?.randomAccesses ?? 0),
                        pid?.times.map { MediaFormatting.seconds(Double($0.lowerBound) / 90_000) },
                        pid?.times.map { MediaFormatting.seconds(Double($0.upperBound) / 90_000) },
                        descriptors.isEmpty ? nil : .list(descriptors),
                    ]
                )
            )
        }
        return grid
    }

    /// Returns all PIDs, including those of tables.
    private static func pids(_ summary: TransportStreamSummary) -> Grid {
        let columns = ["PID", "what", "packets", "share", "clocks", "continuity errors", "damaged", "scrambled"]
        var grid = Grid(title: "PIDs", columns: columns)
        for pid in summary.pids {
            let share = Double(pid.packets) / Double(max(1, summary.packets)) * 100
            let optional = { (number: Int) -> FieldValue? in number > 0 ? .number(number) : nil }
            grid.rows.append(
                Grid.Row(
                    identity: [.number(pid.pid)],
                    cells: [
                        .number(pid.pid), .text(name(pid.pid, summary)), .number(pid.packets),
                        .decimal((share * 10).rounded() / 10, unit: "%"), optional(pid.clocks),
                        .number(pid.continuityErrors),
                        optional(pid.damaged), optional(pid.scrambled),
                    ]
                )
            )
        }
        return grid
    }

    private static func name(_ pid: UInt16, _ summary: TransportStreamSummary) -> String {
        switch pid {
        case ReservedPID.programAssociation: return "program association table"
        case ReservedPID.null: return "null packets"
        case summary.mapPID: return "program map table"
        default:
            let stream = summary.programMap?.streams.first { $0.pid == pid }
            return stream.map { name($0.type) } ?? "not in the program map"
        }
    }

    private static func name(_ type: TransportStreamType) -> String {
        switch type {
        case .h264, .encryptedH264: "H.264"
        case .hevc: "HEVC"
        case .aac, .encryptedAAC: "AAC"
        case .ac3, .encryptedAC3: "AC-3"
        case .eac3, .encryptedEAC3: "E-AC-3"
        case .metadata: "timed metadata"
        case .privatePES: "private data"
        default: "unknown"
        }
    }

    private static func name(_ descriptor: TransportDescriptor) -> String {
        let name = String(decoding: descriptor.content.prefix(4), as: UTF8.self)
        switch descriptor.tag {
        case TransportDescriptor.registration: return "registration \(name)"
        case TransportDescriptor.language: return "language \(name.prefix(3))"
        case TransportDescriptor.privateDataIndicator: return "private data \(name)"
        default: return "0x\(Hexadecimal.encode([descriptor.tag])) (\(counted(descriptor.content.count, "byte")))"
        }
    }

    /// Inspects packed audio.
    init(packedAudio file: RawSpan) {
        let summary = PackedAudioSummary(file)
        let setup = summary.tags.lazy.compactMap { try? $0.tag.audioSetup() }.first
        let parts = [
            "packed audio", summary.codec ?? "no frames", MediaFormatting.size(file.byteCount),
            MediaFormatting.duration(summary.seconds),
            setup == nil ? "not signaled as encrypted" : "encrypted (SAMPLE-AES)",
        ]
        self.init(kind: "packed-audio", headline: parts.joined(separator: ", "))
        var fields = FieldCollector()
        fields.add("codec", summary.codec.map { .text($0) })
        fields.add("sample rate", .number(summary.sampleRate, unit: "Hz"))
        fields.add("frames", .number(summary.frames))
        fields.add("duration", MediaFormatting.seconds(summary.seconds))
        fields.add("bit rate", MediaFormatting.rate(bytes: summary.byteCount, seconds: summary.seconds))
        fields.add("encrypted audio", setup.map { .text($0.audioType.description) })
        tables = [FieldTable(title: "Audio", fields: fields.fields)]
        var grid = Grid(title: "ID3 tags", columns: ["offset", "size", "timestamp", "frames"])
        for place in summary.tags {
            let time = try? place.tag.timestamp()
            grid.rows.append(
                Grid.Row(
                    identity: [.number(place.range.lowerBound)],
                    cells: [
                        .number(place.range.lowerBound), .number(place.range.count),
                        time.map { MediaFormatting.seconds(Double($0) / 90_000) },
                        .list(place.tag.frames.map(Self.name)),
                    ]
                )
            )
        }
        grids = [grid]
        if summary.tagCount > summary.tags.count {
            notes.append("there are \(summary.tagCount) ID3 tags; the first \(summary.tags.count) are shown")
        }
        if let found = summary.problem { problem = found.description }
    }

    /// Returns the ID of a frame, with the owner if it is a private frame.
    private static func name(_ frame: ID3Tag.Frame) -> String {
        guard frame.id == "PRIV" else { return frame.id.description }
        return "PRIV " + String(decoding: frame.content.prefix(64).prefix { $0 != 0 }, as: UTF8.self)
    }

    /// Inspects WebVTT.
    init(webVTT file: RawSpan) {
        do throws(ParseError) {
            self.init(try WebVTTDocument(parsing: file), size: file.byteCount)
        } catch {
            self.init(kind: "webvtt", headline: "WebVTT, \(MediaFormatting.size(file.byteCount))")
            problem = error.description
        }
    }

    private init(_ document: WebVTTDocument, size: Int) {
        let parts = ["WebVTT", MediaFormatting.size(size), counted(document.cues.count, "cue")]
        self.init(kind: "webvtt", headline: parts.joined(separator: ", "))
        var fields = FieldCollector()
        fields.add("cues", .number(document.cues.count))
        let start = document.cues.map(\.start).min()
        fields.add("from", start.map { MediaFormatting.seconds(Double($0) / 1000) })
        fields.add("to", document.cues.isEmpty ? nil : MediaFormatting.seconds(Double(document.end) / 1000))
        if let map = document.timestampMap {
            fields.add("timestamp map, MPEG-2", MediaFormatting.seconds(Double(map.mpegTS) / 90_000))
            fields.add("timestamp map, local", MediaFormatting.seconds(Double(map.local) / 1000))
        } else {
            notes.append("there is no X-TIMESTAMP-MAP, so times are relative to the start of the presentation")
        }
        fields.add("style and region blocks", .number(document.definitionTexts.count))
        fields.add("comments", .number(document.commentCount))
        tables = [FieldTable(title: "Subtitles", fields: fields.fields)]
        for dropped in document.dropped { notes.append("omitted: \(dropped)") }
        if document.droppedCount > 0 {
            problem = "\(counted(document.droppedCount, "block")) cannot be parsed"
        }
    }
}
