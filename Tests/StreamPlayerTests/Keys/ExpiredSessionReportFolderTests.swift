import ContentKeySession
import Foundation
import StreamPlayer
import Testing

@Suite("Expired session reports in a folder")
struct ExpiredSessionReportFolderTests {
    private let folder = URL(filePath: NSTemporaryDirectory()).appending(path: "reports-\(UUID().uuidString)")
    private static let one = ExpiredSessionReport(appIdentifier: [1], data: [1, 2, 3])
    private static let two = ExpiredSessionReport(appIdentifier: [1], data: [4, 5])
    private static let other = ExpiredSessionReport(appIdentifier: [9], data: [1, 2, 3])
    private static let session = ContentProtectionSessionIdentifier([1, 2, 3, 4, 5, 6, 7, 8])

    private func pending(_ app: [UInt8] = [1]) throws -> [ExpiredSessionReport] {
        try KeySession.pendingExpiredSessionReports(withAppIdentifier: app, storageDirectoryAt: folder)
    }

    private func names() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: folder.path) }

    @Test("survive their store until they are removed")
    func keeping() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try ExpiredSessionReportFolder(folder).add([Self.one, Self.other])
        try ExpiredSessionReportFolder(folder).add([])
        #expect(try pending() == [Self.one])
        #expect(try pending([9]) == [Self.other])
        #expect(try pending([2]).isEmpty)
        try KeySession.removePendingExpiredSessionReports([Self.one], storageDirectoryAt: folder)
        #expect(try pending().isEmpty)
        #expect(try pending([9]) == [Self.other])
        try KeySession.removePendingExpiredSessionReports([Self.other], storageDirectoryAt: folder)
        #expect(try names().isEmpty)
    }

    @Test("are not pending while their session is active, and are pending when it ends")
    func living() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let store = try ExpiredSessionReportFolder(folder)
        store.setReports([Self.one], forActive: Self.session)
        #expect(try pending().isEmpty)
        #expect(store.pendingExpiredSessionReports(withAppIdentifier: [1]).isEmpty)
        // The newer reports replace the older ones.
        store.setReports([Self.one, Self.two], forActive: Self.session)
        store.removePendingExpiredSessionReports([Self.one])
        store.sessionEnded(Self.session)
        #expect(try pending() == [Self.one, Self.two])
        store.removePendingExpiredSessionReports([Self.one, Self.two])
        #expect(try names().isEmpty)
    }

    @Test("leave no files if a session no longer has reports")
    func nothing() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let store = try ExpiredSessionReportFolder(folder)
        store.setReports([Self.one], forActive: Self.session)
        store.setReports([], forActive: Self.session)
        store.sessionEnded(Self.session)
        store.sessionEnded(Self.session)
        #expect(try names().isEmpty)
    }

    @Test("are pending after a crash, which leaves the files without locks")
    func crash() throws {
        let copy = folder.appendingPathExtension("crashed")
        defer { for url in [folder, copy] { try? FileManager.default.removeItem(at: url) } }
        let store = try ExpiredSessionReportFolder(folder)
        store.setReports([Self.one], forActive: Self.session)
        // The lock file exists, but its lock is free.
        try FileManager.default.copyItem(at: folder, to: copy)
        #expect(try names().count == 2)
        let found = try ExpiredSessionReportFolder(copy)
        #expect(found.pendingExpiredSessionReports(withAppIdentifier: [1]) == [Self.one])
        found.removePendingExpiredSessionReports([Self.one])
        #expect(try FileManager.default.contentsOfDirectory(atPath: copy.path).isEmpty)
        // The session that did not crash still has its reports.
        store.sessionEnded(Self.session)
        #expect(try pending() == [Self.one])
    }

    @Test(
        "are ignored if they are damaged",
        arguments: ["", "{", "[]", #"{"version":2,"reports":[]}"#, #"{"version":1,"reports":[{"appIdentifier":"x"}]}"#]
    )
    func damaged(text: String) throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try ExpiredSessionReportFolder(folder).add([Self.one])
        try Data(text.utf8).write(to: folder.appending(path: "damaged.reports"))
        #expect(try pending() == [Self.one])
        try KeySession.removePendingExpiredSessionReports([Self.one], storageDirectoryAt: folder)
        #expect(try names() == ["damaged.reports"])
    }

    @Test("cannot be stored if the folder cannot be created")
    func noFolder() {
        #expect(throws: (any Error).self) { try ExpiredSessionReportFolder(URL(filePath: "/dev/null/reports")) }
    }
}
