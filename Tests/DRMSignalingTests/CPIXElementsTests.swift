import DRMSignaling
import FPSCrypto
import Testing

@Suite("CPIX elements")
struct CPIXElementsTests {
    /// A document with every element and attribute of the format.
    private static let text = """
        <?xml version="1.0" encoding="UTF-8"?>
        <CPIX xmlns="urn:dashif:org:cpix" xmlns:pskc="urn:ietf:params:xml:ns:keyprov:pskc"
            xmlns:enc="http://www.w3.org/2001/04/xmlenc#" xmlns:ds="http://www.w3.org/2000/09/xmldsig#"
            xmlns:x="urn:example" contentId="film" name="A film" version="2.3">
          <DeliveryDataList>
            <DeliveryData id="d" name="packager">
              <DeliveryKey><ds:X509Data><ds:X509Certificate>AQID</ds:X509Certificate></ds:X509Data></DeliveryKey>
              <DocumentKey Algorithm="http://www.w3.org/2001/04/xmlenc#aes256-cbc"><Data><pskc:Secret>
                <pskc:EncryptedValue>
                  <enc:EncryptionMethod Algorithm="http://www.w3.org/2001/04/xmlenc#rsa-oaep-mgf1p">
                    <ds:DigestMethod Algorithm="http://www.w3.org/2000/09/xmldsig#sha1"/>
                  </enc:EncryptionMethod>
                  <enc:CipherData><enc:CipherValue>BAUG</enc:CipherValue></enc:CipherData>
                </pskc:EncryptedValue></pskc:Secret></Data></DocumentKey>
              <MACMethod Algorithm="http://www.w3.org/2001/04/xmldsig-more#hmac-sha512">
                <pskc:MACKey>
                  <enc:EncryptionMethod Algorithm="http://www.w3.org/2001/04/xmlenc#rsa-oaep-mgf1p"/>
                  <enc:CipherData><enc:CipherValue>BwgJ</enc:CipherValue></enc:CipherData>
                </pskc:MACKey>
              </MACMethod>
              <Description>x</Description>
            </DeliveryData>
          </DeliveryDataList>
          <ContentKeyList>
            <ContentKey kid="00112233-4455-6677-8899-aabbccddeeff" dependsOnKey="ffeeddcc-bbaa-9988-7766-554433221100">
              <Data><pskc:Secret><pskc:EncryptedValue>
                <enc:EncryptionMethod Algorithm="http://www.w3.org/2001/04/xmlenc#aes256-cbc"/>
                <enc:CipherData><enc:CipherValue>CgsM</enc:CipherValue></enc:CipherData>
              </pskc:EncryptedValue><pskc:ValueMAC>DQ4P</pskc:ValueMAC></pskc:Secret></Data>
            </ContentKey>
          </ContentKeyList>
          <DRMSystemList>
            <DRMSystem kid="00112233-4455-6677-8899-aabbccddeeff" systemId="edef8ba9-79d6-4ace-a3c8-27dcd51d21ed"
                name="Widevine">
              <PSSH>AQID</PSSH>
              <ContentProtectionData>PGEvPg==</ContentProtectionData>
              <URIExtXKey/>
              <HLSSignalingData>bWVkaWE=</HLSSignalingData>
              <HLSSignalingData playlist="master">bWFzdGVy</HLSSignalingData>
              <SmoothStreamingProtectionHeaderData>AAAA</SmoothStreamingProtectionHeaderData>
              <HDSSignalingData>AQID</HDSSignalingData>
              <x:HDCPData/>
            </DRMSystem>
          </DRMSystemList>
          <ContentKeyPeriodList><ContentKeyPeriod id="p" index="0"/></ContentKeyPeriodList>
          <ContentKeyUsageRuleList>
            <ContentKeyUsageRule kid="00112233-4455-6677-8899-aabbccddeeff">
              <KeyPeriodFilter periodId="p"/>
              <LabelFilter label="l"/>
              <VideoFilter minPixels="1" maxPixels="2" hdr="true" wcg="0" minFps="24" maxFps="60"/>
              <AudioFilter minChannels="1" maxChannels="6"/>
              <BitrateFilter minBitrate="3" maxBitrate="4"/>
            </ContentKeyUsageRule>
          </ContentKeyUsageRuleList>
          <UpdateHistoryItemList>
            <UpdateHistoryItem updateVersion="1" index="keys" source="me" date="2026-01-01T00:00:00Z"/>
          </UpdateHistoryItemList>
          <ds:Signature><ds:SignedInfo/></ds:Signature>
        </CPIX>
        """

    private func check(_ document: CPIXDocument) throws {
        #expect(document.contentID == "film" && document.name == "A film" && document.declaredVersion == "2.3")
        let delivery = try #require(document.deliveryData.first)
        #expect(delivery.id == "d" && delivery.name == "packager" && delivery.certificate == [1, 2, 3])
        #expect(delivery.documentKey?.cipherValue == [4, 5, 6] && delivery.macKey?.cipherValue == [7, 8, 9])
        #expect(delivery.macKey?.algorithm == "http://www.w3.org/2001/04/xmlenc#rsa-oaep-mgf1p")
        let key = try #require(document.contentKeys.first)
        #expect(key.keyID == firstID && key.dependsOn == secondID && key.isEncrypted && key.key == nil)
        guard case .encrypted(let value, let mac) = key.value else { return }
        #expect(value.cipherValue == [10, 11, 12] && mac == [13, 14, 15])
        var system = CPIXDocument.DRMSystem(keyID: firstID, systemID: .widevine, keyURI: "")
        system.name = "Widevine"
        (system.pssh, system.contentProtectionData, system.hdsSignaling) = ([1, 2, 3], "<a/>", [1, 2, 3])
        (system.mediaPlaylistSignaling, system.multivariantPlaylistSignaling) = ("media", "master")
        system.smoothStreamingHeader = "AAAA"
        #expect(document.systems.first?.extensions.isEmpty == false)
        system.extensions = document.systems.first?.extensions ?? .init()
        #expect(document.systems == [system])
        #expect(document.periods == [.init(id: "p", index: 0)])
        var rule = CPIXDocument.UsageRule(
            keyID: firstID,
            intendedTrackType: nil,
            periodIDs: ["p"],
            videoFilters: [.init(minPixels: 1, maxPixels: 2)],
            audioFilters: [.init(minChannels: 1, maxChannels: 6)]
        )
        (rule.videoFilters[0].hdr, rule.videoFilters[0].wcg) = (true, false)
        (rule.videoFilters[0].minFps, rule.videoFilters[0].maxFps) = (24, 60)
        (rule.labels, rule.bitrateFilters) = (["l"], [.init(minBitrate: 3, maxBitrate: 4)])
        #expect(document.usageRules == [rule])
        #expect(
            document.history == [.init(updateVersion: 1, index: "keys", source: "me", date: 1_767_225_600)]
        )
    }

    @Test("Every element and attribute is parsed and written")
    func roundTrip() throws {
        let document = try CPIXDocument(xml: Array(Self.text.utf8))
        try check(document)
        #expect(document.isSigned)
        let again = try CPIXDocument(xml: document.xml)
        try check(again)
        #expect(!again.isSigned && again.passedOver.map(\.parent) == ["DRMSystem"])
    }

    @Test("Undefined elements are listed with their line and parent")
    func passedOver() throws {
        let document = try CPIXDocument(xml: Array(Self.text.utf8))
        #expect(document.passedOver == [.init(line: 42, parent: "DRMSystem")])
        let many = "<CPIX xmlns=\"urn:dashif:org:cpix\">" + String(repeating: "<a/>", count: 1_000) + "</CPIX>"
        #expect(try CPIXDocument(xml: Array(many.utf8)).passedOver.count == 100)
    }

    @Test(
        "Invalid elements are rejected, and errors contain no text of the document",
        arguments: [
            ("xmlenc#aes256-cbc\"><Data>", "zzz\"><Data>"), ("xmldsig-more#hmac-sha512", "zzz"),
            ("xmldsig#sha1", "zzz"), ("AQID</ds", "zzz!</ds"), ("pskc:MACKey", "pskc:zzz"), ("BwgJ", "zzz!"),
            ("index=\"0\"", "index=\"-1\""), ("index=\"0\"", "index=\"99999999999999999999\""),
            ("hdr=\"true\"", "hdr=\"zzz\""), ("minPixels=\"1\"", "minPixels=\"zzz\""), ("periodId=\"p\"", ""),
            ("label=\"l\"", ""), ("playlist=\"master\"", "playlist=\"zzz\""), (" playlist=\"master\"", ""),
            ("PGEvPg==", "/////w=="), ("updateVersion=\"1\"", ""), ("<enc:CipherValue>CgsM</enc:CipherValue>", ""),
            ("name=\"A film\"", "name=\"" + String(repeating: "z", count: 1_001) + "\""),
            ("<ContentKeyPeriod id=\"p\" index=\"0\"/>", "<ContentKeyPeriod id=\"p\"/><ContentKeyPeriod id=\"p\"/>"),
            ("AQID</PSSH>", String(repeating: "AAAA", count: 30_000) + "</PSSH>"),
            (
                "<pskc:ValueMAC>DQ4P</pskc:ValueMAC>",
                "<pskc:PlainValue>AQIDBAUGBwgJCgsMDQ4PEA==</pskc:PlainValue>"
            ),
        ]
    )
    func refusals(_ part: String, _ change: String) {
        let text = Self.text.replacing(part, with: change)
        #expect(text != Self.text)
        let error = failure { () throws(SignalingError) in _ = try CPIXDocument(xml: Array(text.utf8)) }
        #expect(error?.code == .invalidCPIX)
        #expect(error?.subject.hasPrefix("CPIX, line ") == true)
        #expect(!"\(error.map { "\($0)" } ?? "")".contains("zzz"))
    }

    @Test("Every truncated document is rejected")
    func truncation() {
        let whole = Array(Self.text.utf8)
        for end in whole.indices {
            let part = Array(whole[..<end])
            #expect(failure { () throws(SignalingError) in _ = try CPIXDocument(xml: part) } != nil)
        }
    }
}
