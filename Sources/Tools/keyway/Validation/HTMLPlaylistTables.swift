import HLSPlaylist
import MediaFormats
import StreamValidation

/// The tables of variants, renditions, I-frame playlists and loudness in the HTML report, with the columns that users of Apple's
/// hlsreport know. A value that is not known is a hyphen.
struct HTMLPlaylistTables {
    let report: ValidationReport

    /// A table: its title, its columns in groups that fit a screen, and its rows. The first column belongs to every group.
    private struct Table {
        let title: String
        let first: String
        let groups: [(caption: String, columns: [String])]
        let rows: [[String]]
    }

    /// The tables; empty ones are left out.
    var html: String {
        let tables =
            (report.presentation.multivariant == nil ? [media] : [variants, renditions, iFrames]) + [loudness, keys]
        return tables.filter { !$0.rows.isEmpty }.map { table in
            "<h2>\(table.title)</h2>\n" + Self.html(table)
        }.joined(separator: "\n")
    }

    /// Returns the HTML of a table: a table for each group of columns.
    private static func html(_ table: Table) -> String {
        var start = 1
        return table.groups.map { group in
            let range = start..<start + group.columns.count
            start = range.upperBound
            let columns = [table.first] + group.columns
            let head = columns.map { "<th scope=\"col\">\(HTMLReport.escaped($0))</th>" }.joined()
            let rows = table.rows.map { row in
                let cells = zip(columns, [row[0]] + row[range]).map { column, value in
                    "<td data-label=\"\(HTMLReport.escaped(column))\"><span>\(HTMLReport.escaped(value))</span></td>"
                }
                return "<tr>\(cells.joined())</tr>"
            }
            return "<table><caption>\(group.caption)</caption><thead><tr>\(head)</tr></thead><tbody>\n"
                + "\(rows.joined(separator: "\n"))</tbody></table>"
        }.joined(separator: "\n")
    }

    // MARK: Tables

    private var variants: Table {
        let loads = report.presentation.variantLoads
        let rows = report.presentation.renditions.flatMap { rendition in
            rendition.roles.variants.map { variant, line -> [String] in
                let attributes = variant.streamInf.attributes
                let load = loads.first { $0.place.line == line }
                return [
                    Self.name(rendition), variant.streamInf.audio ?? "-",
                    Self.rate(Double(attributes.bandwidth)), Self.rate(load?.rate.peak),
                    Self.difference(load?.rate.peak, attributes.bandwidth),
                    Self.rate(attributes.averageBandwidth.map { Double($0) }), Self.rate(load?.rate.average),
                    Self.difference(load?.rate.average, attributes.averageBandwidth),
                ] + Self.picture(rendition) + Self.common(rendition)
            }
        }
        return Table(
            title: "Variants",
            first: "Playlist",
            groups: [
                (
                    "Bit rates",
                    ["Audio group", "BANDWIDTH", "Peak", "Diff.", "AVERAGE-BANDWIDTH", "Average", "Diff."]
                ),
                ("Video", Self.pictureColumns), ("Segments", Self.commonColumns),
            ],
            rows: rows
        )
    }

    private var renditions: Table {
        let rows = report.presentation.renditions.flatMap { rendition in
            rendition.roles.renditions.map { tag, _ -> [String] in
                let rate = MeasuredBitRate(rendition)
                let format = rendition.formats.first { $0.kind == .audio }
                return [
                    Self.name(rendition), tag.groupID, tag.type.rawValue, tag.name, tag.language ?? "-",
                    Self.rate(rate?.peak), Self.rate(rate?.average), format?.channels ?? tag.channels ?? "-",
                    format?.sampleRate.map { "\($0) Hz" } ?? "-", Self.codecs(rendition),
                ] + Self.common(rendition)
            }
        }
        return Table(
            title: "Renditions",
            first: "Playlist",
            groups: [
                (
                    "Media",
                    ["Group", "Type", "Name", "Language", "Peak", "Average", "Channels", "Sample rate", "Codec"]
                ),
                ("Segments", Self.commonColumns),
            ],
            rows: rows
        )
    }

    private var iFrames: Table {
        let rows = report.presentation.renditions.flatMap { rendition in
            rendition.roles.iFrameVariants.map { tag, _ -> [String] in
                let rate = MeasuredBitRate(rendition)
                // Players show 8 frames per second in trick play.
                let frames = rendition.playlist.duration / Double(max(1, rendition.segments.count)) * 8
                return [
                    Self.name(rendition), Self.rate(Double(tag.attributes.bandwidth)), Self.rate(rate?.peak),
                    Self.difference(rate?.peak, tag.attributes.bandwidth), Self.rate(rate?.average),
                    Self.rate(rate.map { $0.average * frames }), Self.decimal(frames),
                ] + Self.picture(rendition) + Self.common(rendition)
            }
        }
        return Table(
            title: "I-frame playlists",
            first: "Playlist",
            groups: [
                ("Bit rates", ["BANDWIDTH", "Peak", "Diff.", "Average", "Scaled average", "Multiplier"]),
                ("Video", Self.pictureColumns), ("Segments", Self.commonColumns),
            ],
            rows: rows
        )
    }

    private var media: Table {
        let rows = report.presentation.renditions.map { rendition in
            let rate = MeasuredBitRate(rendition)
            return [Self.name(rendition), Self.rate(rate?.peak), Self.rate(rate?.average)] + Self.picture(rendition)
                + Self.common(rendition)
        }
        return Table(
            title: "Playlist",
            first: "Playlist",
            groups: [
                ("Bit rates", ["Peak", "Average"]), ("Video", Self.pictureColumns), ("Segments", Self.commonColumns),
            ],
            rows: rows
        )
    }

    private var loudness: Table {
        Table(
            title: "Loudness",
            first: LoudnessSummary.columns[0],
            groups: [("Of the audio in each playlist", Array(LoudnessSummary.columns.dropFirst()))],
            rows: LoudnessSummary.all(report.presentation).map(\.cells)
        )
    }

    private var keys: Table {
        Table(
            title: "Requested keys",
            first: KeySummary.columns[0],
            groups: [("Without the keys themselves", Array(KeySummary.columns.dropFirst()))],
            rows: KeySummary.all(report.presentation).map(\.cells)
        )
    }

    // MARK: Cells

    private static let pictureColumns = [
        "Resolution", "Range", "IDR interval", "IDR std. dev.", "Frame rate", "Codec", "Profile", "Level",
    ]

    private static func picture(_ rendition: MeasuredRendition) -> [String] {
        let format = rendition.formats.first { $0.kind == .video }
        let tracks = rendition.measured.lazy.flatMap(\.measurement.tracks).filter { $0.format.kind == .video }
        let frames = tracks.reduce(0) { $0 + $1.keyFrames.count }
        // An I-frame alone lasts only a moment.
        let duration = rendition.measured.reduce(0) { $0 + $1.segment.duration }
        return [
            format?.size.map { "\($0.width)x\($0.height)" } ?? "-", format?.dynamicRange?.rawValue ?? "-",
            frames > 0 && duration > 0 ? "\(decimal(duration / Double(frames))) s" : "-",
            deviation(tracks.map(\.keyFrames)),
            tracks.first?.frameRate.map { decimal($0) } ?? "-", codecs(rendition),
        ] + profile(format)
    }

    /// Returns the names of the profile and the level of video, such as High and 4.1; hyphens if they are not known.
    private static func profile(_ format: TrackFormat?) -> [String] {
        let name = format.map { VideoProfile(Codec($0.codecs)) }
        return [name?.profile ?? "-", name?.level ?? "-"]
    }

    /// Returns the standard deviation of the distances of key frames within segments; a hyphen for fewer than two distances.
    private static func deviation(_ segments: some Sequence<[Double]>) -> String {
        let gaps = segments.flatMap { times in zip(times, times.dropFirst()).map { $1 - $0 } }
        guard gaps.count > 1 else { return "-" }
        let mean = gaps.reduce(0, +) / Double(gaps.count)
        let variance = gaps.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(gaps.count)
        return "\(decimal(variance.squareRoot())) s"
    }

    private static let commonColumns = ["Encryption", "Stream", "Segments", "Mean duration", "Processed"]

    private static func common(_ rendition: MeasuredRendition) -> [String] {
        let segments = rendition.segments.filter { !$0.isGap }
        let done = segments.count { $0.byteCount != nil }
        let duration = segments.reduce(0) { $0 + $1.duration }
        return [
            ValidationText.encryption(rendition), rendition.isLive ? "live" : "VOD", "\(segments.count)",
            segments.isEmpty ? "-" : "\(decimal(duration / Double(segments.count))) s",
            segments.isEmpty ? "-" : "\(Int(rounding: Double(done) / Double(segments.count) * 100)) %",
        ]
    }

    private static func name(_ rendition: MeasuredRendition) -> String {
        PlaylistText.redacted(rendition.name).split(separator: "/").suffix(2).joined(separator: "/")
    }

    private static func codecs(_ rendition: MeasuredRendition) -> String {
        var known: Set<String> = []
        let codecs = rendition.formats.map(\.codecs).filter { known.insert($0).inserted }
        return codecs.isEmpty ? "-" : codecs.joined(separator: ", ")
    }

    private static func rate(_ rate: Double?) -> String { rate.map { ValidationRule.rateText($0) } ?? "-" }

    private static func difference(_ measured: Double?, _ declared: UInt64?) -> String {
        guard let measured, let declared, declared > 0 else { return "-" }
        let percent = Int(rounding: (measured / Double(declared) - 1) * 100)
        return (percent > 0 ? "+" : "") + "\(percent) %"
    }

    /// Returns a number with at most two decimal digits.
    private static func decimal(_ value: Double) -> String {
        let hundredths = Int(rounding: value * 100)
        let (whole, rest) = (hundredths / 100, abs(hundredths % 100))
        guard rest > 0 else { return "\(whole)" }
        return rest % 10 == 0 ? "\(whole).\(rest / 10)" : "\(whole).\(rest < 10 ? "0" : "")\(rest)"
    }
}
