/// A counter, one for each combination of label values.
package final class MetricCounter: MetricFamily {
    let description: MetricDescription
    private let grid: LabelGrid
    private let cells: [MetricCell]

    init(_ name: String, _ help: String, _ labels: [MetricLabel]) {
        description = MetricDescription(name: name, kind: .counter, labels: labels.map(\.name), help: help)
        grid = LabelGrid(labels: labels)
        cells = (0..<grid.count).map { _ in MetricCell() }
    }

    /// Increases the counter for these label values, which are in the order of the labels.
    package func add(_ count: Int = 1, _ values: String...) {
        precondition(values.count == grid.labels.count)
        // A counter never decreases, so negative counts are ignored.
        cells[grid.index(of: values)].add(max(count, 0))
    }

    /// Returns the count for these label values.
    func value(_ values: String...) -> Int { cells[grid.index(of: values)].value }

    /// Returns the nonzero counts; without labels, also a zero.
    func samples() -> [MetricSample] {
        cells.enumerated().compactMap { index, cell in
            let value = cell.value
            guard value > 0 || grid.labels.isEmpty else { return nil }
            return MetricSample(labels: grid.pairs(at: index), value: String(value))
        }
    }
}

/// A metric whose values are read when Prometheus scrapes it.
final class MetricReading: MetricFamily {
    let description: MetricDescription
    private let read: @Sendable () async -> [(labels: [String], value: Double)]

    /// Creates a metric without labels.
    ///
    /// - Parameter read: Returns the value; nil omits it, for example if it is temporarily unavailable.
    convenience init(
        _ name: String,
        _ help: String,
        _ kind: MetricDescription.Kind = .gauge,
        read: @escaping @Sendable () async -> Double?
    ) {
        self.init(name, help, kind, labels: []) { await read().map { [([], $0)] } ?? [] }
    }

    /// Creates a metric with labels.
    ///
    /// - Parameter read: Returns the values, each with its label values in the order of `labels`. Each combination must
    ///   be unique. The label values come from the configuration and the store, never from a client.
    init(
        _ name: String,
        _ help: String,
        _ kind: MetricDescription.Kind = .gauge,
        labels: [String],
        read: @escaping @Sendable () async -> [(labels: [String], value: Double)]
    ) {
        description = MetricDescription(name: name, kind: kind, labels: labels, help: help)
        self.read = read
    }

    func samples() async -> [MetricSample] {
        await read().map { reading in
            MetricSample(
                labels: zip(description.labels, reading.labels).map { (name: $0, value: $1) },
                value: MetricNumber.text(reading.value)
            )
        }
    }
}

/// A histogram of durations in seconds, one for each combination of label values.
package final class MetricHistogram: MetricFamily {
    let description: MetricDescription
    private let grid: LabelGrid
    /// The upper bounds of the buckets, in nanoseconds; the last bucket has none.
    private let bounds: [Int]
    private let buckets: [[MetricCell]]
    private let sums: [MetricCell]

    /// Creates a histogram.
    ///
    /// - Parameter bounds: The upper bounds of the buckets in microseconds, ascending.
    init(_ name: String, _ help: String, _ labels: [MetricLabel], microseconds bounds: [Int]) {
        description = MetricDescription(name: name, kind: .histogram, labels: labels.map(\.name), help: help)
        let grid = LabelGrid(labels: labels)
        self.grid = grid
        self.bounds = bounds.map { $0 * 1000 }
        buckets = (0..<grid.count).map { _ in (0...bounds.count).map { _ in MetricCell() } }
        sums = (0..<grid.count).map { _ in MetricCell() }
    }

    /// Records a duration for these label values, which are in the order of the labels.
    package func observe(_ duration: Duration, _ values: String...) {
        precondition(values.count == grid.labels.count)
        observe(duration, at: grid.index(of: values))
    }

    /// Records a duration for the label values at an index: with one label, the index of its value. It does not look up
    /// or allocate anything.
    func observe(_ duration: Duration, at index: Int) {
        let (seconds, attoseconds) = duration.components
        // Limit the duration to eight years, so that nanoseconds do not overflow.
        let nanoseconds = Int(min(max(seconds, 0), 1 << 28)) * 1_000_000_000 + Int(max(attoseconds, 0) / 1_000_000_000)
        buckets[index][bounds.firstIndex { nanoseconds <= $0 } ?? bounds.count].add(1)
        sums[index].add(nanoseconds)
    }

    func samples() -> [MetricSample] {
        var samples: [MetricSample] = []
        for index in 0..<grid.count {
            // Read each bucket once, so that the count equals that of the last bucket despite concurrent updates.
            let counts = buckets[index].map(\.value)
            let labels = grid.pairs(at: index)
            var total = 0
            guard grid.labels.isEmpty || counts.contains(where: { $0 > 0 }) else { continue }
            for (position, count) in counts.enumerated() {
                total += count
                let bound =
                    position < bounds.count ? MetricNumber.text(Double(bounds[position]) / 1_000_000_000) : "+Inf"
                samples.append(
                    MetricSample(suffix: "_bucket", labels: labels + [("le", bound)], value: String(total))
                )
            }
            let sum = MetricNumber.text(Double(sums[index].value) / 1_000_000_000)
            samples.append(MetricSample(suffix: "_sum", labels: labels, value: sum))
            samples.append(MetricSample(suffix: "_count", labels: labels, value: String(total)))
        }
        return samples
    }
}

enum MetricNumber {
    /// Formats a number for Go's ParseFloat. It differs from Swift's format for NaN, infinities and integers.
    static func text(_ value: Double) -> String {
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value < 0 ? "-Inf" : "+Inf" }
        return value == value.rounded() && abs(value) < 1e15 ? String(Int(value)) : String(value)
    }
}
