import Testing
import VirtualDevice

@testable import KeyServer

@Suite("Metrics", .timeLimit(.minutes(10)))
struct OperationsMetricsTests {
    @Test("The text conforms to the format, independent of the counts")
    func format() async throws {
        let metrics = ServerMetrics(reasons: ["spc-too-old"])
        var sources = MetricSources()
        sources.queueDepth = { 3 }
        sources.certificates = {
            [.init(.tls, name: "server", expiry: 86_400), .init(.fairPlay, name: "a\"\\\n", expiry: 3_600)]
        }
        sources.clock = { 43_200_000 }
        metrics.addReadings(sources)
        let limiter = ConnectionLimiter(limits: ListenerLimits(), listener: .administration)
        metrics.addConnections([.administration: limiter])
        for _ in 0..<2 { _ = limiter.open(from: ClientAddress("192.0.2.1")) {} }
        metrics.encoderKeys(made: 2, found: 1)
        metrics.encoderKeys(made: 3, found: 0)
        metrics.license(.issued)
        metrics.license(.issued)
        metrics.license(.refused, reason: "spc-too-old")
        metrics.license(.refused, reason: "what a client wrote")
        metrics.request(method: "GET", route: "/healthz", status: 200)
        metrics.request(method: "BREW\"\n", route: nil, status: 404)
        metrics.request(method: "GET", route: "/a\\b\"c\nd", status: 200)
        metrics.store(writing: true, took: .milliseconds(3))
        metrics.stage(.total, took: .microseconds(50))
        metrics.stage(.total, took: .seconds(60))
        metrics.stage(.total, took: .seconds(-1))
        let text = await metrics.registry.exposition()
        let families = try ExpositionParser.parse(text)
        func value(_ name: String, _ labels: [String: String] = [:]) -> Double? {
            families.flatMap(\.samples).first { $0.name == name && $0.labels == labels }?.value
        }
        #expect(value("keyway_licenses_total", ["outcome": "issued", "reason": "none"]) == 2)
        #expect(value("keyway_licenses_total", ["outcome": "refused", "reason": "spc-too-old"]) == 1)
        #expect(value("keyway_licenses_total", ["outcome": "refused", "reason": "other"]) == 1)
        #expect(value("keyway_http_requests_total", ["method": "other", "route": "other", "status": "404"]) == 1)
        #expect(
            value("keyway_http_requests_total", ["method": "GET", "route": "/a\\b\"c\nd", "status": "200"]) == 1
        )
        #expect(value("keyway_queue_depth") == 3)
        #expect(value("keyway_connections", ["listener": "administration"]) == 2)
        #expect(value("keyway_connections", ["listener": "apps"]) == nil)
        #expect(value("keyway_encoder_keys_total", ["origin": "made"]) == 5)
        #expect(value("keyway_encoder_keys_total", ["origin": "found"]) == 1)
        #expect(value("keyway_active_leases") == nil)
        #expect(value("keyway_certificate_expiry_seconds", ["use": "tls", "name": "server"]) == 43_200)
        #expect(value("keyway_certificate_expiry_seconds", ["use": "fairplay", "name": "a\"\\\n"]) == -39_600)
        let total = ["stage": "total"]
        #expect(value("keyway_license_stage_seconds_bucket", ["stage": "total", "le": "5e-05"]) == 2)
        #expect(value("keyway_license_stage_seconds_bucket", ["stage": "total", "le": "5"]) == 2)
        #expect(value("keyway_license_stage_seconds_bucket", ["stage": "total", "le": "+Inf"]) == 3)
        #expect(value("keyway_license_stage_seconds_count", total) == 3)
        #expect(value("keyway_license_stage_seconds_sum", total).map { abs($0 - 60.00005) < 1e-9 } == true)
        #expect(!text.contains("what a client wrote"))
    }

    @Test("A license is measured in each of its stages, and by its store calls")
    func license() async throws {
        try await LicenseServer.run { server in
            #expect(try await server.license(try server.request(server.device()).spc).status == 200)
            let unknown = try server.request(server.device(), asset: Array("nothing".utf8))
            #expect(try await server.license(unknown.spc).status == 404)
            let families = try ExpositionParser.parse(try await server.exposition())
            func count(_ name: String, _ labels: [String: String]) -> Double? {
                families.flatMap(\.samples).first { $0.name == name && $0.labels == labels }?.value
            }
            // Two lookups, a grant, and the record of a refusal.
            #expect(count("keyway_store_seconds_count", ["operation": "read"]) == 2)
            #expect(count("keyway_store_seconds_count", ["operation": "write"]) == 2)
            for (stage, times) in [
                ("authorize", 2.0), ("open", 2), ("decide", 1), ("seal", 1), ("store", 1), ("total", 2),
            ] { #expect(count("keyway_license_stage_seconds_count", ["stage": stage]) == times, "\(stage)") }
            #expect(count("keyway_licenses_total", ["outcome": "issued", "reason": "none"]) == 1)
            #expect(count("keyway_licenses_total", ["outcome": "refused", "reason": "unknown-asset"]) == 1)
        }
    }

    @Test("A new registry conforms to the format too, and describes each metric once")
    func fresh() async throws {
        let metrics = ServerMetrics()
        let families = try ExpositionParser.parse(await metrics.registry.exposition())
        #expect(families.map(\.name) == metrics.registry.descriptions.map(\.name))
        for family in families { #expect(!family.help.isEmpty) }
    }

    @Test("No count is lost with concurrent updates")
    func concurrent() async {
        let metrics = ServerMetrics()
        await withTaskGroup(of: Void.self) { tasks in
            for _ in 0..<8 {
                tasks.addTask {
                    for _ in 0..<1_000 {
                        metrics.license(.issued)
                        metrics.request(method: "GET", route: "/", status: 200)
                        metrics.stage(.open, took: .microseconds(200))
                    }
                }
            }
        }
        let text = await metrics.registry.exposition()
        #expect(text.contains(#"keyway_licenses_total{outcome="issued",reason="none"} 8000"#))
        #expect(text.contains(#"keyway_http_requests_total{method="GET",route="/",status="200"} 8000"#))
        #expect(text.contains(#"keyway_license_stage_seconds_count{stage="open"} 8000"#))
    }

    @Test("Memory is bounded for many routes and statuses, and no count is lost")
    func bounded() {
        let counter = RouteCounter("a_total", "b")
        for number in 0..<5_000 { counter.add(method: "GET", route: "/\(number)", status: 200) }
        let samples = counter.samples()
        #expect(samples.count == RouteCounter.capacity + 1)
        #expect(samples.compactMap { Int($0.value) }.reduce(0, +) == 5_000)
    }
}

/// Parses the text format 0.0.4 strictly; every deviation is an error.
struct ExpositionParser {
    struct Sample {
        let name: String
        let labels: [String: String]
        let value: Double
    }

    struct Family {
        let name: String
        let help: String
        let kind: String
        var samples: [Sample] = []
    }

    struct Failure: Error {
        let line: String
        let reason: String
    }

    static func parse(_ text: String) throws -> [Family] {
        var families: [Family] = []
        guard text.hasSuffix("\n") else { throw Failure(line: "", reason: "the last line does not end") }
        var help: (name: Substring, text: Substring)?
        for line in text.dropLast().split(separator: "\n", omittingEmptySubsequences: false) {
            let words = line.split(separator: " ", maxSplits: 3, omittingEmptySubsequences: false)
            if line.hasPrefix("# HELP ") {
                guard words.count == 4, help == nil else { throw Failure(line: String(line), reason: "HELP") }
                help = (words[2], words[3])
            } else if line.hasPrefix("# TYPE ") {
                guard words.count == 4, let given = help, given.name == words[2],
                    ["counter", "gauge", "histogram"].contains(words[3]),
                    words[2].wholeMatch(of: /[a-zA-Z_:][a-zA-Z0-9_:]*/) != nil,
                    !families.contains(where: { $0.name == words[2] })
                else { throw Failure(line: String(line), reason: "TYPE") }
                families.append(Family(name: String(words[2]), help: String(given.text), kind: String(words[3])))
                help = nil
            } else {
                let sample = try sample(line)
                guard help == nil, let family = families.last else {
                    throw Failure(line: String(line), reason: "no TYPE")
                }
                let suffixes = family.kind == "histogram" ? ["_bucket", "_sum", "_count"] : [""]
                guard suffixes.contains(where: { sample.name == family.name + $0 }),
                    !family.samples.contains(where: { $0.name == sample.name && $0.labels == sample.labels })
                else { throw Failure(line: String(line), reason: "the name, or twice") }
                families[families.count - 1].samples.append(sample)
            }
        }
        for family in families {
            guard family.kind != "counter" || family.name.hasSuffix("_total") else {
                throw Failure(line: family.name, reason: "a counter ends in _total")
            }
            if family.kind == "histogram" { try checkHistogram(family) }
        }
        return families
    }

    /// Buckets are cumulative, and the last one equals the count.
    private static func checkHistogram(_ family: Family) throws {
        let buckets = family.samples.filter { $0.name.hasSuffix("_bucket") }
        let groups = Dictionary(grouping: buckets) { $0.labels.filter { $0.key != "le" } }
        for (labels, buckets) in groups {
            let bounds = buckets.compactMap { $0.labels["le"].flatMap(number) }
            let count = family.samples.first { $0.name.hasSuffix("_count") && $0.labels == labels }?.value
            guard bounds.count == buckets.count, zip(bounds, bounds.dropFirst()).allSatisfy(<),
                bounds.last == .infinity,
                zip(buckets, buckets.dropFirst()).allSatisfy({ $0.value <= $1.value }), buckets.last?.value == count,
                family.samples.contains(where: { $0.name.hasSuffix("_sum") && $0.labels == labels })
            else { throw Failure(line: family.name, reason: "the buckets") }
        }
    }

    private static func number(_ text: some StringProtocol) -> Double? {
        switch text {
        case "+Inf": .infinity
        case "-Inf": -.infinity
        case "NaN": .nan
        default: Double(text)
        }
    }

    private static func sample(_ line: Substring) throws -> Sample {
        guard let match = line.prefixMatch(of: /([a-zA-Z_:][a-zA-Z0-9_:]*)(\{)?/) else {
            throw Failure(line: String(line), reason: "a name")
        }
        var rest = line[match.range.upperBound...]
        var labels: [String: String] = [:]
        if match.output.2 != nil {
            while let label = rest.prefixMatch(of: /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\]|\\\\|\\"|\\n)*)"(,|\})/) {
                let value = String(label.output.2)
                    .replacing("\\\\", with: "\u{0}").replacing("\\n", with: "\n").replacing("\\\"", with: "\"")
                    .replacing("\u{0}", with: "\\")
                guard labels.updateValue(value, forKey: String(label.output.1)) == nil else {
                    throw Failure(line: String(line), reason: "a label twice")
                }
                rest = rest[label.range.upperBound...]
                if label.output.3 == "}" { break }
            }
        }
        guard rest.first == " ", let value = number(rest.dropFirst()) else {
            throw Failure(line: String(line), reason: "a value")
        }
        return Sample(name: String(match.output.1), labels: labels, value: value)
    }
}
