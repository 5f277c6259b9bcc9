import ContentKeySession
import ContentKeySessionTesting
import FPSCrypto
import Foundation
import StreamPlayer
import Testing
import VirtualDevice

@Suite("Reports of playback that ended with a crash of the app", .timeLimit(.minutes(10)))
struct CrashReportTests {
    private let folder = URL(filePath: NSTemporaryDirectory()).appending(path: "reports-\(UUID().uuidString)")

    @Test("The report is found after a crash and accepted by the server; a normal end leaves a report too")
    func crash() async throws {
        let copy = folder.appendingPathExtension("crashed")
        defer { for url in [folder, copy] { try? FileManager.default.removeItem(at: url) } }
        let store = try ExpiredSessionReportFolder(folder)
        try await KeyPathBench.run(.init(reports: store)) { bench in
            let app = bench.server.certificate.der
            #expect(try await bench.plays("film/leased"))
            #expect(try await bench.plays("film/hd"))
            // While the session is active, no report is pending.
            #expect(store.pendingExpiredSessionReports(withAppIdentifier: app).isEmpty)
            // A crash leaves the files, and no process that holds a lock.
            try FileManager.default.copyItem(at: folder, to: copy)
            let crashed = try ExpiredSessionReportFolder(copy)
            let found = crashed.pendingExpiredSessionReports(withAppIdentifier: app)
            #expect(found.count == 2)
            for report in found {
                let status = try await bench.send(report)
                // The server accepts the report, and returns no key to a halted playback.
                #expect(status == 204)
            }
            crashed.removePendingExpiredSessionReports(found)
            #expect(crashed.pendingExpiredSessionReports(withAppIdentifier: app).isEmpty)
            await bench.session.expire()
            #expect(store.pendingExpiredSessionReports(withAppIdentifier: app).count == 2)
        }
    }
}

extension KeyPathBench {
    /// Sends a report as a license request and returns the status of the response.
    fileprivate func send(_ report: ExpiredSessionReport) async throws -> Int {
        let request = KeyTransportRequest(
            .post,
            "http://127.0.0.1:\(proxy.port)/fps/license",
            headers: [
                .init("Content-Type", "application/octet-stream"), .init("Authorization", "Bearer " + Tokens.good),
            ],
            body: report.data,
            timeout: .seconds(60),
            maximumResponseSize: 1 << 16
        )
        return try await transport.send(request).status
    }
}
