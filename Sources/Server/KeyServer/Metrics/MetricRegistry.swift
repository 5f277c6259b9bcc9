import Synchronization

/// Numbers to watch, in the text format 0.0.4 of Prometheus.
///
/// Updates are atomic additions without a lock. Label values come from sets that are closed when a metric is made, so
/// that no client can make it grow; a value outside of its set counts as `other`.
package final class MetricRegistry: Sendable {
    private let families = Mutex<[any MetricFamily]>([])

    /// An empty registry.
    package init() {}

    /// The name, kind and help of every metric, in the order in which they were added.
    package var descriptions: [MetricDescription] { families.withLock { $0.map(\.description) } }

    /// Adds a family. Its name must be new.
    func add<Family: MetricFamily>(_ family: Family) -> Family {
        families.withLock { families in
            precondition(!families.contains { $0.description.name == family.description.name }, "metric twice")
            families.append(family)
        }
        return family
    }

    /// The text, as of now.
    package func exposition() async -> String {
        var text = ""
        for family in families.withLock({ $0 }) {
            let description = family.description
            text += "# HELP \(description.name) \(Self.escapedHelp(description.help))\n"
            text += "# TYPE \(description.name) \(description.kind.rawValue)\n"
            for sample in await family.samples() {
                text += description.name + sample.suffix + Self.labels(sample.labels) + " " + sample.value + "\n"
            }
        }
        return text
    }

    private static func escapedHelp(_ text: String) -> String {
        text.map { $0 == "\\" ? #"\\"# : $0 == "\n" ? #"\n"# : String($0) }.joined()
    }

    private static func labels(_ labels: [(name: String, value: String)]) -> String {
        guard !labels.isEmpty else { return "" }
        let pairs = labels.map { name, value in
            let escaped = value.map { $0 == "\\" ? #"\\"# : $0 == "\n" ? #"\n"# : $0 == "\"" ? #"\""# : String($0) }
            return "\(name)=\"\(escaped.joined())\""
        }
        return "{\(pairs.joined(separator: ","))}"
    }
}

/// What a metric is.
package struct MetricDescription: Sendable, Equatable {
    /// How Prometheus treats it.
    package enum Kind: String, Sendable {
        /// Only grows.
        case counter
        /// Goes up and down.
        case gauge
        /// How often a value was at most so large.
        case histogram
    }

    /// The name, with the unit at its end.
    package let name: String
    /// How Prometheus treats it.
    package let kind: Kind
    /// The names of its labels.
    package let labels: [String]
    /// What it counts, in a sentence.
    package let help: String
}

/// One line of the text.
struct MetricSample: Sendable {
    var suffix = ""
    var labels: [(name: String, value: String)] = []
    let value: String
}

/// All samples under one name.
protocol MetricFamily: Sendable {
    var description: MetricDescription { get }
    func samples() async -> [MetricSample]
}

/// A label and everything that it can be.
package struct MetricLabel: Sendable {
    /// What stands for a value that is not in the set.
    package static let other = "other"
    let name: String
    let values: [String]
    let indices: [String: Int]

    /// Makes a label with a closed set of values; `other` is always one of them.
    package init(_ name: String, _ values: some Sequence<String>) {
        var all: [String] = []
        var indices: [String: Int] = [:]
        for value in Array(values) + [Self.other] where indices[value] == nil {
            indices[value] = all.count
            all.append(value)
        }
        self.name = name
        self.values = all
        self.indices = indices
    }

    func index(of value: String) -> Int { indices[value] ?? indices[Self.other] ?? 0 }
}

/// An integer that many threads may change. An object, since arrays hold no atomics.
final class MetricCell: Sendable {
    private let atomic = Atomic<Int>(0)

    var value: Int { atomic.load(ordering: .relaxed) }
    func add(_ count: Int) { atomic.wrappingAdd(count, ordering: .relaxed) }
}

/// Where each combination of label values has its place.
struct LabelGrid: Sendable {
    let labels: [MetricLabel]

    var count: Int { labels.reduce(1) { $0 * $1.values.count } }

    func index(of values: [String]) -> Int {
        zip(labels, values).reduce(0) { $0 * $1.0.values.count + $1.0.index(of: $1.1) }
    }

    func pairs(at index: Int) -> [(name: String, value: String)] {
        var rest = index
        var pairs: [(name: String, value: String)] = []
        for label in labels.reversed() {
            pairs.append((label.name, label.values[rest % label.values.count]))
            rest /= label.values.count
        }
        return pairs.reversed()
    }
}
