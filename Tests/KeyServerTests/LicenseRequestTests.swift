import Testing

@testable import KeyServer

@Suite("The four body formats of a license request")
struct LicenseRequestTests {
    /// The base64 text contains a plus and a slash: `+/8BAg==`.
    private static let spc: [UInt8] = [0xFB, 0xFF, 0x01, 0x02]

    @Test("Octets are the SPC; the other fields are in the query")
    func octets() throws {
        let plain = try request(Self.spc, "application/octet-stream")
        #expect(plain.format == .octets)
        #expect(plain.spc == Self.spc)
        #expect(plain.assetID == nil)
        #expect(!plain.wantsPersistableKey)
        let full = try request(Self.spc, "application/octet-stream", "token=a+b&assetId=a%2Fb%FF&persist=true")
        #expect(full.assetID == Array("a/b".utf8) + [0xFF])
        #expect(full.wantsPersistableKey)
    }

    @Test("Text is base64", arguments: ["+/8BAg==", "+/8BAg", "-_8BAg", "-_8BAg==\r\n", "+/8B\nAg==\n"])
    func text(_ body: String) throws {
        let request = try request(body, "text/plain\t ; charset=utf-8", "persist=false&assetId=x")
        #expect(request.format == .text)
        #expect(request.spc == Self.spc)
        #expect(request.assetID == Array("x".utf8))
        #expect(!request.wantsPersistableKey)
    }

    @Test(
        "A form contains the SPC in base64, with the plus escaped or not",
        arguments: ["spc=%2B%2F8BAg%3D%3D", "spc=+/8BAg==", "spc=%20/8BAg==", "spc=-_8BAg", "spc=%2b%2f8B%0D%0AAg"]
    )
    func form(_ spc: String) throws {
        let request = try request(spc + "&assetId=a+b%C3%A9&persist=true", "application/x-www-form-urlencoded")
        #expect(request.format == .form)
        #expect(request.spc == Self.spc)
        #expect(request.assetID == Array("a bé".utf8))
        #expect(request.wantsPersistableKey)
    }

    @Test("JSON contains the SPC in base64")
    func json() throws {
        let body = #"{"persist": true, "assetId": "mové", "spc": "+\/8BAg=="}"#
        let full = try request(body, "Application/JSON;charset=UTF-8")
        #expect(full.format == .json)
        #expect(full.spc == Self.spc)
        #expect(full.assetID == Array("mové".utf8))
        #expect(full.wantsPersistableKey)
        let plain = try request(#"{"spc":"-_8BAg"}"#, "application/json")
        #expect(plain.spc == Self.spc)
        #expect(plain.assetID == nil)
        #expect(!plain.wantsPersistableKey)
    }

    @Test(
        "The format is never guessed",
        arguments: [
            nil, "", ";", "text/html", "application/jsonx", "application/*", "text/plain, application/json", "json",
        ]
    )
    func otherTypes(_ type: String?) {
        for body in [Self.spc, Array("+/8BAg==".utf8), Array(#"{"spc":"AQ=="}"#.utf8)] {
            #expect(problem(body, type)?.type == .unsupportedMediaType)
        }
    }

    @Test(
        "A malformed request is refused with its problem type",
        arguments: [
            ("application/octet-stream", "", nil), ("application/octet-stream", "x", "persist=1"),
            ("application/octet-stream", "x", "assetId=%F"), ("application/octet-stream", "x", "assetId=a&assetId=b"),
            ("text/plain", "", nil), ("text/plain", "\n", nil), ("text/plain", "not base64!", nil),
            ("text/plain", " /8BAg==", nil), ("text/plain", "+/8BAg==", "persist"),
            ("application/x-www-form-urlencoded", "", nil), ("application/x-www-form-urlencoded", "spc", nil),
            ("application/x-www-form-urlencoded", "spc=", nil), ("application/x-www-form-urlencoded", "spc=%", nil),
            ("application/x-www-form-urlencoded", "spc=%4", nil), ("application/x-www-form-urlencoded", "spc=%GG", nil),
            ("application/x-www-form-urlencoded", "assetId=a", nil),
            ("application/x-www-form-urlencoded", "spc=AQ==&spc=Ag==", nil),
            ("application/x-www-form-urlencoded", "spc=AQ==&asset_id=a", nil),
            ("application/x-www-form-urlencoded", "spc=AQ==&persist=yes", nil),
            ("application/x-www-form-urlencoded", "spc=AQ==&%FF=a", nil),
            ("application/json", "", nil), ("application/json", "null", nil), ("application/json", "[]", nil),
            ("application/json", "\"AQ==\"", nil), ("application/json", "{}", nil),
            ("application/json", #"{"spc":""}"#, nil), ("application/json", #"{"spc":1}"#, nil),
            ("application/json", #"{"spc":null}"#, nil), ("application/json", #"{"spc":["AQ=="]}"#, nil),
            ("application/json", #"{"spc":"AQ==","spc":"AQ=="}"#, nil),
            ("application/json", #"{"spc":"AQ==","asset_id":"a"}"#, nil),
            ("application/json", #"{"spc":"AQ==","assetId":null}"#, nil),
            ("application/json", #"{"spc":"AQ==","assetId":7}"#, nil),
            ("application/json", #"{"spc":"AQ==","persist":"true"}"#, nil),
            ("application/json", #"{"spc":"AQ=="} "x""#, nil), ("application/json", #"{"SPC":"AQ=="}"#, nil),
        ] as [(String, String, String?)]
    )
    func malformed(_ type: String, _ body: String, _ query: String?) {
        #expect(problem(Array(body.utf8), type, query)?.type == .malformedRequest)
    }

    @Test("An error names the field and never repeats its value")
    func errorText() {
        let unknown = problem(Array(#"{"spc":"AQ==","asset_id":"movie-7"}"#.utf8), "application/json")
        #expect(
            unknown?.detail
                == "The JSON is not valid: a field is unknown; the known fields are spc, assetId, persist, preload (the whole text)."
        )
        let wrong = problem(Array(#"{"spc":"AQ==","persist":"movie-7"}"#.utf8), "application/json")
        #expect(wrong?.detail == "The JSON is not valid: expected true or false (/persist).")
        let form = problem(Array("spc=AQ%3D%3D&asset_id=movie-7".utf8), "application/x-www-form-urlencoded")
        #expect(form?.detail == "A field is unknown; the known fields are spc, assetId, persist, preload.")
    }

    private func request(_ body: String, _ type: String, _ query: String? = nil) throws -> LicenseRequest {
        try LicenseRequest(body: Array(body.utf8), contentType: type, query: query)
    }

    private func request(_ body: [UInt8], _ type: String, _ query: String? = nil) throws -> LicenseRequest {
        try LicenseRequest(body: body, contentType: type, query: query)
    }

    private func problem(_ body: [UInt8], _ type: String?, _ query: String? = nil) -> ProblemDocument? {
        KeyServerTests.problem { () throws(ProblemDocument) in
            try LicenseRequest(body: body, contentType: type, query: query)
        }
    }
}
