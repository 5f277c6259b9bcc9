import Testing

@testable import KeyServer

@Suite("The body formats of a license request")
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
        "An SPC whose base64 ends with plus signs is read, escaped or not, with a blank or line break at the end",
        arguments: [
            ("spc=AAAAAQA+", [0, 0, 0, 1, 0, 0x3E]), ("spc=AAAAAQA%2B", [0, 0, 0, 1, 0, 0x3E]),
            ("spc%3DAAAAAQA%2B", [0, 0, 0, 1, 0, 0x3E]), ("spc=AAAAAQA+&a=1", [0, 0, 0, 1, 0, 0x3E]),
            ("spc=AAAAAQAAA+++", [0, 0, 0, 1, 0, 0, 3, 0xEF, 0xBE]), ("spc=AAAAAQA%2B%0D%0A", [0, 0, 0, 1, 0, 0x3E]),
            ("spc=AAAAAQ==+", [0, 0, 0, 1]), ("spc=AAAAAQ%20", [0, 0, 0, 1]), ("spc=AAAAAQA/+", [0, 0, 0, 1, 0, 0x3F]),
        ]
    )
    func plusAtEnd(body: String, spc: [UInt8]) throws {
        #expect(try request(body, "application/x-www-form-urlencoded").spc == spc)
    }

    @Test(
        "The format is never guessed: without a known type, a body must start like one of the formats",
        arguments: [
            nil, "", ";", "text/html", "application/jsonx", "application/*", "text/plain, application/json", "json",
        ]
    )
    func otherTypes(_ type: String?) throws {
        for body in [Self.spc, Array("+/8BAg==".utf8), [], Array("skd://movie".utf8), [0, 0, 0, 4, 0, 0, 0, 0]] {
            #expect(problem(body, type)?.type == .unsupportedMediaType)
        }
        let spc: [UInt8] = [0, 0, 0, 2, 0, 0, 0, 0]
        let bodies: [(String, LicenseBodyFormat)] = [
            ("AAAAAgAAAAA=", .text), ("data:;base64,AAAAAgAAAAA=", .text), ("\u{FEFF} \nAAAAAgAAAAA\r\n", .text),
            ("spc=AAAAAgAAAAA%3D", .form), ("spc%3dAAAAAgAAAAA%3D", .form), ("a-b=1&spc=AAAAAgAAAAA=", .form),
            (#" {"spc": "AAAAAgAAAAA="}"#, .json), ("<spc>AAAAAgAAAAA=</spc>", .xml),
        ]
        for (body, format) in bodies {
            let request = try LicenseRequest(body: Array(body.utf8), contentType: type, query: nil)
            #expect(request.format == format && request.spc == spc, "\(body)")
        }
        let raw = try LicenseRequest(body: spc, contentType: type, query: nil)
        #expect(raw.format == .octets && raw.spc == spc)
    }

    @Test("The start of the body takes precedence over a wrong type")
    func wrongTypes() throws {
        let spc: [UInt8] = [0, 0, 0, 1, 0, 0, 0, 0]
        let types = [
            "application/octet-stream", "text/plain", "application/x-www-form-urlencoded", "application/json",
            "text/xml",
        ]
        for type in types {
            #expect(try LicenseRequest(body: spc, contentType: type, query: nil).format == .octets)
            #expect(try request("AAAAAQAAAAA=", type).spc == spc)
        }
        // Without such a start, the type decides.
        #expect(try request("AQ==", "text/plain").format == .text)
        #expect(try request("AQ==", "application/octet-stream").spc == Array("AQ==".utf8))
        #expect(try request("spc=AQ==", "text/plain").format == .form)
        #expect(try request("spc=AQ==", "application/octet-stream").format == .octets)
    }

    @Test("A multipart form has the SPC in base64 or as it is")
    func multipart() throws {
        let spc: [UInt8] = [0, 0, 0, 1, 13, 10, 45, 45]
        let type = #"multipart/form-data; charset=utf-8; boundary="x y""#
        func body(_ value: [UInt8], end: String = "--\r\n") -> [UInt8] {
            let head =
                "preamble\r\n--x y\r\nContent-Disposition: form-data; name=\"assetId\"\r\n\r\nmovie\r\n--x y \r\n"
                + "Content-Type: application/octet-stream\r\ncontent-disposition:form-data;filename=\"a\"; name=spc\r\n\r\n"
            return Array(head.utf8) + value + Array("\r\n--x y\(end)".utf8)
        }
        for value in [spc, Array("AAAAAQ0KLS0=".utf8)] {
            let request = try LicenseRequest(body: body(value), contentType: type, query: nil)
            #expect(request.format == .multipart && request.spc == spc)
            #expect(request.assetID == Array("movie".utf8))
        }
        #expect(problem(body(spc, end: "\r\n"), type)?.type == .malformedRequest)
        #expect(problem(body(spc), "multipart/form-data")?.type == .malformedRequest)
        #expect(problem([], type)?.type == .malformedRequest)
        let many = String(repeating: "--b\r\n\r\n\r\n", count: 70) + "--b--"
        #expect(problem(Array(many.utf8), "multipart/form-data; boundary=b")?.type == .malformedRequest)
    }

    @Test("XML has an element for each field")
    func xml() throws {
        let text =
            "\u{FEFF}<?xml version=\"1.0\"?>\n<request><spc>\n-_8BAg\n</spc><assetId>a &amp; b</assetId><x/></request>"
        let request = try request(text, "text/xml")
        #expect(request.format == .xml && request.spc == Self.spc && request.assetID == Array("a & b".utf8))
        for text in ["<spc>", "<a/>", "<!DOCTYPE a><spc>AQ==</spc>", "<a><spc>AQ==</spc><spc>AQ==</spc></a>"] {
            #expect(problem(Array(text.utf8), "text/xml")?.type == .malformedRequest, "\(text)")
        }
    }

    @Test("The names of fields can be set, and a token and fields for the webhook can be among them")
    func names() throws {
        var names = LicenseFieldNames()
        names.spc.append("payload")
        names.asset.insert("id", at: 0)
        (names.token, names.forwarded) = (["access_token"], ["user", "n", "other"])
        let body = #"{"payload":"AQ==","id":"a","assetId":"b","access_token":"t","user":"u","n":1,"z":{}}"#
        let json = try LicenseRequest(
            body: Array(body.utf8),
            contentType: "application/json",
            query: "id=c&access_token=q",
            names: names
        )
        #expect(json.spc == [1] && json.assetID == Array("a".utf8) && json.token == "t")
        #expect(json.forwarded == ["user": "u"])
        let octets = try LicenseRequest(
            body: Self.spc,
            contentType: "application/octet-stream",
            query: "id=c&access_token=q&user=u",
            names: names
        )
        #expect(octets.assetID == Array("c".utf8) && octets.token == "q" && octets.forwarded == [:])
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
            ("application/x-www-form-urlencoded", "spc=AQ==&persist=yes", nil),
            ("application/x-www-form-urlencoded", "spc=AQ==&%FF=a", nil),
            ("application/json", "", nil), ("application/json", "null", nil), ("application/json", "[]", nil),
            ("application/json", "\"AQ==\"", nil), ("application/json", "{}", nil),
            ("application/json", #"{"spc":""}"#, nil), ("application/json", #"{"spc":1}"#, nil),
            ("application/json", #"{"spc":null}"#, nil), ("application/json", #"{"spc":["AQ=="]}"#, nil),
            ("application/json", #"{"spc":"AQ==","spc":"AQ=="}"#, nil),
            ("application/json", #"{"spc":"AQ==","assetId":7}"#, nil),
            ("application/json", #"{"spc":"AQ==","persist":"yes"}"#, nil),
            ("application/json", #"{"spc":"AQ=="} "x""#, nil), ("application/json", #"{"SPC":"AQ=="}"#, nil),
        ] as [(String, String, String?)]
    )
    func malformed(_ type: String, _ body: String, _ query: String?) {
        #expect(problem(Array(body.utf8), type, query)?.type == .malformedRequest)
    }

    @Test("An error names the field and never repeats its value")
    func errorText() {
        let list = problem(Array(#"["movie-7"]"#.utf8), "application/json")
        #expect(list?.detail == "The JSON is not valid: expected an object (the whole text).")
        let wrong = problem(Array(#"{"spc":"AQ==","persist":"movie-7"}"#.utf8), "application/json")
        #expect(wrong?.detail == "The field persist must be true or false.")
        let form = problem(
            Array("spc=AQ%3D%3D&assetId=movie-7&assetId=movie-8".utf8),
            "application/x-www-form-urlencoded"
        )
        #expect(form?.detail == "The field assetId appears more than once.")
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
