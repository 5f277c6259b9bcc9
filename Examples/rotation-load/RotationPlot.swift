/// A bar chart of two loads, with a line for one or more seconds.
struct RotationPlot {
    let spread: RotationSimulation.Load
    let unspread: RotationSimulation.Load
    /// The length of the longest bar, in characters.
    var width = 50
    /// The maximum number of lines.
    var maximumLines = 40

    /// A line of the chart.
    struct Line: Equatable {
        /// The first second of the line.
        let second: Int
        /// The load of the busiest second of the line, with spreading.
        let spread: Int
        /// The load of the busiest second of the line, without spreading.
        let unspread: Int
    }

    /// The number of seconds per line.
    var step: Int {
        let seconds = unspread.counts.count - spread.start
        return max(1, (seconds + maximumLines - 1) / maximumLines)
    }

    /// The lines from the first request to the last. A line starts at the second of the tag.
    var lines: [Line] {
        let first = -((-spread.start + step - 1) / step) * step
        return stride(from: first, to: unspread.counts.count, by: step).map { second in
            let seconds = second..<second + step
            return Line(
                second: second,
                spread: seconds.map { spread.count(in: $0) }.max() ?? 0,
                unspread: seconds.map { unspread.count(in: $0) }.max() ?? 0
            )
        }
    }

    /// The chart. `=` is the load with spreading, `#` the load without; both bars start at the left.
    var text: String {
        let peak = max(spread.peak, unspread.peak, 1)
        let bars = lines.map { line in
            let long = bar(line.unspread, peak)
            let short = bar(line.spread, peak)
            let counts = [line.spread, line.unspread].filter { $0 > 0 }.map(grouped).joined(separator: " and ")
            let bar = String(repeating: "=", count: short) + String(repeating: "#", count: max(0, long - short))
            return "  \(padded(line.second)) s |\(bar)\(bar.isEmpty ? "" : " ")\(counts)"
        }
        let title = "Requests per second  = spread, # not spread; the key's tag appears at 0 s"
        let remark = step > 1 ? ["  each line shows the busiest of \(step) seconds"] : []
        return ([title] + remark + bars).joined(separator: "\n") + "\n"
    }

    private func bar(_ count: Int, _ peak: Int) -> Int {
        count == 0 ? 0 : max(1, Int((Double(count) / Double(peak) * Double(width)).rounded()))
    }

    private func padded(_ second: Int) -> String {
        let text = "\(second)"
        return String(repeating: " ", count: max(0, 6 - text.count)) + text
    }
}

/// Returns a number with commas between thousands.
func grouped(_ number: Int) -> String {
    let digits = String(number)
    var text = ""
    for (index, digit) in digits.enumerated() {
        if index > 0, digit != "-", (digits.count - index) % 3 == 0, text != "-" { text += "," }
        text.append(digit)
    }
    return text
}
