import HLSPlaylist
import StreamValidation
import TextCoding
import ToolSupport

/// The chart of a Media Playlist: the bit rate of its segments over time, the window with the measured peak, lines for the
/// declared rates, and below it a strip with the key periods.
struct HTMLChart {
    private let rendition: MeasuredRendition
    private let segments: [MeasuredSegment]
    private let rate: MeasuredBitRate
    private let length: Double

    /// The most segments in a chart; of a longer playlist, neighbors share a bar.
    private static let maximumBars = 400
    /// The most segments of a window, so that segments without duration cannot make the search long.
    private static let maximumWindow = 64
    private static let width = 1000.0
    private static let height = 124.0

    /// Creates the chart of a rendition; nil if no segment was loaded.
    init?(_ rendition: MeasuredRendition) {
        segments = rendition.segments.filter { $0.duration > 0 && $0.byteCount != nil }
        guard let last = segments.last, let rate = MeasuredBitRate(rendition) else { return nil }
        length = last.start + last.duration
        guard length.isFinite, length > 0 else { return nil }
        (self.rendition, self.rate) = (rendition, rate)
    }

    /// The figure.
    var html: String {
        let name = HTMLReport.escaped(PlaylistText.redacted(rendition.name))
        let bars = bars
        let lines = lines
        let highest = Self.axisEnd(max(bars.map(\.rate).max() ?? 1, rate.peak, lines.map(\.rate).max() ?? 0, 1))
        func y(_ rate: Double) -> String { Self.number(Self.height - min(1, rate / highest) * Self.height) }
        var shapes = [0.25, 0.5, 0.75].map { part in
            "<line class=\"grid\" x1=\"0\" x2=\"1000\" y1=\"\(y(highest * part))\" y2=\"\(y(highest * part))\"/>"
        }
        if let window {
            shapes.append(rectangle("window", window.start, window.end, top: "0", height: Self.number(Self.height)))
        }
        shapes += bars.map { bar in
            let label = "\(Self.number(bar.start)) s: \(Int(rounding: bar.rate / 1000)) kbit/s"
            let size = Self.number(min(1, bar.rate / highest) * Self.height)
            return rectangle("bar", bar.start, bar.end, top: y(bar.rate), height: size, title: label)
        }
        shapes += lines.map { line in
            "<line class=\"\(line.name)\" x1=\"0\" x2=\"1000\" y1=\"\(y(line.rate))\" y2=\"\(y(line.rate))\"><title>"
                + "\(line.label)</title></line>"
        }
        let periods = periods
        shapes += periods.map { period in
            rectangle(period.style, period.start, period.end, top: "130", height: "14", title: period.label)
        }
        let caption =
            "average \(ValidationRule.rateText(rate.average)), peak \(ValidationRule.rateText(rate.peak)), "
            + "\(Self.number(length)) s"
        return """
            <figure><figcaption><b><code>\(name)</code></b>: \(caption)</figcaption>
            <div class="plot"><div class="rates" aria-hidden="true"><span>\(ValidationRule.rateText(highest))</span>\
            <span>\(ValidationRule.rateText(highest / 2))</span><span>0</span></div>
            <svg class="scale" viewBox="0 0 1000 146" preserveAspectRatio="none" role="img" \
            aria-label="bit rate over time of \(name)">\(shapes.joined())</svg>
            <div class="strip" aria-hidden="true">encryption</div>
            <div class="times" aria-hidden="true">\(times.map { "<span>\($0)</span>" }.joined())</div></div>
            \(legend(lines, periods))</figure>
            """
    }

    /// The labels of the time axis: the start, the middle and the end of the playlist.
    private var times: [String] {
        [0, length / 2, length].map { seconds in
            // Durations of others can be beyond every integer.
            guard seconds < 1e9 else { return "\(seconds) s" }
            let whole = Int(seconds)
            let digits = { (number: Int) in number < 10 ? "0\(number)" : "\(number)" }
            let minutes = "\(digits(whole / 60 % 60)):\(digits(whole % 60))"
            return whole < 3600 ? minutes : "\(whole / 3600):\(minutes)"
        }
    }

    /// Returns the end of the axis of bit rates: the next of 1, 1.5, 2, 3, 4, 6, 8 and 10 times a power of 10.
    private static func axisEnd(_ rate: Double) -> Double {
        guard rate.isFinite, rate > 0 else { return 1 }
        var unit = 1.0
        while unit * 10 < rate, unit < 1e300 { unit *= 10 }
        return ([1, 1.5, 2, 3, 4, 6, 8].map { $0 * unit }.first { $0 >= rate }) ?? unit * 10
    }

    private func legend(_ lines: [Line], _ periods: [Period]) -> String {
        var items = ["<span><i class=\"bar\"></i>segments</span>"]
        if window != nil { items.append("<span><i class=\"window\"></i>peak window</span>") }
        items += lines.map { "<span><i class=\"\($0.name)\"></i>\($0.label)</span>" }
        let shown = periods.prefix(8)
        items += shown.map { "<span class=\"long\"><i class=\"\($0.style)\"></i>\($0.label)</span>" }
        if periods.count > shown.count {
            items.append("<span>and \(counted(periods.count - shown.count, "further period"))</span>")
        }
        return "<div class=\"legend\">\(items.joined(separator: " "))</div>"
    }

    // MARK: Data

    private var bars: [(start: Double, end: Double, rate: Double)] {
        let step = (segments.count + Self.maximumBars - 1) / Self.maximumBars
        return stride(from: 0, to: segments.count, by: max(1, step)).map { index in
            let group = segments[index..<min(index + step, segments.count)]
            let duration = group.reduce(0) { $0 + $1.duration }
            let bytes = group.reduce(0.0) { $0 + Double($1.byteCount ?? 0) }
            return (group[index].start, group[index].start + duration, bytes * 8 / duration)
        }
    }

    /// A horizontal line at a bit rate.
    private struct Line {
        let name: String
        let rate: Double
        let label: String
    }

    private var lines: [Line] {
        var lines: [Line] = []
        let attributes = rendition.roles.variants.first?.variant.streamInf.attributes
        let bandwidth = attributes?.bandwidth ?? rendition.roles.iFrameVariants.first?.tag.attributes.bandwidth
        if let bandwidth {
            let rate = Double(bandwidth)
            lines.append(Line(name: "bandwidth", rate: rate, label: "BANDWIDTH \(ValidationRule.rateText(rate))"))
        }
        if let average = attributes?.averageBandwidth {
            let rate = Double(average)
            lines.append(
                Line(name: "declared", rate: rate, label: "AVERAGE-BANDWIDTH \(ValidationRule.rateText(rate))")
            )
        }
        let text = "measured average \(ValidationRule.rateText(rate.average))"
        return lines + [Line(name: "average", rate: rate.average, label: text)]
    }

    /// The contiguous segments of 0.5 to 1.5 Target Durations with the highest bit rate (RFC 8216bis, 4.1).
    private var window: (start: Double, end: Double)? {
        let target = Double(max(1, rendition.playlist.targetDuration))
        var best: (rate: Double, start: Double, end: Double)?
        for first in segments.indices {
            var (bytes, duration) = (0.0, 0.0)
            for index in first..<min(first + Self.maximumWindow, segments.count) {
                if index > first, segments[index].index != segments[index - 1].index + 1 { break }
                bytes += Double(segments[index].byteCount ?? 0)
                duration += segments[index].duration
                if duration > target * 1.5 { break }
                guard duration >= target * 0.5 else { continue }
                let rate = bytes * 8 / duration
                if rate > best?.rate ?? 0 {
                    best = (rate, segments[first].start, segments[first].start + duration)
                }
            }
        }
        return best.map { ($0.start, $0.end) }
    }

    /// A time with one set of keys, or without encryption.
    private struct Period {
        let style: String
        let start: Double
        var end: Double
        let label: String
    }

    private var periods: [Period] {
        var periods: [Period] = []
        var keys: KeyContext?
        var number = 0
        for segment in segments {
            let end = segment.start + segment.duration
            if segment.keys == keys, !periods.isEmpty {
                periods[periods.count - 1].end = end
                continue
            }
            keys = segment.keys
            guard segment.keys.isEncrypted else {
                periods.append(Period(style: "clear", start: segment.start, end: end, label: "clear"))
                continue
            }
            let key = segment.keys.keys.first
            let uri = key?.uri.map { " \(HTMLReport.escaped(PlaylistText.redacted($0)))" } ?? ""
            let method = key.map { HTMLReport.escaped($0.method.rawValue) } ?? ""
            let label = "key period \(number + 1): \(method)\(uri)"
            periods.append(Period(style: "key\(number % 3)", start: segment.start, end: end, label: label))
            number += 1
        }
        return periods
    }

    // MARK: Shapes

    private func rectangle(
        _ style: String,
        _ start: Double,
        _ end: Double,
        top: String,
        height: String,
        title: String? = nil
    ) -> String {
        let left = start / length * Self.width
        let width = max(0.5, (end - start) / length * Self.width - (style == "bar" ? 1 : 0))
        let label = title.map { "<title>\($0)</title>" } ?? ""
        return
            "<rect class=\"\(style)\" x=\"\(Self.number(left))\" y=\"\(top)\" width=\"\(Self.number(width))\" height=\""
            + "\(height)\">\(label)</rect>"
    }

    /// Returns a number with one decimal digit.
    private static func number(_ value: Double) -> String {
        let tenths = Int(rounding: value * 10)
        return tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(abs(tenths % 10))"
    }
}
