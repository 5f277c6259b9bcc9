import Foundation
import Synchronization
import Testing
import VectorFiles

/// Tests of `keyway package --speke` with the recorded responses of AWS's reference server, over HTTP.
@Suite("keyway package and the recorded keys of another server", .timeLimit(.minutes(10)))
struct RecordedKeyExchangeTests {
    /// The received requests.
    private final class Log: Sendable {
        let questions = Mutex<[RecordedKeyExchange.Message]>([])
    }

    /// Packages as in the session, with the responses of its server.
    ///
    /// - Parameter change: Returns the altered body of a response.
    private func package(
        _ session: RecordedKeyExchange,
        with tool: Tool,
        _ change: @escaping @Sendable ([UInt8]) -> [UInt8] = { $0 }
    ) throws -> (run: Tool.Outcome, questions: [RecordedKeyExchange.Message]) {
        let log = Log()
        let server = try LittleServer { request in
            log.questions.withLock { $0.append(.init(head: request.head, body: request.body)) }
            guard let answer = session.exchanges.first(where: { $0.request.body == request.body })?.answer else {
                return LittleServer.Response(status: 500)
            }
            return LittleServer.Response(headers: answer.fields, body: change(answer.body))
        }
        let media = URL(filePath: PackageTests.film).deletingLastPathComponent()
        let inputs = try #require(session.facts["inputs"]).split(separator: " ").map { media.appending(path: $0).path }
        var arguments =
            ["package"] + inputs + [
                "--out", "site", "--content-id", "recorded-film", "--segment-duration", "2s", "--save-keys", "keys.txt",
                "--speke", server.address + "/EkeStage/copyProtection",
            ]
        arguments += try #require(session.facts["options"]).split(separator: " ").map(String.init)
        var environment: [String: String] = [:]
        switch try #require(session.facts["credentials"]) {
        case "token": environment["KEYWAY_SPEKE_TOKEN"] = "made-up-token"
        case "certificate":
            let der = Data(try tool.content(Keys.path("test-rsa-2048.der")))
            let base64 = der.base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
            let pem = "-----BEGIN CERTIFICATE-----\n\(base64)\n-----END CERTIFICATE-----\n"
            arguments += ["--speke-certificate", try tool.file("certificate.pem", Array(pem.utf8))]
            arguments += ["--speke-private-key", Keys.path("test-rsa-2048.pem")]
        default: break
        }
        let run = try tool.run(arguments, environment: environment)
        return (run, log.questions.withLock { $0 })
    }

    @Test("sends the recorded requests, and uses the recorded keys", arguments: RecordedKeyExchange.names)
    func replay(_ name: String) throws {
        let session = try RecordedKeyExchange(name)
        let tool = try Tool()
        let (run, questions) = try package(session, with: tool)
        // Requests for key periods may arrive out of order.
        let recorded = session.exchanges.map { $0.request.repeatable.joined(separator: "\n") }
        #expect(questions.map { $0.repeatable.joined(separator: "\n") }.sorted() == recorded.sorted())
        try #require(run.status == 0, "\(run.errors)")

        let saved = String(decoding: try tool.content(tool.path("keys.txt")), as: UTF8.self).split(separator: "\n")
        #expect(!session.keys.isEmpty && Set(saved.map(String.init)) == Set(session.keys))
        let secrets = session.keys.compactMap { $0.split(separator: ":").dropFirst().first }
        for text in [run.text, run.errors] { #expect(!secrets.contains { text.contains($0) }) }

        // The server has one URI for all keys.
        #expect((run.text + run.errors).contains("the same URI"))

        let files = try PackageTests.files(tool.path("site"))
        try checkPlaylists(files, session)
        try checkBoxes(files, session)
    }

    /// Checks that the playlists contain the recorded lines for every system.
    private func checkPlaylists(_ files: [String: Data], _ session: RecordedKeyExchange) throws {
        let playlists = files.filter { $0.key.hasSuffix(".m3u8") }
        #expect(playlists.count > 2)
        for (path, content) in playlists {
            let lines = Set(String(decoding: content, as: UTF8.self).split(separator: "\n").map(String.init))
            let signals = session.signals(path == "main.m3u8" ? "master" : "media")
            #expect(!signals.isEmpty && lines.isSuperset(of: signals), "\(path)")
        }
    }

    /// Checks that the initialization segments contain the recorded boxes, a recorded key ID and its IV, and the
    /// manifest the boxes.
    private func checkBoxes(_ files: [String: Data], _ session: RecordedKeyExchange) throws {
        let boxes = try session.signals("PSSH").map { try #require(Data(base64Encoded: $0)) }
        let keys = try session.keys.map { line in
            try line.split(separator: ":").map { Data(try #require(VectorFile.bytes(hexadecimal: String($0)))) }
        }
        let initSegments = files.filter { $0.key.contains("/init") }
        #expect(initSegments.count > 1)
        var used: Set<Data> = []
        for (path, content) in initSegments {
            for box in boxes { #expect(content.range(of: box) != nil, "\(path)") }
            let key = keys.first { content.range(of: $0[0]) != nil && content.range(of: $0[2]) != nil }
            #expect(key != nil, "\(path)")
            if let key { used.insert(key[0]) }
        }
        #expect(used.count > 1)
        for (path, content) in files where path.hasSuffix(".mpd") {
            for box in session.signals("PSSH") { #expect(content.range(of: Data(box.utf8)) != nil, "\(path)") }
        }
    }

    @Test("rejects a truncated or altered response, with the location", arguments: AlteredAnswer.all)
    func alterations(_ altered: AlteredAnswer) throws {
        let tool = try Tool()
        let session = try RecordedKeyExchange(altered.session)
        let (run, questions) = try package(session, with: tool) { altered.change($0) }
        #expect(questions.count == 1)
        #expect(run.status != 0 && run.errors.contains(altered.refusal), "\(run.errors)")
        let secrets = session.keys.compactMap { $0.split(separator: ":").dropFirst().first }
        #expect(!secrets.contains { run.errors.contains($0) })
        #expect(!FileManager.default.fileExists(atPath: tool.path("site/main.m3u8")))
    }

    @Test("The recordings are unchanged; truncated, altered, missing or added ones are reported")
    func recordings() throws {
        #expect(try RecordedKeyExchange.differences() == [])
        let folder = try TemporaryFolder()
        let copy = folder.url.appending(path: "speke")
        try FileManager.default.copyItem(at: RecordedKeyExchange.root, to: copy)
        func change(_ path: String, _ change: (inout Data) -> Void) throws {
            var content = try Data(contentsOf: copy.appending(path: path))
            change(&content)
            try content.write(to: copy.appending(path: path))
        }
        try change("film/0.answer") { $0.removeLast() }
        try change("key-periods/3.request") { $0[$0.count / 2] ^= 1 }
        try FileManager.default.removeItem(at: copy.appending(path: "key-periods/6.answer"))
        try Data().write(to: copy.appending(path: "film/1.request"))
        #expect(
            try RecordedKeyExchange.differences(in: copy) == [
                "film/0.answer is not as it was recorded", "film/1.request was not recorded",
                "key-periods/3.request is not as it was recorded", "key-periods/6.answer is missing",
            ]
        )
        let error = #expect(throws: RecordedKeyExchange.Unreadable.self) { try RecordedKeyExchange("film", in: copy) }
        #expect(error?.description.hasPrefix("film/0.answer") == true)
    }
}
