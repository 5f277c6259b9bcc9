import Synchronization

/// Counts responses by method, route and status. The router has few routes, but the number of combinations is limited
/// anyway.
final class RouteCounter: MetricFamily {
    private struct Key: Hashable {
        let method: String
        let route: String
        let status: Int
    }

    private static let methods: Set<String> = ["GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS"]
    /// The maximum number of different combinations.
    static let capacity = 1_024

    let description: MetricDescription
    private let counts = Mutex<[Key: Int]>([:])

    init(_ name: String, _ help: String) {
        description = MetricDescription(name: name, kind: .counter, labels: ["method", "route", "status"], help: help)
    }

    func add(method: String, route: String?, status: Int) {
        let method = Self.methods.contains(method) ? method : MetricLabel.other
        // Without a matching route, the endpoint path is the name of what refused the request.
        let route = route.flatMap { $0.hasPrefix("/") ? $0 : nil } ?? MetricLabel.other
        let key = Key(method: method, route: route, status: status)
        counts.withLock { counts in
            if counts[key] != nil || counts.count < Self.capacity {
                counts[key, default: 0] += 1
            } else {
                counts[Key(method: MetricLabel.other, route: MetricLabel.other, status: 0), default: 0] += 1
            }
        }
    }

    func samples() -> [MetricSample] {
        let sorted = counts.withLock { $0 }.sorted {
            ($0.key.route, $0.key.method, $0.key.status) < ($1.key.route, $1.key.method, $1.key.status)
        }
        return sorted.map { key, count in
            MetricSample(
                labels: [("method", key.method), ("route", key.route), ("status", String(key.status))],
                value: String(count)
            )
        }
    }
}
