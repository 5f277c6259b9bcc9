import Testing

@testable import ContentKeySession

@Suite("License request formats")
struct LicenseRequestFormatTests {
    let contents = LicenseRequestFormat.Contents(
        spc: [0xfb, 0xff, 0],
        assetID: "a b",
        isPersistable: true,
        isPreload: true
    )

    private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

    @Test("raw: the bytes, with the other fields in the query")
    func raw() {
        let encoded = LicenseRequestFormat.raw().encode(contents)
        #expect(encoded.body == contents.spc)
        #expect(
            encoded.query.adding(to: "https://k/l?x=1")
                == "https://k/l?x=1&assetId=a%20b&persist=true&preload=true"
        )
        #expect(LicenseRequestFormat.raw().decode([1, 2]) == [1, 2])
        #expect(LicenseRequestFormat.raw().decode([]) == nil)
    }

    @Test("base64: text in both directions")
    func base64() {
        #expect(text(LicenseRequestFormat.base64().encode(contents).body) == "+/8A")
        #expect(LicenseRequestFormat.base64().decode(Array("-_8A\r\n".utf8)) == contents.spc)
        #expect(LicenseRequestFormat.base64().decode(Array("<html>".utf8)) == nil)
    }

    @Test("form: escaped fields with the vendor's names; fields without a name are omitted")
    func form() {
        var names = LicenseRequestFormat.FieldNames()
        names.spc = "message"
        names.preload = nil
        #expect(
            text(LicenseRequestFormat.form(names).encode(contents).body)
                == "message=%2B%2F8A&assetId=a%20b&persist=true"
        )
    }

    @Test("JSON: fields, and the CKC from a field")
    func json() {
        #expect(
            text(LicenseRequestFormat.json().encode(contents).body)
                == #"{"spc":"+/8A","assetId":"a b","persist":true,"preload":true}"#
        )
        #expect(LicenseRequestFormat.json().decode(Array(#"{"x":[1,2.5e3,null],"ckc":"+/8A"}"#.utf8)) == contents.spc)
        #expect(LicenseRequestFormat.json().decode(Array(#"{"ckc":""}"#.utf8)) == nil)
        #expect(LicenseRequestFormat.json().decode(Array(#"{"ckc":7}"#.utf8)) == nil)
    }

    @Test("a batch: items are returned in request order, regardless of the order in the response")
    func batch() {
        let body = """
            {"fairplay-streaming-response": {"create-ckc": [
              {"id": 3, "status": 0, "ckc": "AAM="}, {"id": 1, "status": 0, "ckc": "AAE="},
              {"id": 2, "status": 404, "problem": {"type": "urn:keyway:problem:unknown-asset", "reason": "TOKEN x"}},
              {"id": 5, "status": 0, "ckc": "AAM="}, {"id": 5, "status": 0, "ckc": "AAM="}, 7, {"status": 0}]}}
            """
        let items = LicenseBatchFormat.decode(Array(body.utf8), count: 5)
        let problem = ServerProblem(type: LogSafeWord("unknown-asset"))
        #expect(
            items == [.ckc([0, 1]), .refused(status: 404, problem: problem), .ckc([0, 3]), .unreadable, .unreadable]
        )
        #expect(LicenseBatchFormat.decode(Array("[]".utf8), count: 1) == nil)
    }

    @Test("a batch is encoded as the server parses it")
    func writingBatch() {
        let plain = LicenseRequestFormat.Contents(spc: [0], assetID: "m")
        #expect(
            text(LicenseBatchFormat.encode([plain, contents])) == """
                {"fairplay-streaming-request":{"version":1,"create-ckc":[{"id":1,"spc":"AA==","asset-id":"m"},\
                {"id":2,"spc":"+/8A","asset-id":"a b","persist":true,"preload":true}]}}
                """
        )
    }

    @Test(
        "A response must be JSON to its end",
        arguments: ["", "{", "[01]", "[1.]", "[1] 2", #"{"ckc":"AA==","ckc":""}"#]
    )
    func noJSON(text: String) {
        #expect(LicenseRequestFormat.json().decode(Array(text.utf8)) == nil)
        #expect(ServerProblem(KeyTransportResponse(status: 403, body: Array(text.utf8))) == ServerProblem())
    }

    @Test("Responses are nested at most 16 levels deep")
    func depth() {
        func nested(_ depth: Int) -> [UInt8] {
            Array(
                (#"{"x":"# + String(repeating: "[", count: depth - 1) + String(repeating: "]", count: depth - 1)).utf8
            )
                + Array(#","ckc":"AA=="}"#.utf8)
        }
        #expect(LicenseRequestFormat.json().decode(nested(16)) == [0])
        #expect(LicenseRequestFormat.json().decode(nested(17)) == nil)
    }
}

@Suite("Key URI policies")
struct KeyURIPolicyTests {
    @Test(
        "extract what their row specifies",
        arguments: [
            ("skd://movie/hd?x=1", "movie/hd", "movie", "hd", "1"), ("SKD://movie", "movie", "movie", "movie", nil),
            ("skd:movie", "movie", "movie", "movie", nil),
            ("skd://a%20b/c%2Fd?x=e%26f#g", "a b/c/d", "a b", "c/d", "e&f"),
            ("https://movie/hd?x=12", nil, nil, nil, nil), ("skd://", nil, nil, nil, nil),
            ("skd://%zz?x=%4", nil, nil, nil, nil),
        ] as [(String, String?, String?, String?, String?)]
    )
    func rows(uri: String, after: String?, host: String?, last: String?, query: String?) {
        #expect(KeyURIPolicy.afterScheme.identity(of: uri)?.assetID == after)
        #expect(KeyURIPolicy.host.identity(of: uri)?.assetID == host)
        #expect(KeyURIPolicy.lastPathComponent.identity(of: uri)?.assetID == last)
        // An asset ID has at least two bytes.
        #expect(KeyURIPolicy.queryItem("x").identity(of: uri)?.assetID == (query?.utf8.count ?? 0 < 2 ? nil : query))
        #expect(KeyURIPolicy.wholeURI.identity(of: uri)?.assetID == uri)
    }

    @Test("enforce the size of an asset ID", arguments: [(1, false), (2, true), (200, true), (201, false)])
    func sizes(count: Int, isTaken: Bool) {
        let uri = "skd://" + String(repeating: "x", count: count)
        #expect((KeyURIPolicy.afterScheme.identity(of: uri) != nil) == isTaken)
    }

    @Test("can be custom, with another content identifier")
    func own() {
        let policy = KeyURIPolicy { .init(assetID: $0, contentIdentifier: [1, 2]) }
        #expect(policy.identity(of: "x")?.contentIdentifier == [1, 2])
    }
}

@Suite("Descriptions and logs")
struct RedactionTests {
    @Test("a token, a header, a request and a response never print their secrets")
    func secrets() {
        let token = PlaybackToken("s3cret")
        let header = KeyTransportHeader("Authorization", "Bearer s3cret")
        let request = KeyTransportRequest(
            .post,
            "https://u:s3cret@k/l?t=s3cret",
            headers: [header],
            body: Array("s3cret".utf8)
        )
        let answer = KeyTransportResponse(status: 200, headers: [header], body: Array("s3cret".utf8))
        for value in [token, header, request, answer] as [any Sendable] {
            var text = "\(value) " + String(reflecting: value)
            dump(value, to: &text)
            #expect(!text.contains("s3cret"), "\(text)")
            #expect(!text.contains("115, 51"), "\(text)")
        }
        #expect("\(request)" == "POST https://k/l")
    }

    @Test(
        "labels omit user information, query and fragment, and control characters",
        arguments: [
            ("skd://movie/hd?token=x#y", "skd://movie/hd"), ("https://me:pw@k.example/a@b", "https://k.example/a@b"),
            ("skd://a\nb", "skd://a?b"), ("skd://ü", "skd://?"),
        ]
    )
    func labels(uri: String, label: String) { #expect(KeyLabel(uri).description == label) }

    @Test(
        "log words contain only lowercase letters, digits and hyphens",
        arguments: [
            ("streams-exceeded", true), ("", false), ("Bearer", false), ("a b", false),
            (String(repeating: "a", count: 61), false),
        ]
    )
    func words(text: String, isWord: Bool) { #expect((LogSafeWord(text) != nil) == isWord) }

    @Test("the logs of a run contain neither tokens nor queries nor other text of the server")
    func logs() throws {
        let bench = LoaderBench { _, _ in
            .answer(KeyTransportResponse(status: 403, body: Array(#"{"type":"x:Bad s3cret","reason":"s3cret!"}"#.utf8)))
        }
        try bench.run { bench in
            bench.session.ask("skd://movie?s3cret")
            try await bench.pass(.seconds(1))
            let errors = await bench.loader.errorLog
            #expect(errors.entries.count == 1)
            var text = errors.entries.map(\.description).joined()
            dump(errors, to: &text)
            #expect(!text.contains("s3cret") && !text.contains("token-1"), "\(text)")
            #expect(text.contains("skd://movie"))
        }
    }

    @Test("a log keeps its last entries, and counts the removed ones")
    func bounded() {
        var log = BoundedLog<Int>(maximum: 10)
        for number in 0..<1000 { log.append(number) }
        #expect(log.entries.count >= 10 && log.entries.count <= 20)
        #expect(log.entries.last == 999)
        #expect(log.dropped + log.entries.count == 1000)
    }
}
