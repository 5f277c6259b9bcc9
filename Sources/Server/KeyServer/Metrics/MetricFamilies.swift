/// A number that only grows, one for each combination of label values.
package final class MetricCounter: MetricFamily {
    let description: MetricDescription
    private let grid: LabelGrid
    private let cells: [MetricCell]

    init(_ name: String, _ help: String, _ labels: [MetricLabel]) {
        description = MetricDescription(name: name, kind: .counter, labels: labels.map(\.name), help: help)
        grid = LabelGrid(labels: labels)
        cells = (0..<grid.count).map { _ in MetricCell() }
    }

    /// Adds to the count of these label values, in the order of the labels.
    package func add(_ count: Int = 1, _ values: String...) {
        precondition(values.count == grid.labels.count)
        // A counter never falls, whatever it is told.
        cells[grid.index(of: values)].add(max(count, 0))
    }

    /// The count of these label values.
    func value(_ values: String...) -> Int { cells[grid.index(of: values)].value }

    /// Those that have counted something; without labels, also zero.
    func samples() -> [MetricSample] {
        cells.enumerated().compactMap { index, cell in
            let value = cell.value
            guard value > 0 || grid.labels.isEmpty else { return nil }
            return MetricSample(labels: grid.pairs(at: index), value: String(value))
        }
    }
}

/// Numbers that are asked for when somebody looks.
final class MetricReading: MetricFamily {
    let description: MetricDescription
    private let read: @Sendable () async -> [(labels: [String], value: Double)]

    /// A number without labels.
    ///
    /// - Parameter read: the number; nil leaves it out, as when it cannot be had now.
    convenience init(
        _ name: String,
        _ help: String,
        _ kind: MetricDescription.Kind = .gauge,
        read: @escaping @Sendable () async -> Double?
    ) {
        self.init(name, help, kind, labels: []) { await read().map { [([], $0)] } ?? [] }
    }

    /// - Parameter read: the numbers with the values of their labels, in the order of these; each combination once. The values
    ///   come from the configuration and the store, never from a client.
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

/// How long something took, in seconds, one distribution for each combination of label values.
package final class MetricHistogram: MetricFamily {
    let description: MetricDescription
    private let grid: LabelGrid
    /// In nanoseconds; the last bucket has no bound.
    private let bounds: [Int]
    private let buckets: [[MetricCell]]
    private let sums: [MetricCell]

    /// - Parameter bounds: the upper bounds of the buckets in microseconds, rising.
    init(_ name: String, _ help: String, _ labels: [MetricLabel], microseconds bounds: [Int]) {
        description = MetricDescription(name: name, kind: .histogram, labels: labels.map(\.name), help: help)
        let grid = LabelGrid(labels: labels)
        self.grid = grid
        self.bounds = bounds.map { $0 * 1000 }
        buckets = (0..<grid.count).map { _ in (0...bounds.count).map { _ in MetricCell() } }
        sums = (0..<grid.count).map { _ in MetricCell() }
    }

    /// Counts one that took so long, under these label values in the order of the labels.
    package func observe(_ duration: Duration, _ values: String...) {
        precondition(values.count == grid.labels.count)
        observe(duration, at: grid.index(of: values))
    }

    /// Counts one that took so long, under the label values at a place: for one label the place among its values. Nothing is
    /// looked up or allocated.
    func observe(_ duration: Duration, at index: Int) {
        let (seconds, attoseconds) = duration.components
        // Nine years in nanoseconds fit; nothing that is measured here takes as long.
        let nanoseconds = Int(min(max(seconds, 0), 1 << 28)) * 1_000_000_000 + Int(max(attoseconds, 0) / 1_000_000_000)
        buckets[index][bounds.firstIndex { nanoseconds <= $0 } ?? bounds.count].add(1)
        sums[index].add(nanoseconds)
    }

    func samples() -> [MetricSample] {
        var samples: [MetricSample] = []
        for index in 0..<grid.count {
            // Read once, so that the count is always the last bucket's, whatever is being counted meanwhile.
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
    /// A number as Go's ParseFloat reads it: Swift's own text is, but for these three.
    static func text(_ value: Double) -> String {
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value < 0 ? "-Inf" : "+Inf" }
        return value == value.rounded() && abs(value) < 1e15 ? String(Int(value)) : String(value)
    }
}
