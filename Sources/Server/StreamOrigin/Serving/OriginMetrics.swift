import Synchronization

/// The metrics of the origin, in the Prometheus text format 0.0.4. The values of labels are fixed, so that clients
/// cannot make them grow.
package final class OriginMetrics: Sendable {
    /// The kinds of requests.
    enum Resource: String, CaseIterable {
        case playlist, delta, segment, upload, other
    }

    /// The results of waits.
    enum Wait: String, CaseIterable {
        case answered, expired, ended
    }

    private struct Counts {
        var requests: [Resource: [Int: Int]] = [:]
        var waits: [Wait: Int] = [:]
        var waitSeconds = 0.0
    }

    private let counts = Mutex(Counts())
    private let sentBytes = Atomic<Int>(0)
    private let receivedBytes = Atomic<Int>(0)
    private let refusedConnections = Atomic<Int>(0)

    /// Creates metrics that are 0.
    package init() {}

    /// Counts a response.
    func request(_ resource: Resource, status: Int) {
        counts.withLock { $0.requests[resource, default: [:]][status / 100, default: 0] += 1 }
    }

    /// Counts a wait.
    func wait(_ result: Wait, _ duration: Duration) {
        let seconds = Double(duration.components.seconds) + Double(duration.components.attoseconds) / 1e18
        counts.withLock {
            $0.waits[result, default: 0] += 1
            $0.waitSeconds += seconds
        }
    }

    /// Counts bytes of a response's body.
    func sent(_ bytes: Int) { sentBytes.wrappingAdd(bytes, ordering: .relaxed) }
    /// Counts bytes of an upload.
    func received(_ bytes: Int) { receivedBytes.wrappingAdd(bytes, ordering: .relaxed) }
    /// Counts a connection that was refused by a limit.
    func connectionRefused() { refusedConnections.wrappingAdd(1, ordering: .relaxed) }

    /// Returns the current values.
    ///
    /// - Parameters:
    ///   - connections: The number of open connections.
    package func exposition(channels: LiveChannels, connections: Int, version: String) -> String {
        let counts = counts.withLock { $0 }
        let all = channels.all
        var text = ""
        func family(_ name: String, _ kind: String, _ help: String, _ samples: [(labels: String, value: String)]) {
            text += "# HELP \(name) \(help)\n# TYPE \(name) \(kind)\n"
            for sample in samples { text += "\(name)\(sample.labels) \(sample.value)\n" }
        }
        family("keyway_origin_info", "gauge", "The version of the server.", [("{version=\"\(version)\"}", "1")])
        family(
            "keyway_origin_requests_total",
            "counter",
            "Responses by kind of resource and class of status.",
            Resource.allCases.flatMap { resource in
                (2...5).map { status in
                    (
                        "{resource=\"\(resource.rawValue)\",status=\"\(status)xx\"}",
                        "\(counts.requests[resource]?[status] ?? 0)"
                    )
                }
            }
        )
        family(
            "keyway_origin_waits_total",
            "counter",
            "Requests that waited for a playlist or a part, by result.",
            Wait.allCases.map { ("{result=\"\($0.rawValue)\"}", "\(counts.waits[$0] ?? 0)") }
        )
        family(
            "keyway_origin_wait_seconds_total",
            "counter",
            "The time that requests waited.",
            [("", "\(counts.waitSeconds)")]
        )
        let values: [(String, String, String, Int)] = [
            ("sent_bytes_total", "counter", "Bytes of response bodies.", sentBytes.load(ordering: .relaxed)),
            ("received_bytes_total", "counter", "Bytes of uploads.", receivedBytes.load(ordering: .relaxed)),
            (
                "refused_connections_total", "counter", "Connections that were refused by a limit.",
                refusedConnections.load(ordering: .relaxed)
            ),
            ("connections", "gauge", "Open connections.", connections),
            ("waiting_requests", "gauge", "Requests that wait now.", all.reduce(0) { $0 + $1.waiting }),
            ("channels", "gauge", "Channels with a playlist.", all.count),
            ("memory_bytes", "gauge", "Bytes of segments in memory.", all.reduce(0) { $0 + $1.state.memory }),
        ]
        for (name, kind, help, value) in values {
            family("keyway_origin_\(name)", kind, help, [("", "\(value)")])
        }
        return text
    }
}
