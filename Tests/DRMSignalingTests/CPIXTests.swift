import DRMSignaling
import FPSCrypto
import Testing

@Suite("CPIX documents")
struct CPIXTests {
    private static let text = """
        <?xml version="1.0" encoding="UTF-8"?>
        <!-- A comment. -->
        <cpix:CPIX xmlns:cpix="urn:dashif:org:cpix" xmlns:pskc="urn:ietf:params:xml:ns:keyprov:pskc"
            contentId="film" version="2.3">
          <cpix:ContentKeyList>
            <cpix:ContentKey kid="00112233-4455-6677-8899-aabbccddeeff" explicitIV="AQIDBAUGBwgJCgsMDQ4PEA=="
                commonEncryptionScheme="cbcs">
              <cpix:Data>
                <pskc:Secret>
                  <pskc:PlainValue>
                    EBESExQVFhcYGRob
                    HB0eHw==
                  </pskc:PlainValue>
                </pskc:Secret>
              </cpix:Data>
            </cpix:ContentKey>
            <cpix:ContentKey kid="ffeeddccbbaa99887766554433221100"/>
          </cpix:ContentKeyList>
          <cpix:DRMSystemList>
            <cpix:DRMSystem kid="00112233-4455-6677-8899-aabbccddeeff"
                systemId="94ce86fb-07ff-4f43-adb8-93d2fa968ca2">
              <cpix:URIExtXKey>c2tkOi8vZmlsbQ==</cpix:URIExtXKey>
              <cpix:Other/>
            </cpix:DRMSystem>
          </cpix:DRMSystemList>
          <cpix:ContentKeyPeriodList>
            <cpix:ContentKeyPeriod id="p1" index="7" start="2026-01-01T00:00:00Z" end="2026-01-01T02:00:00.5+01:00"/>
          </cpix:ContentKeyPeriodList>
          <cpix:ContentKeyUsageRuleList>
            <cpix:ContentKeyUsageRule kid="00112233-4455-6677-8899-aabbccddeeff" intendedTrackType="HD">
              <cpix:KeyPeriodFilter periodId="p1"/>
              <cpix:VideoFilter minPixels="1"/>
            </cpix:ContentKeyUsageRule>
          </cpix:ContentKeyUsageRuleList>
        </cpix:CPIX>
        """

    @Test("Keys, systems, periods and rules are parsed, and other elements are preserved")
    func reads() throws {
        let document = try CPIXDocument(xml: Array(Self.text.utf8))
        #expect(document.contentID == "film")
        #expect(document.contentKeys.map(\.keyID) == [firstID, secondID])
        let key = document.contentKeys[0]
        #expect(key.key == SecretBytes(copying: Array(0x10...0x1F)))
        #expect(key.explicitIV == Array(1...16))
        #expect(key.scheme == "cbcs")
        #expect(key.line == 7)
        #expect(document.contentKeys[1].key == nil)
        var system = CPIXDocument.DRMSystem(keyID: firstID, systemID: .fairPlay, keyURI: "skd://film")
        system.extensions = document.systems.first?.extensions ?? .init()
        #expect(document.systems == [system] && !system.extensions.isEmpty)
        #expect(document.periods == [.init(id: "p1", index: 7, start: 1_767_225_600, end: 1_767_229_200)])
        let rule = CPIXDocument.UsageRule(
            keyID: firstID,
            intendedTrackType: "HD",
            periodIDs: ["p1"],
            videoFilters: [.init(minPixels: 1)]
        )
        #expect(document.usageRules == [rule])
    }

    @Test("A written document is parsed again")
    func roundTrip() throws {
        var document = CPIXDocument(contentID: "a <\"film\"> & more")
        document.contentKeys = [
            .init(keyID: firstID, key: SecretBytes(copying: Array(0..<16)), explicitIV: Array(16..<32), scheme: "cbcs"),
            .init(keyID: secondID, key: nil),
        ]
        document.systems = [
            .init(keyID: firstID, systemID: .fairPlay, keyURI: "skd://ü"),
            .init(keyID: secondID, systemID: .common, keyURI: nil),
        ]
        document.periods = [.init(id: "p", index: 1, start: 0, end: 253_402_300_799), .init(id: "q")]
        document.usageRules = [
            .init(keyID: firstID, intendedTrackType: "UHD", periodIDs: ["p", "q"], videoFilters: [.init()]),
            .init(keyID: secondID, intendedTrackType: nil, audioFilters: [.init(maxChannels: 2)]),
        ]
        let found = try CPIXDocument(xml: document.xml)
        #expect(found.contentID == document.contentID)
        #expect(found.contentKeys.map(\.keyID) == document.contentKeys.map(\.keyID))
        #expect(found.contentKeys.map(\.key) == document.contentKeys.map(\.key))
        #expect(found.contentKeys.map(\.explicitIV) == document.contentKeys.map(\.explicitIV))
        #expect(found.contentKeys.map(\.scheme) == document.contentKeys.map(\.scheme))
        #expect(found.systems == document.systems)
        #expect(found.periods == document.periods)
        #expect(found.usageRules == document.usageRules)
        #expect(try CPIXDocument(xml: CPIXDocument().xml).contentKeys.isEmpty)
    }

    @Test(
        "Invalid documents are rejected, and errors contain no text of the document",
        arguments: [
            ("kid=\"00112233-4455-6677-8899-aabbccddeeff\" explicit", "kid=\"zzz-secret\" explicit"),
            ("kid=\"00112233-4455-6677-8899-aabbccddeeff\" explicit", "explicit"),
            ("AQIDBAUGBwgJCgsMDQ4PEA==", "AQIDBAUGBwgJCgsMDQ4PEBE="), ("AQIDBAUGBwgJCgsMDQ4PEA==", "zzz-secret"),
            ("HB0eHw==", "HB0e"), ("HB0eHw==", "zzz-secret"), ("PlainValue", "EncryptedValue"),
            ("PlainValue", "Value"), ("94ce86fb-07ff-4f43-adb8-93d2fa968ca2", "zzz-secret"),
            ("c2tkOi8vZmlsbQ==", "zzz-secret"), ("c2tkOi8vZmlsbQ==", "/////w=="), ("id=\"p1\" index", "index"),
            ("index=\"7\"", "index=\"zzz-secret\""), ("00:00:00Z", "00:00:00"), ("00:00:00Z", "zzz-secret"),
            ("urn:dashif:org:cpix", "urn:zzz-secret"), ("cpix:CPIX", "cpix:Zzz-secret"),
            ("keyprov:pskc", "keyprov:zzz-secret"),
            ("ffeeddccbbaa99887766554433221100", "00112233445566778899aabbccddeeff"),
            ("</cpix:CPIX>", ""), ("</cpix:CPIX>", "</cpix:CPIX><a/>"), ("</cpix:CPIX>", "</cpix:CPIX>a"),
            ("contentId", "version"),
            ("<cpix:Other/>", "&zzz;"),
            ("<cpix:Other/>", "<cpix:Other>"), ("<!-- A comment. -->", "<!-- A -- comment. --->"),
        ]
    )
    func refusals(_ part: String, _ change: String) {
        let text = Self.text.replacing(part, with: change)
        #expect(text != Self.text)
        let error = failure { () throws(SignalingError) in _ = try CPIXDocument(xml: Array(text.utf8)) }
        #expect(error != nil)
        #expect(!"\(error.map { "\($0)" } ?? "")".contains("zzz"))
    }

    @Test(
        "Entities, document types, other encodings and null characters are rejected before parsing",
        arguments: [
            "<!DOCTYPE CPIX SYSTEM \"file:///etc/passwd\"><CPIX xmlns=\"urn:dashif:org:cpix\"/>",
            "<!DOCTYPE a [<!ENTITY b \"bbbbbbbb\"><!ENTITY c \"&b;&b;&b;\">]><CPIX xmlns=\"urn:dashif:org:cpix\">&c;</CPIX>",
            "<?xml version=\"1.0\" encoding=\"UTF-7\"?><CPIX xmlns=\"urn:dashif:org:cpix\"/>",
            "<?xml version=\"1.0\" encoding='ISO-8859-1'?><CPIX xmlns=\"urn:dashif:org:cpix\"/>",
            // In UTF-7, +ADw-+ACE-DOCTYPE is a document type.
            "<?xml\tversion=\"1.0\" encoding=\"UTF-7\"?>+ADw-+ACE-DOCTYPE a+AFs-+ADw-+ACE-ENTITY b 'b'+AD4-+AF0-+AD4-"
                + "<CPIX xmlns=\"urn:dashif:org:cpix\" contentId=\"&b;\"/>",
            "<?xml\nversion=\"1.0\"\nencoding=\"UTF-7\"?><CPIX xmlns=\"urn:dashif:org:cpix\"/>",
            "<?xml\r\nversion=\"1.0\" encoding=\"UTF-7\"?><CPIX xmlns=\"urn:dashif:org:cpix\"/>",
            "\u{FEFF}<?xml\tversion=\"1.0\" encoding=\"UTF-7\"?><CPIX xmlns=\"urn:dashif:org:cpix\"/>",
            "<?xml version=\"1.0\"" + String(repeating: " ", count: 200)
                + "encoding=\"UTF-7\"?><CPIX xmlns=\"urn:dashif:org:cpix\"/>",
            "<?xml version=\"1.0\" encoding=\"UTF-7\" standalone=\"utf-8\"?><CPIX xmlns=\"urn:dashif:org:cpix\"/>",
            "<?xml version=\"1.0\" encoding=\"x-utf-8\"?><CPIX xmlns=\"urn:dashif:org:cpix\"/>",
            "<?xml encoding=\"UTF-7\" version=\"1.0\"?><CPIX xmlns=\"urn:dashif:org:cpix\"/>",
            "<?xml version=\"?>\" encoding=\"UTF-7\"?><CPIX xmlns=\"urn:dashif:org:cpix\"/>",
            "<CPIX xmlns=\"urn:dashif:org:cpix\"/>\0",
            "\u{FEFF}<!DOCTYPE a><CPIX xmlns=\"urn:dashif:org:cpix\"/>",
        ]
    )
    func hostile(_ text: String) {
        let error = failure { () throws(SignalingError) in _ = try CPIXDocument(xml: Array(text.utf8)) }
        #expect(error == SignalingError(.invalidCPIX, "", ""))
        #expect(error?.reason.contains("document type") == true || error?.reason.contains("UTF-8") == true)
    }

    @Test(
        "An XML declaration is accepted in every valid form",
        arguments: [
            "", "<?xml version=\"1.0\"?>", "<?xml version='1.0' encoding='utf-8'?>", "\u{FEFF}<?xml\tversion=\"1.0\"?>",
            "<?xml\r\nversion = \"1.0\"\r\nencoding\t=\n\"UTF-8\"\r\nstandalone = 'yes'\r\n?>\r\n",
            "<?xml-stylesheet href=\"encoding\"?>",
        ]
    )
    func declarations(_ declaration: String) {
        let text = declaration + "<CPIX xmlns=\"urn:dashif:org:cpix\" contentId=\"film\"/>"
        let error = failure { () throws(SignalingError) in _ = try CPIXDocument(xml: Array(text.utf8)) }
        #expect(error == nil)
    }

    @Test("A document type in UTF-16 is rejected")
    func utf16() {
        let text = "\u{FEFF}<!DOCTYPE a [<!ENTITY b \"b\">]><CPIX xmlns=\"urn:dashif:org:cpix\"/>"
        let bytes = text.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        #expect(failure { () throws(SignalingError) in _ = try CPIXDocument(xml: bytes) } != nil)
    }

    @Test("Depth, number and size of elements are limited")
    func bounds() {
        func refuses(_ text: String) -> Bool {
            failure { () throws(SignalingError) in _ = try CPIXDocument(xml: Array(text.utf8)) } != nil
        }
        func nested(_ count: Int) -> String {
            "<CPIX xmlns=\"urn:dashif:org:cpix\">" + String(repeating: "<a>", count: count)
                + String(repeating: "</a>", count: count) + "</CPIX>"
        }
        let cases = [nested(31), nested(32), nested(100_000), String(repeating: "<a>", count: 100_000)].map(refuses)
        #expect(cases == [false, true, true, true])
        let many = "<CPIX xmlns=\"urn:dashif:org:cpix\">" + String(repeating: "<a/>", count: 500_000) + "</CPIX>"
        let isRefused = refuses(many)
        #expect(isRefused)
        let large = refuses(
            "<CPIX xmlns=\"urn:dashif:org:cpix\">" + String(repeating: " ", count: 16 << 20) + "</CPIX>"
        )
        #expect(large)
    }

    @Test("Truncated and corrupted documents are parsed or rejected without a crash")
    func damage() {
        let whole = Array(Self.text.utf8)
        for end in whole.indices {
            let part = Array(whole[..<end])
            #expect(failure { () throws(SignalingError) in _ = try CPIXDocument(xml: part) } != nil)
        }
        for place in whole.indices {
            for byte in [0, 0x3C, 0x22, 0x26, 0xFF] as [UInt8] {
                var changed = whole
                changed[place] = byte
                _ = failure { () throws(SignalingError) in _ = try CPIXDocument(xml: changed) }
            }
        }
    }
}
