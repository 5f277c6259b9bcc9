import HLSPlaylist
import MediaFormats
import StreamValidation

/// The tables of variants, renditions and I-frame playlists in the HTML report, with the columns that users of Apple's
/// hlsreport know. A value that is not known is a hyphen.
struct HTMLPlaylistTables {
    let report: ValidationReport

    /// A table: its title, its columns, and its rows.
    private struct Table {
        let title: String
        let columns: [String]
        let rows: [[String]]
    }

    /// The tables; empty ones are left out.
    var html: String {
        let tables = (report.presentation.multivariant == nil ? [media] : [variants, renditions, iFrames]) + [keys]
        return tables.filter { !$0.rows.isEmpty }.map { table in
            "<h2>\(table.title)</h2>\n" + Self.parts(table).map(Self.html).joined(separator: "\n")
        }.joined(separator: "\n")
    }

    /// The most columns of a table beside the first one, so that it fits a screen.
    private static let maximumColumns = 9

    /// Divides a wide table; each part begins with the first column.
    private static func parts(_ table: Table) -> [Table] {
        let rest = Array(table.columns.indices.dropFirst())
        let count = (rest.count + maximumColumns - 1) / maximumColumns
        let size = (rest.count + count - 1) / max(1, count)
        return stride(from: 0, to: rest.count, by: max(1, size)).map { start in
            let chosen = [0] + rest[start..<min(start + size, rest.count)]
            let rows = table.rows.map { row in chosen.map { row[$0] } }
            return Table(title: table.title, columns: chosen.map { table.columns[$0] }, rows: rows)
        }
    }

    private static func html(_ table: Table) -> String {
        let head = table.columns.map { "<th scope=\"col\">\(HTMLReport.escaped($0))</th>" }.joined()
        let rows = table.rows.map { row in
            let cells = zip(table.columns, row).map { column, value in
                "<td data-label=\"\(HTMLReport.escaped(column))\"><span>\(HTMLReport.escaped(value))</span></td>"
            }
            return "<tr>\(cells.joined())</tr>"
        }
        return
            "<table><caption>\(table.title)</caption><thead><tr>\(head)</tr></thead><tbody>\n\(rows.joined(separator: "\n"))</tbody></table>"
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
            columns: ["Playlist", "Audio group", "BANDWIDTH", "Peak", "Diff.", "AVERAGE-BANDWIDTH", "Average", "Diff."]
                + Self.pictureColumns + Self.commonColumns,
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
            columns: [
                "Playlist", "Group", "Type", "Name", "Language", "Peak", "Average", "Channels", "Sample rate", "Codec",
            ] + Self.commonColumns,
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
            columns: ["Playlist", "BANDWIDTH", "Peak", "Diff.", "Average", "Scaled average", "Multiplier"]
                + Self.pictureColumns + Self.commonColumns,
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
            columns: ["Playlist", "Peak", "Average"] + Self.pictureColumns + Self.commonColumns,
            rows: rows
        )
    }

    private var keys: Table {
        Table(
            title: "Requested keys",
            columns: KeySummary.columns,
            rows: KeySummary.all(report.presentation).map(\.cells)
        )
    }

    // MARK: Cells

    private static let pictureColumns = ["Resolution", "Range", "IDR interval", "IDR std. dev.", "Frame rate", "Codec"]

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
        ]
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
