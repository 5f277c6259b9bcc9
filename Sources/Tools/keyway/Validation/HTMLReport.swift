import HLSPlaylist
import MediaFormats
import StreamValidation
import TextCoding
import XMLDocuments

/// A report of `keyway validate` as one HTML file without outside resources: the counts, a table of playlists, the bit rate
/// over time of each, and the findings by rule. It can be read on a phone, in light and dark mode, and printed.
struct HTMLReport {
    let report: ValidationReport
    let findings: [ReportedFinding]
    /// The name of the presentation.
    let title: String
    /// The version of Keyway.
    let version: String

    /// The HTML document.
    var text: String {
        """
        <!doctype html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
        <title>\(XMLText.escaped(title)): validation</title>
        <style>\(Self.style)</style>
        </head>
        <body>
        <header>
        <h1>\(XMLText.escaped(title))</h1>
        <p class="verdict \(verdict.level)">\(verdict.text)</p>
        <p>\(XMLText.escaped(ValidationText(report, findings: findings).summary))</p>
        </header>
        <main>
        \(findingsSection)
        <h2>Playlists</h2>
        \(playlistTable)
        <h2>Bit rates</h2>
        \(report.presentation.renditions.compactMap(chart).joined(separator: "\n"))
        </main>
        <footer>keyway validate \(XMLText.escaped(version))</footer>
        </body>
        </html>

        """
    }

    private var verdict: (level: String, text: String) {
        switch findings.map(\.level).max() {
        case .critical: ("critical", "Not all of it plays.")
        case .must: ("must", "It violates requirements.")
        case .should: ("should", "It violates recommendations.")
        case .advice, nil: ("good", "No requirement or recommendation is violated.")
        }
    }

    // MARK: Findings

    private var findingsSection: String {
        guard !findings.isEmpty else { return "" }
        var sections: [String] = []
        var position = 0
        while position < findings.count {
            let first = findings[position]
            let group = findings[position...].prefix { $0.rule == first.rule && $0.level == first.level }
            position += group.count
            let places = group.map { finding in
                let more = finding.count > 1 ? " and \(counted(finding.count - 1, "further segment"))" : ""
                return "<li><code>\(XMLText.escaped(finding.place.text))</code>\(XMLText.escaped(more)): "
                    + "\(XMLText.escaped(finding.sentence))</li>"
            }
            sections.append(
                """
                <details\(first.level >= .must ? " open" : "")><summary><span class="level \(first.level.rawValue)">\
                \(first.level.rawValue)</span> <b>\(XMLText.escaped("\(first.rule)"))</b> \
                <span class="number">\(XMLText.escaped(first.number))</span></summary>
                <p>\(XMLText.escaped(first.summary))</p>
                <ul>\(places.joined(separator: "\n"))</ul>
                \(first.advice.map { "<p class=\"advice\"><b>What to do:</b> \(XMLText.escaped($0))</p>" } ?? "")
                </details>
                """
            )
        }
        return "<h2>Findings</h2>\n" + sections.joined(separator: "\n")
    }

    // MARK: Playlists

    private var playlistTable: String {
        let table = ValidationText(report, findings: findings)
        let head = ValidationText.columns.map { "<th>\(XMLText.escaped($0))</th>" }.joined()
        let rows = table.rows.map { row in
            "<tr>" + row.map { "<td>\(XMLText.escaped($0))</td>" }.joined() + "</tr>"
        }
        return "<div class=\"scroll\"><table><thead><tr>\(head)</tr></thead><tbody>\(rows.joined(separator: "\n"))"
            + "</tbody></table></div>"
    }

    // MARK: Charts

    /// The most segments in a chart; of a longer playlist, neighbors share a bar.
    private static let maximumBars = 400

    /// Returns a chart of a rendition's bit rate over time, and below it a strip that shows where it is encrypted.
    private func chart(_ rendition: MeasuredRendition) -> String? {
        let segments = rendition.segments.filter { $0.duration > 0 && $0.byteCount != nil }
        guard let last = segments.last, let rate = MeasuredBitRate(rendition), !segments.isEmpty else { return nil }
        let length = last.start + last.duration
        let step = (segments.count + Self.maximumBars - 1) / Self.maximumBars
        let bars = stride(from: 0, to: segments.count, by: step).map {
            index -> (start: Double, duration: Double, rate: Double, isEncrypted: Bool) in
            let group = segments[index..<min(index + step, segments.count)]
            let duration = group.reduce(0) { $0 + $1.duration }
            let bytes = group.reduce(0) { $0 + ($1.byteCount ?? 0) }
            return (group[index].start, duration, Double(bytes) * 8 / duration, group[index].keys.isEncrypted)
        }
        let highest = max(bars.map(\.rate).max() ?? 1, 1)
        let width = 1000.0
        func x(_ time: Double) -> String { Self.number(time / length * width) }
        var shapes = bars.map { bar in
            let height = bar.rate / highest * 120
            return "<rect class=\"bar\" x=\"\(x(bar.start))\" y=\"\(Self.number(120 - height))\" width=\""
                + "\(Self.number(max(0.5, bar.duration / length * width - 1)))\" height=\"\(Self.number(height))\"><title>"
                + "\(Self.number(bar.start)) s: \(Int(rounding: bar.rate / 1000)) kbit/s</title></rect>"
        }
        shapes += bars.map { bar in
            "<rect class=\"\(bar.isEncrypted ? "encrypted" : "clear")\" x=\"\(x(bar.start))\" y=\"124\" width=\""
                + "\(Self.number(bar.duration / length * width + 0.5))\" height=\"8\"/>"
        }
        let average = Self.number(120 - min(1, rate.average / highest) * 120)
        shapes.append("<line class=\"average\" x1=\"0\" x2=\"1000\" y1=\"\(average)\" y2=\"\(average)\"/>")
        let name = PlaylistText.printable(PlaylistText.redacted(rendition.name))
        let caption =
            "average \(Int(rounding: rate.average / 1000)) kbit/s, peak \(Int(rounding: rate.peak / 1000)) kbit/s, "
            + "\(Self.number(length)) s"
        return """
            <figure><figcaption><code>\(XMLText.escaped(name))</code>: \(caption)</figcaption>
            <svg viewBox="0 0 1000 134" preserveAspectRatio="none" role="img" aria-label="\(XMLText.escaped("bit rate of \(name)"))">\
            \(shapes.joined())</svg></figure>
            """
    }

    /// Returns a number with one decimal digit.
    private static func number(_ value: Double) -> String {
        let tenths = Int(rounding: value * 10)
        return tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(abs(tenths % 10))"
    }

    private static let style = """
        :root{color-scheme:light dark;--ink:#1b1f24;--paper:#fff;--line:#d5d9de;--soft:#f3f5f7;--bar:#3b7dd8;--red:#b3261e;\
        --amber:#8a5a00;--green:#1a7f37}
        @media (prefers-color-scheme:dark){:root{--ink:#e6e9ed;--paper:#14171b;--line:#343a41;--soft:#1d2126;--bar:#6ea8fe;\
        --red:#ff8a80;--amber:#f0b849;--green:#5fd07e}}
        body{font:16px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--paper);margin:0 auto;max-width:70rem;\
        padding:1rem}
        h1{font-size:1.3rem;overflow-wrap:anywhere}h2{font-size:1.1rem;margin-top:2rem}
        code{font-size:.85em;overflow-wrap:anywhere}
        .verdict{font-weight:600}.verdict.critical,.verdict.must{color:var(--red)}.verdict.should{color:var(--amber)}\
        .verdict.good{color:var(--green)}
        details{border:1px solid var(--line);border-radius:6px;padding:.5rem .8rem;margin:.5rem 0}
        summary{cursor:pointer}.number{opacity:.7;font-size:.85em}
        .level{display:inline-block;min-width:4.5rem;font-weight:600}.level.critical,.level.must{color:var(--red)}\
        .level.should{color:var(--amber)}
        .advice{background:var(--soft);padding:.4rem .6rem;border-radius:4px}
        .scroll{overflow-x:auto}table{border-collapse:collapse;font-size:.9rem}th,td{text-align:left;padding:.3rem .6rem;\
        border-bottom:1px solid var(--line);white-space:nowrap}
        figure{margin:1rem 0}figcaption{font-size:.85rem}svg{width:100%;height:134px;background:var(--soft)}
        .bar{fill:var(--bar)}.average{stroke:var(--ink);stroke-width:1;stroke-dasharray:4 4;vector-effect:non-scaling-stroke}
        .encrypted{fill:var(--amber)}.clear{fill:var(--line)}
        footer{margin-top:2rem;opacity:.7;font-size:.85rem}
        @media print{details{break-inside:avoid}body{max-width:none}}
        """
}
