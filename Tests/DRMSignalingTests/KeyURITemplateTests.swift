import DRMSignaling
import Testing

@Suite("Templates of key URIs")
struct KeyURITemplateTests {
    private func refusal(_ text: String) -> SignalingError? {
        failure { () throws(SignalingError) in _ = try KeyURITemplate(text) }
    }

    @Test("Placeholders are replaced, and names are percent-encoded")
    func replaced() throws {
        #expect(try KeyURITemplate.fairPlay.uri(keyID: firstID) == "skd://00112233445566778899aabbccddeeff")
        #expect(KeyURITemplate.fairPlay == (try KeyURITemplate("skd://{kid}")))
        let template = try KeyURITemplate("skd://example.com/{title}/{track}?kid={kid}&x=%7B")
        #expect(
            try template.uri(keyID: firstID, track: "video 1080", title: "Où/\"{kid}\"")
                == "skd://example.com/O%C3%B9%2F%22%7Bkid%7D%22/video%201080?kid=00112233445566778899aabbccddeeff&x=%7B"
        )
        #expect(template.placeholders == [.kid, .track, .title])
        #expect(template.text == "skd://example.com/{title}/{track}?kid={kid}&x=%7B")
        #expect(try KeyURITemplate("key.bin").uri(keyID: firstID) == "key.bin")
        #expect(try KeyURITemplate("key.bin").placeholders.isEmpty)
    }

    @Test("{period} is replaced with the start of the key period, and requires one")
    func period() throws {
        let template = try KeyURITemplate("skd://{title}/{period}")
        #expect(try template.uri(keyID: firstID, title: "a", period: 1_763_000_000) == "skd://a/1763000000")
        let error = failure { () throws(SignalingError) in _ = try template.uri(keyID: firstID, title: "a") }
        #expect(error == SignalingError(.invalidKeyURI, "", ""))
    }

    @Test(
        "Invalid templates are rejected",
        arguments: [
            "", "skd://{", "skd://{kid", "skd://}", "skd://{kid}}", "skd://{}", "skd://{KID}", "skd://{iv}",
            "skd://{{kid}}", "skd://a b", "skd://\"", "skd://a\r\n#EXT", "skd://%zz", "skd://ü", "skd://a%2{kid}",
        ]
    )
    func refused(_ text: String) { #expect(refusal(text)?.code == .invalidKeyURI) }

    @Test("The error for an unknown placeholder contains it and the known ones")
    func unknown() {
        let error = refusal("skd://{asset}")
        #expect(error?.reason.contains("“{asset}”") == true)
        #expect(error?.reason.contains("{kid}, {track}, {title}") == true)
    }

    @Test("A missing name is an error if the template requires it")
    func missing() throws {
        let template = try KeyURITemplate("skd://{title}")
        for title in [nil, ""] {
            let error = failure { () throws(SignalingError) in
                _ = try template.uri(keyID: firstID, track: "a", title: title)
            }
            #expect(error?.code == .invalidKeyURI)
            #expect(error?.reason.contains("{title}") == true)
        }
        #expect(try template.uri(keyID: firstID, title: "b") == "skd://b")
    }

    @Test("Two keys with the same URI are rejected")
    func distinct() throws {
        func check(_ keys: [(ContentKeyID, String)]) -> SignalingError? {
            failure { () throws(SignalingError) in
                try KeyURITemplate.checkDistinct(keys.map { (keyID: $0.0, uri: $0.1) })
            }
        }
        #expect(check([(firstID, "skd://a"), (secondID, "skd://b"), (firstID, "skd://a")]) == nil)
        let error = check([(firstID, "skd://a"), (secondID, "skd://a")])
        #expect(error?.code == .invalidKeyURI)
        #expect(error?.reason.contains("\(firstID) and \(secondID)") == true)
    }
}
