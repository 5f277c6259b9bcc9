import Foundation
import Packager
import Synchronization
import Testing
import ToolSupport

@testable import keyway

@Suite("Uploads of live presentations")
struct LiveUploadTests {
    private static func upload(
        _ changes: [LiveFileChange],
        timeout: Duration = .seconds(20),
        answer: @escaping @Sendable (Int) -> LittleServer.Response
    ) async throws -> [String] {
        let tool = try Tool()
        _ = try tool.file("1.m4s", Array("abcdefgh".utf8))
        let seen = Mutex<[String]>([])
        let server = try LittleServer { request in
            let number = seen.withLock { seen in
                let range = request.headers["content-range"].map { " \($0)" } ?? ""
                seen.append(
                    "\(request.method) \(request.path)\(range) \(String(decoding: request.body, as: UTF8.self))"
                )
                return seen.count
            }
            #expect(request.headers["authorization"] == "Bearer secret-token")
            return answer(number)
        }
        let target = LiveUpload.Target(base: server.address + "/news", token: "secret-token", timeout: timeout)
        let upload = LiveUpload(target, folder: tool.folder.url.path)
        for change in changes { try upload.add(change) }
        try await upload.finish()
        return withExtendedLifetime((server, tool)) { seen.withLock { $0 } }
    }

    @Test("send parts with Content-Range, and again from where the server has lost them")
    func lostParts() async throws {
        let change = LiveFileChange(path: "1.m4s", kind: .written(4..<8, isComplete: true))
        let seen = try await Self.upload([change]) { number in
            number == 1 ? .init(status: 409, headers: ["Upload-Offset": "2"]) : .init(status: 204)
        }
        #expect(seen == ["PUT /news/1.m4s bytes 4-7/8 efgh", "PUT /news/1.m4s bytes 2-7/8 cdefgh"])
    }

    @Test("are repeated while a failure can pass")
    func repeated() async throws {
        let change = LiveFileChange(path: "main.m3u8", kind: .replaced(Array("x".utf8)))
        let seen = try await Self.upload([change]) { .init(status: $0 < 3 ? 503 : 201) }
        #expect(seen == Array(repeating: "PUT /news/main.m3u8 x", count: 3))
    }

    @Test("end with an error that names the file, and not the token, if the server refuses them")
    func refused() async throws {
        let change = LiveFileChange(path: "main.m3u8", kind: .replaced(Array("x".utf8)))
        let failure = await #expect(throws: CommandFailure.self) {
            try await Self.upload([change]) { _ in .init(status: 401) }
        }
        let text = failure?.description ?? ""
        #expect(text.contains("main.m3u8 with status 401") && text.contains("--upload-token"))
        #expect(!text.contains("secret-token"))
    }
}
