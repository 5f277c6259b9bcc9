import HLSPlaylist
import TextCoding
import ToolSupport

extension PlaylistOverview {
    /// Creates an overview of a Media Playlist.
    init(_ playlist: MediaPlaylist, listsSegments: Bool) {
        let (segments, note) = SegmentList.resolve(playlist)
        var list = SegmentList(playlist, listsSegments: listsSegments)
        for segment in segments { list.append(segment) }
        list.finish()
        let count = playlist.segments.count
        let type = playlist.playlistType?.rawValue ?? (playlist.isEnded ? "ended" : "live")
        self.init(
            kind: .media,
            headline:
                "Media Playlist, \(PlaylistText.printable(type)), \(counted(count, "segment")), "
                + "\(shortNumber(rounded(playlist.duration))) s",
            tables: [
                FieldTable(title: "Playlist", fields: Self.fields(playlist, list)),
                FieldTable(title: "Low latency", fields: Self.lowLatency(playlist, list)),
            ],
            grids: [
                list.periods, list.sections, Self.dateRanges(playlist.dateRanges), list.segments,
                Self.preloadHints(playlist.preloadHints), Self.renditionReports(playlist.renditionReports),
            ]
        )
        if let note { notes.append(note) }
        if let skip = playlist.skip {
            let segments = counted(skip.skippedSegments, "segment")
            notes.append("this is a delta update, which skips \(segments), with unknown keys")
        }
    }

    private static func fields(_ playlist: MediaPlaylist, _ list: SegmentList) -> [Field] {
        var fields = FieldCollector()
        fields.add("type", .optional(playlist.playlistType?.rawValue))
        fields.add("ended", .flag(playlist.isEnded))
        fields.add("version", .optional(playlist.version))
        fields.add("target duration", .number(playlist.targetDuration, unit: "s"))
        fields.add("duration", .decimal(rounded(playlist.duration), unit: "s"))
        fields.add("segments", .number(playlist.segments.count))
        fields.add("first sequence number", .number(list.firstNumber))
        fields.add("last sequence number", .optional(list.lastNumber))
        fields.add("discontinuity sequence", .optional(playlist.discontinuitySequence))
        fields.add("discontinuities", list.discontinuities > 0 ? .number(list.discontinuities) : nil)
        fields.add("gaps", list.gaps > 0 ? .number(list.gaps) : nil)
        fields.add("I-frames only", .yes(playlist.isIFramesOnly))
        fields.add("independent segments", .yes(playlist.isIndependentSegments))
        fields.add("start", .optional(playlist.start?.summary))
        fields.add("variables", .nonEmpty(playlist.defines.descriptions))
        fields.add("first date", .optional(list.firstDate?.description))
        fields.add("encrypted segments", list.encrypted > 0 ? .number(list.encrypted) : nil)
        return fields.fields
    }

    private static func lowLatency(_ playlist: MediaPlaylist, _ list: SegmentList) -> [Field] {
        var fields = FieldCollector()
        let control = playlist.serverControl
        fields.add("part target", .optional(playlist.partInf?.partTarget, unit: "s"))
        fields.add("parts", list.parts > 0 ? .number(list.parts) : nil)
        fields.add("blocking reload", .optional(control?.canBlockReload))
        fields.add("part hold back", .optional(control?.partHoldBack, unit: "s"))
        fields.add("hold back", .optional(control?.holdBack, unit: "s"))
        fields.add("skip until", .optional(control?.canSkipUntil, unit: "s"))
        fields.add("skips date ranges", .yes(control?.canSkipDateRanges ?? false))
        return fields.fields
    }

    private static func dateRanges(_ ranges: [DateRangeTag]) -> Grid {
        var grid = Grid(
            title: "Date ranges",
            columns: [
                "ID", "class", "start", "end", "duration", "planned duration", "cue", "end on next", "interstitial",
                "SCTE-35 out", "SCTE-35 in", "SCTE-35 command", "other",
            ]
        )
        grid.rows = ranges.map { range in
            Grid.Row(
                identity: [.text(range.id)],
                cells: [
                    .text(range.id), .optional(range.rangeClass), .optional(range.startDate?.description),
                    .optional(range.endDate?.description), .optional(range.duration, unit: "s"),
                    .optional(range.plannedDuration, unit: "s"), .nonEmpty(range.cue.map(\.rawValue)),
                    .yes(range.endsOnNext), range.interstitial.map(\.asset).map(asset),
                    range.scte35Out.map { .opaque($0) }, range.scte35In.map { .opaque($0) },
                    range.scte35Command.map { .opaque($0) },
                    .others(range.otherAttributes.filter { !["X-ASSET-URI", "X-ASSET-LIST"].contains($0.name) }),
                ]
            )
        }
        return grid
    }

    private static func asset(_ asset: Interstitial.Asset) -> FieldValue {
        switch asset {
        case .uri(let uri), .list(let uri): .uri(uri)
        }
    }

    private static func preloadHints(_ hints: [PreloadHintTag]) -> Grid {
        var grid = Grid(title: "Preload hints", columns: ["type", "first byte", "bytes", "URI"])
        grid.rows = hints.map {
            Grid.Row(
                identity: [.text($0.kind.rawValue), .uri($0.uri)],
                cells: [
                    .text($0.kind.rawValue), .optional($0.byteRangeStart), .optional($0.byteRangeLength), .uri($0.uri),
                ]
            )
        }
        return grid
    }

    private static func renditionReports(_ reports: [RenditionReportTag]) -> Grid {
        var grid = Grid(title: "Rendition reports", columns: ["URI", "last segment", "last part"])
        grid.rows = reports.map {
            Grid.Row(
                identity: [.uri($0.uri)],
                cells: [.uri($0.uri), .optional($0.lastMediaSequenceNumber), .optional($0.lastPart)]
            )
        }
        return grid
    }
}

/// Returns seconds rounded to microseconds, because sums of fractions have many digits.
func rounded(_ seconds: Double) -> Double {
    abs(seconds) < 1e9 ? (seconds * 1e6).rounded() / 1e6 : seconds
}
