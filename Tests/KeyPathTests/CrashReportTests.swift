import ContentKeySession
import ContentKeySessionTesting
import FPSCrypto
import Foundation
import StreamPlayer
import Testing
import VirtualDevice

@Suite("The end of a playback that the app did not live to report", .timeLimit(.minutes(10)))
struct CrashReportTests {
    private let folder = URL(filePath: NSTemporaryDirectory()).appending(path: "reports-\(UUID().uuidString)")

    @Test("After a crash the report is found, and the server takes it; after an orderly end there is one, too")
    func crash() async throws {
        let copy = folder.appendingPathExtension("crashed")
        defer { for url in [folder, copy] { try? FileManager.default.removeItem(at: url) } }
        let store = try ExpiredSessionReportFolder(folder)
        try await KeyPathBench.run(.init(reports: store)) { bench in
            let app = bench.server.certificate.der
            #expect(try await bench.plays("film/leased"))
            #expect(try await bench.plays("film/hd"))
            // While the session lives, none is to be sent.
            #expect(store.pendingExpiredSessionReports(withAppIdentifier: app).isEmpty)
            // What a crash leaves: the files, and nobody who holds a lock.
            try FileManager.default.copyItem(at: folder, to: copy)
            let crashed = try ExpiredSessionReportFolder(copy)
            let found = crashed.pendingExpiredSessionReports(withAppIdentifier: app)
            #expect(found.count == 2)
            for report in found {
                let status = try await bench.send(report)
                // It is understood: who has halted gets no key.
                #expect(status == 403)
            }
            crashed.removePendingExpiredSessionReports(found)
            #expect(crashed.pendingExpiredSessionReports(withAppIdentifier: app).isEmpty)
            await bench.session.expire()
            #expect(store.pendingExpiredSessionReports(withAppIdentifier: app).count == 2)
        }
    }
}

extension KeyPathBench {
    /// Sends a report as a license request: the status of the answer.
    fileprivate func send(_ report: ExpiredSessionReport) async throws -> Int {
        let request = KeyTransportRequest(
            .post,
            "http://127.0.0.1:\(proxy.port)/fps/license",
            headers: [
                .init("Content-Type", "application/octet-stream"), .init("Authorization", "Bearer " + Tokens.good),
            ],
            body: report.data,
            timeout: .seconds(60),
            maximumAnswer: 1 << 16
        )
        return try await transport.send(request).status
    }
}
