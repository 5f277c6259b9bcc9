import Synchronization

/// The server's metrics, in the Prometheus text format 0.0.4.
///
/// Updates are atomic additions without a lock. The values of a label are fixed when the metric is created, so that
/// clients cannot make it grow; other values count as `other`.
package final class MetricRegistry: Sendable {
    private let families = Mutex<[any MetricFamily]>([])

    /// Creates an empty registry.
    package init() {}

    /// The descriptions of all metrics, in the order in which they were added.
    package var descriptions: [MetricDescription] { families.withLock { $0.map(\.description) } }

    /// Adds a metric family. Its name must be unique.
    func add<Family: MetricFamily>(_ family: Family) -> Family {
        families.withLock { families in
            precondition(!families.contains { $0.description.name == family.description.name }, "metric twice")
            families.append(family)
        }
        return family
    }

    /// Returns the current values in the text format.
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

/// The description of a metric.
package struct MetricDescription: Sendable, Equatable {
    /// The Prometheus metric type.
    package enum Kind: String, Sendable {
        /// A value that only increases.
        case counter
        /// A value that can increase and decrease.
        case gauge
        /// A distribution of values in buckets.
        case histogram
    }

    /// The name, which ends with the unit.
    package let name: String
    /// The Prometheus metric type.
    package let kind: Kind
    /// The names of the labels.
    package let labels: [String]
    /// The help text, one sentence.
    package let help: String
}

/// One line of the text format.
struct MetricSample: Sendable {
    var suffix = ""
    var labels: [(name: String, value: String)] = []
    let value: String
}

/// All samples with the same metric name.
protocol MetricFamily: Sendable {
    var description: MetricDescription { get }
    func samples() async -> [MetricSample]
}

/// A label with its possible values.
package struct MetricLabel: Sendable {
    /// The label value that replaces values that are not in the set.
    package static let other = "other"
    let name: String
    let values: [String]
    let indices: [String: Int]

    /// Creates a label with a fixed set of values, to which `other` is added.
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

/// An atomic integer. It is a class because arrays cannot contain noncopyable atomics.
final class MetricCell: Sendable {
    private let atomic = Atomic<Int>(0)

    var value: Int { atomic.load(ordering: .relaxed) }
    func add(_ count: Int) { atomic.wrappingAdd(count, ordering: .relaxed) }
}

/// The mapping from combinations of label values to array indices.
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
