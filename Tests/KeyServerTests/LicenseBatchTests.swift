import HTTPTypes
import HummingbirdCore
import KeyStore
import Testing

@testable import KeyServer

@Suite("Batches of license requests")
struct LicenseBatchTests {
    @Test("Items keep their order and their fields")
    func items() throws {
        let batch = try read(
            #"{"id":7,"spc":"AQ=="},{"id":-1,"spc":"-_8","asset-id":"mové","persist":true}"#
        )
        #expect(batch.items.map(\.id) == [7, -1])
        let first = try batch.items[0].request.get()
        #expect(first == .init(spc: [1], format: .json, assetID: nil, wantsPersistableKey: false, isPreload: false))
        let second = try batch.items[1].request.get()
        #expect(
            second
                == .init(
                    spc: [0xFB, 0xFF],
                    format: .json,
                    assetID: Array("mové".utf8),
                    wantsPersistableKey: true,
                    isPreload: false
                )
        )
    }

    @Test(
        "A malformed item fails only itself",
        arguments: [
            #"{"id":2}"#, #"{"id":2,"spc":""}"#, #"{"id":2,"spc":"*"}"#, #"{"id":2,"spc":7}"#,
            #"{"id":2,"spc":"AQ==","asset-id":[[]]}"#,
            #"{"id":2,"spc":"AQ==","persist":1}"#,
        ]
    )
    func malformedItem(_ item: String) throws {
        let batch = try read(#"{"id":1,"spc":"AQ=="},\#(item),{"id":3,"spc":"Aw=="}"#)
        #expect(batch.items.map(\.id) == [1, 2, 3])
        #expect(throws: ProblemDocument.self) { try batch.items[1].request.get() }
        #expect(try batch.items[0].request.get().spc == [1])
        #expect(try batch.items[2].request.get().spc == [3])
    }

    @Test(
        "Any error outside of items fails the request",
        arguments: [
            "", "null", "{}", #"{"fairplay-streaming-request":[]}"#, #"{"fairplay-streaming-request":{}}"#,
            #"{"fairplay-streaming-request":{"version":1}}"#,
            #"{"fairplay-streaming-request":{"version":1,"create-ckc":[]}}"#,
            #"{"fairplay-streaming-request":{"version":1,"create-ckc":{}}}"#,
            #"{"fairplay-streaming-request":{"version":2,"create-ckc":[{"id":1,"spc":"AQ=="}]}}"#,
            #"{"fairplay-streaming-request":{"version":"1","create-ckc":[{"id":1,"spc":"AQ=="}]}}"#,
            #"{"fairplay-streaming-request":{"create-ckc":[{"id":1,"spc":"AQ=="}]}}"#,
            #"{"fairplay-streaming-request":{"version":1,"create-ckc":[{"spc":"AQ=="}]}}"#,
            #"{"fairplay-streaming-request":{"version":1,"create-ckc":[{"id":"1","spc":"AQ=="}]}}"#,
            #"{"fairplay-streaming-request":{"version":1,"create-ckc":[{"id":1.5,"spc":"AQ=="}]}}"#,
            #"{"fairplay-streaming-request":{"version":1,"create-ckc":[{"id":99999999999999999999,"spc":"AQ=="}]}}"#,
            #"{"fairplay-streaming-request":{"version":1,"create-ckc":[1]}}"#,
            #"{"fairplay-streaming-request":{"version":1,"create-ckc":[{"id":1,"spc":"AQ=="},{"id":1,"spc":"AQ=="}]}}"#,
        ]
    )
    func malformedRequest(_ text: String) {
        let problem = problem { () throws(ProblemDocument) in
            try LicenseBatchRequest(body: Array(text.utf8), contentType: "application/json")
        }
        #expect(problem?.type == .malformedRequest)
    }

    @Test("32 items are accepted and 33 are not")
    func count() throws {
        let items = { (count: Int) in (0..<count).map { #"{"id":\#($0),"spc":"AQ=="}"# }.joined(separator: ",") }
        #expect(try read(items(32)).items.count == 32)
        #expect(throws: ProblemDocument.self) { try read(items(33)) }
    }

    @Test(
        "A batch must be JSON, whatever its type",
        arguments: [nil, "text/plain", "application/x-www-form-urlencoded", "application/octet-stream"]
    )
    func onlyJSON(_ type: String?) throws {
        for body in ["AQ==", "spc=AQ=="] {
            let problem = problem { () throws(ProblemDocument) in
                try LicenseBatchRequest(body: Array(body.utf8), contentType: type)
            }
            #expect(problem?.type == .unsupportedMediaType)
        }
        let text = #" {"x":1,"fairplay-streaming-request":{"version":1,"create-ckc":[{"id":1,"spc":"AQ=="}],"y":2}}"#
        let batch = try LicenseBatchRequest(body: Array(text.utf8), contentType: type)
        #expect(try batch.items[0].request.get().spc == [1])
    }

    @Test("Each item of the response has its own status")
    func answer() async throws {
        let answer = LicenseBatchResponse(items: [
            .init(id: 1, result: .success(IssuedLicense(ckc: [1], isPersistable: false, hasDualExpiry: true))),
            .init(id: 2, result: .failure(ProblemDocument(.refusedByPolicy, reason: "hdcp"))),
        ])
        let response = answer.response()
        #expect(response.status == .ok)
        let expected =
            #"{"fairplay-streaming-response":{"create-ckc":["#
            + #"{"ckc":"AQ==","dualExpiry":true,"id":1,"persistable":false,"status":0},"#
            + #"{"id":2,"problem":{"reason":"hdcp","status":403,"title":"The license is refused","#
            + #""type":"urn:keyway:problem:refused-by-policy"},"status":403}]}}"#
        #expect(try await response.text == expected)
    }

    @Test("A request with any changed byte is parsed or refused")
    func changedBytes() {
        let text =
            #"{"fairplay-streaming-request":{"version":1,"create-ckc":[{"id":-1,"spc":"-_8","asset-id":"\u00e9"}]}}"#
        let original = Array(text.utf8)
        var read = 0
        var refused = 0
        for index in original.indices {
            for change in [1, 2, 0x20, 0x80, 0xFF] as [UInt8] {
                var body = original
                body[index] ^= change
                do throws(ProblemDocument) {
                    _ = try LicenseBatchRequest(body: body, contentType: "application/json")
                    read += 1
                } catch { refused += 1 }
            }
        }
        #expect(read > 0 && refused > 0)
    }

    private func read(_ items: String) throws(ProblemDocument) -> LicenseBatchRequest {
        let text = #"{"fairplay-streaming-request":{"version":1,"create-ckc":[\#(items)]}}"#
        return try LicenseBatchRequest(body: Array(text.utf8), contentType: "application/json")
    }
}
