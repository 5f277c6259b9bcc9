import Foundation
import KeyStore
import Testing

@testable import KeyServer

@Suite("Metrics read on each scrape")
struct MetricSourcesTests {
    private func samples(_ metrics: ServerMetrics) async throws -> [String: Double] {
        let families = try ExpositionParser.parse(await metrics.registry.exposition())
        return Dictionary(
            families.flatMap(\.samples).map { sample in
                let labels = sample.labels.sorted { $0.key < $1.key }.map { "\($0)=\($1)" }
                return (([sample.name] + labels).joined(separator: " "), sample.value)
            }
        ) { first, _ in first }
    }

    @Test("The process metrics match the operating system's values and have Prometheus' names")
    func process() async throws {
        let metrics = ServerMetrics()
        metrics.addReadings(MetricSources())
        let before = try await samples(metrics)
        let now = Date().timeIntervalSince1970
        let start = try #require(before["process_start_time_seconds"])
        // The test process is younger than a day, and the system's clock counts whole seconds.
        #expect(start < now + 2 && start > now - 86_400)
        let memory = try #require(before["process_resident_memory_bytes"])
        #expect(memory > 1e6 && memory < Double(ProcessInfo.processInfo.physicalMemory))
        let files = try #require(before["process_open_fds"])
        #expect(files >= 3)
        #expect(before["process_max_fds"].map { $0 >= files } == true)
        var sum = 0
        for number in 0..<3_000_000 { sum &+= number ^ sum }
        let after = try await samples(metrics)
        let first = try #require(before["process_cpu_seconds_total"])
        let second = try #require(after["process_cpu_seconds_total"])
        #expect(first > 0 && second > first, "after \(sum)")
        #expect(after["process_start_time_seconds"] == start)
    }

    @Test("Version, ages of keys, circuit breaker and disk match the sources")
    func sources() async throws {
        let metrics = ServerMetrics()
        var sources = MetricSources()
        sources.version = "1.2.3"
        sources.dataFolder = NSTemporaryDirectory()
        sources.authorizer = {
            var condition = AuthorizerCondition()
            condition.keyAges = ["https://a.example": .milliseconds(1_500), "b": .zero]
            condition.breaker = .open
            return condition
        }
        metrics.addReadings(sources)
        let found = try await samples(metrics)
        #expect(found["keyway_build_info version=1.2.3"] == 1)
        #expect(found["keyway_jwks_age_seconds issuer=https://a.example"] == 1.5)
        #expect(found["keyway_jwks_age_seconds issuer=b"] == 0)
        #expect(found["keyway_webhook_breaker_state state=open"] == 1)
        #expect(found["keyway_webhook_breaker_state state=closed"] == 0)
        #expect(found["keyway_webhook_breaker_state state=half-open"] == 0)
        #expect(found["keyway_data_disk_free_bytes"].map { $0 >= 0 } == true)
    }

    @Test("Metrics without a webhook, issuers or a data folder are omitted")
    func absent() async throws {
        let metrics = ServerMetrics()
        metrics.addReadings(MetricSources())
        let names = try await samples(metrics).keys
        for name in ["keyway_jwks_age_seconds", "keyway_webhook_breaker_state", "keyway_data_disk_free_bytes"] {
            #expect(!names.contains { $0.hasPrefix(name) }, "\(name)")
        }
    }

    @Test("A failed commit is counted with its time; refusals by the store's rules are not")
    func failedCommits() async throws {
        let metrics = ServerMetrics()
        #expect(try await samples(metrics)["keyway_store_failed_commits_total"] == 0)
        #expect(try await samples(metrics)["keyway_store_last_failed_commit_timestamp_seconds"] == nil)
        for code: KeyStoreError.Code in [.conflict, .invalidRecord, .missingReference, .cancelled] {
            metrics.storeFailed(KeyStoreError(code, place: ""), at: 1)
        }
        #expect(try await samples(metrics)["keyway_store_failed_commits_total"] == 0)
        for (number, code) in [KeyStoreError.Code.diskFull, .unavailable, .locked, .overloaded].enumerated() {
            metrics.storeFailed(KeyStoreError(code, place: ""), at: 1_000 + Int64(number) * 500)
        }
        let found = try await samples(metrics)
        #expect(found["keyway_store_failed_commits_total"] == 4)
        #expect(found["keyway_store_last_failed_commit_timestamp_seconds"] == 2.5)
    }
}
