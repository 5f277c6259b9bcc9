import DRMSignaling
import FPSCrypto
import Testing

@Suite("CPIX: unused fields and version 2.4")
struct CPIXExtensionsTests {
    /// A document with attributes and elements that the library does not use, at every position.
    private static let text = """
        <c:CPIX xmlns:c="urn:dashif:org:cpix" xmlns:pskc="urn:ietf:params:xml:ns:keyprov:pskc" xmlns:x="urn:x"
            contentId="film" version="2.4" id="root" x:a="1">
          <c:DeliveryDataList updateVersion="1"><c:DeliveryData id="d">
            <c:DeliveryKey/><c:Description>for
            me</c:Description></c:DeliveryData></c:DeliveryDataList>
          <c:ContentKeyList id="keys" x:b="2">
            <c:ContentKey kid="00112233-4455-6677-8899-aabbccddeeff" id="k" x:c="3" explicitIV="AAECAwQFBgcICQoLDA0ODw==">
              <c:HDCPData HLSHDCPLevel="TYPE-1" x:d="4">
                <c:HDCPOutputProtectionData>PGEvPg==</c:HDCPOutputProtectionData><x:more/></c:HDCPData>
              <x:second y="&lt;&#10;"><x:inner>text &amp; more</x:inner><c:own/></x:second><x:first/><c:later/>
            </c:ContentKey>
          </c:ContentKeyList>
          <c:DRMSystemList>
            <c:DRMSystem kid="00112233-4455-6677-8899-aabbccddeeff" systemId="94ce86fb-07ff-4f43-adb8-93d2fa968ca2"
                id="s" updateVersion="2" HLSAllowedCPC="com.apple.streamingkeydelivery:AppleMain/Main">
              <c:PSSH x:e="5"/><c:ContentProtectionData robustness="HW" x:f="6"/>
              <c:HLSSignalingData playlist="media" allowedCPC="m"/>
              <c:HLSSignalingData playlist="multiVariant" allowedCPC="v"/>
              <data xmlns=""><inner/></data>
            </c:DRMSystem>
          </c:DRMSystemList>
          <c:ContentKeyPeriodList id="periods">
            <c:ContentKeyPeriod id="p" label="l" start="2026-01-01T01:00:00+01:00" duration="PT1H30M"/>
            <c:ContentKeyPeriod id="q" startOffset="PT6S" endOffset="P1DT0.5S"/>
          </c:ContentKeyPeriodList>
          <c:ContentKeyUsageRuleList id="rules">
            <c:ContentKeyUsageRule kid="00112233-4455-6677-8899-aabbccddeeff" id="r">
              <c:KeyPeriodFilter periodId="p" x:g="7"/><c:LabelFilter label="l" x:h="8"/>
              <c:VideoFilter x:i="9"/><c:AudioFilter id="a"/><c:BitrateFilter x:j="10"/><other xmlns="urn:other"/>
            </c:ContentKeyUsageRule>
          </c:ContentKeyUsageRuleList>
          <x:last/>
        </c:CPIX>
        """

    @Test("Attributes and elements that are not used are written again, elements in their order")
    func survival() throws {
        let document = try CPIXDocument(xml: Array(Self.text.utf8))
        let xml = document.xml
        let text = String(decoding: xml, as: UTF8.self)
        let sought = [
            "xmlns:x=\"urn:x\"", "id=\"root\" x:a=\"1\"", "<DeliveryDataList updateVersion=\"1\">",
            "<Description>for\n    me</Description>", "<ContentKeyList id=\"keys\" x:b=\"2\">",
            "id=\"k\" x:c=\"3\"", "<HDCPData HLSHDCPLevel=\"TYPE-1\" x:d=\"4\">", "<x:more></x:more>",
            "<x:second y=\"&lt;&#10;\">", "<x:inner>text &amp; more</x:inner>", "<own></own>", "<x:first></x:first>",
            "<later></later>", "id=\"s\" updateVersion=\"2\"", "<PSSH x:e=\"5\"/>",
            "<ContentProtectionData robustness=\"HW\" x:f=\"6\"/>",
            "<HLSSignalingData playlist=\"media\" allowedCPC=\"m\"/>",
            "<HLSSignalingData playlist=\"multiVariant\" allowedCPC=\"v\"/>", "<data xmlns=\"\">", "<inner></inner>",
            "<ContentKeyPeriodList id=\"periods\">",
            "start=\"2026-01-01T01:00:00+01:00\" duration=\"PT1H30M\" label=\"l\"/>",
            "startOffset=\"PT6S\" endOffset=\"P1DT0.5S\"/>", "<ContentKeyUsageRuleList id=\"rules\">", "id=\"r\"",
            "<KeyPeriodFilter periodId=\"p\" x:g=\"7\"/>", "<LabelFilter label=\"l\" x:h=\"8\"/>",
            "<VideoFilter x:i=\"9\"/>", "<AudioFilter id=\"a\"/>", "<BitrateFilter x:j=\"10\"/>",
            "<ns1:other></ns1:other>",
            "<x:last></x:last>",
        ]
        var rest = text[...]
        for part in sought {
            guard let place = rest.firstRange(of: part) else {
                Issue.record("\(part) is missing, or before \(rest.prefix(60)): \(text)")
                return
            }
            rest = rest[place.upperBound...]
        }
        #expect(text.contains("xmlns:ns1=\"urn:other\""))
        // What was written is read as the same, so nothing is lost in a second exchange.
        #expect(try CPIXDocument(xml: xml).xml == xml)
    }

    @Test("HDCP level, allowed CPC, robustness and periods of version 2.4 are parsed")
    func fields() throws {
        let document = try CPIXDocument(xml: Array(Self.text.utf8))
        #expect(document.version == .v2_4)
        #expect(document.contentKeys[0].hdcp?.level == "TYPE-1")
        #expect(document.contentKeys[0].hdcp?.outputProtection == "<a/>")
        #expect(document.systems[0].allowedCPC == "com.apple.streamingkeydelivery:AppleMain/Main")
        #expect(document.systems[0].robustness == "HW" && document.systems[0].multivariantPlaylistSignaling == "")
        #expect(document.periods[0].start == 1_767_225_600 && document.periods[0].endTime == 1_767_231_000)
        #expect(document.periods[1].startOffset == 6 && document.periods[1].endOffset == 86_400.5)
        #expect(document.periods[1].endTime == nil)
        var period = document.periods[0]
        period.start = 0
        #expect(period != document.periods[0])
        var changed = document
        (changed.periods[0].start, changed.periods[1].startOffset) = (0, 7.25)
        let text = String(decoding: changed.xml, as: UTF8.self)
        #expect(text.contains("start=\"1970-01-01T00:00:00Z\"") && text.contains("startOffset=\"PT7.250S\""))
    }

    @Test("A prefix that another namespace has is replaced", arguments: ["pskc", "enc", "ds", "xmlns:x"])
    func prefixes(_ prefix: String) throws {
        let name = prefix.hasPrefix("xmlns") ? "x" : prefix
        let text = """
            <CPIX xmlns="urn:dashif:org:cpix" version="2.3"><ContentKeyList>
            <ContentKey kid="00112233-4455-6677-8899-aabbccddeeff" xmlns:\(name)="urn:one" \(name):a="1"/>
            <\(name):b xmlns:\(name)="urn:two" \(name):c="2"/></ContentKeyList></CPIX>
            """
        var document = try CPIXDocument(xml: Array(text.utf8))
        document.contentKeys[0].value = .plain(SecretBytes(copying: Array(0..<16)))
        let again = try CPIXDocument(xml: document.xml)
        #expect(again.contentKeys[0].key != nil)
        let written = String(decoding: document.xml, as: UTF8.self)
        for namespace in ["urn:one", "urn:two"] {
            #expect(written.ranges(of: "=\"\(namespace)\"").count == 1, "\(written)")
        }
        #expect(again.xml == document.xml)
    }

    @Test("A long namespace or prefix does not multiply the size of the document")
    func size() throws {
        let prefix = String(repeating: "p", count: 10_000)
        let namespace = "urn:" + String(repeating: "u", count: 996)
        let elements = String(repeating: "<x:a x:b=''/>", count: 10_000)
        let text = """
            <CPIX xmlns="urn:dashif:org:cpix" xmlns:\(prefix)="\(namespace)" \(prefix):a="1">
            <ContentKeyList xmlns:x="\(namespace)">\(elements)</ContentKeyList></CPIX>
            """
        #expect(try CPIXDocument(xml: Array(text.utf8)).xml.count < 2 * text.utf8.count)
    }

    @Test("A document at the limits can be parsed after it was written, and is then written as the same")
    func fixedPoint() throws {
        let namespaces = (0..<28).map { "xmlns:n\($0)=\"urn:\($0)\"" }.joined(separator: " ")
        let attributes = (0..<172).map { "n\($0 % 28):a\($0)=\"\"" }.joined(separator: " ")
        // With the root element, 32 levels: each of the others changes the default namespace.
        let nested = (0..<31).reduce("mixed") { text, number in
            number.isMultiple(of: 2)
                ? "<a xmlns=\"\"> a \(text) b </a>" : "<a xmlns=\"urn:dashif:org:cpix\">\n\(text)\n</a>"
        }
        let text = "<CPIX xmlns=\"urn:dashif:org:cpix\" \(namespaces) \(attributes)>\(nested)</CPIX>"
        let xml = try CPIXDocument(xml: Array(text.utf8)).xml
        #expect(try CPIXDocument(xml: xml).xml == xml)
        #expect(String(decoding: xml, as: UTF8.self).contains("mixed"))
    }

    @Test("The number and the length of namespaces, and the number of attributes are limited")
    func limits() {
        func refusal(_ count: Int, _ length: Int) -> SignalingError? {
            let elements = (0..<count).map { "<a xmlns=\"urn:\(String(repeating: "u", count: length))\($0)\"/>" }
                .joined()
            let text = "<CPIX xmlns=\"urn:dashif:org:cpix\">\(elements)</CPIX>"
            return failure { () throws(SignalingError) in _ = try CPIXDocument(xml: Array(text.utf8)) }
        }
        #expect(refusal(28, 10) == nil)
        #expect(refusal(29, 10)?.code == .invalidCPIX)
        #expect(refusal(1, 997)?.code == .invalidCPIX)
        for (count, isAccepted) in [(200, true), (201, false)] {
            let attributes = (0..<count).map { " a\($0)=\"\"" }.joined()
            let text = "<CPIX xmlns=\"urn:dashif:org:cpix\"><zzz\(attributes)/></CPIX>"
            let error = failure { () throws(SignalingError) in _ = try CPIXDocument(xml: Array(text.utf8)) }
            #expect((error == nil) == isAccepted && error?.description.contains("zzz") != true)
        }
    }

    @Test(
        "The key URI is that of URIExtXKey or of the first playlist line with a key",
        arguments: [
            ("", nil, nil), ("#EXT-X-KEY:METHOD=NONE", nil, nil), ("#EXT-X-KEY:METHOD=AES-128,URI=\"\"", nil, nil),
            ("#EXT-X-KEY:URI=\"skd://a,b=c\",IV=0x1", nil, "skd://a,b=c"),
            ("#EXT-X-X:1\r\n#EXT-X-KEY:KEYFORMAT=\",URI=\", URI=\"skd://d\"", nil, "skd://d"),
            ("#EXT-X-KEY:XURI=\"skd://e\"", nil, nil), ("#EXT-X-KEY:URI=\"skd://f", nil, "skd://f"),
            ("#EXT-X-SESSION-KEY:URI=\"skd://g\"", "skd://h", "skd://h"), ("#EXT-X-KEY:URI=\"skd://i\"", "", "skd://i"),
        ] as [(String, String?, String?)]
    )
    func keyURI(_ lines: String, _ element: String?, _ expected: String?) {
        var system = CPIXDocument.DRMSystem(keyID: firstID, systemID: .fairPlay, keyURI: element)
        system.mediaPlaylistSignaling = lines
        #expect(system.signaledKeyURI == expected)
        system.mediaPlaylistSignaling = ""
        system.multivariantPlaylistSignaling = lines
        #expect(system.signaledKeyURI == expected)
    }

    @Test(
        "Invalid durations are rejected",
        arguments: ["1", "PT", "P1Y", "P1M", "P1W", "-PT1S", "PT1S zzz", String(repeating: "9", count: 200)]
    )
    func durations(_ value: String) {
        for name in ["startOffset", "endOffset", "duration"] {
            let text = """
                <CPIX xmlns="urn:dashif:org:cpix"><ContentKeyPeriodList>
                <ContentKeyPeriod id="p" \(name)="\(value)"/></ContentKeyPeriodList></CPIX>
                """
            let error = failure { () throws(SignalingError) in _ = try CPIXDocument(xml: Array(text.utf8)) }
            #expect(error?.code == .invalidCPIX && error?.reason.contains(name) == true)
            #expect(error?.reason.contains("zzz") == false)
        }
    }
}
