import ByteCoding
import DRMSignaling
import Testing

@Suite("PlayReady Object and header")
struct PlayReadyTests {
    /// From Shaka Packager 3.8.0 (`--protection_systems PlayReady --protection_scheme cbcs`).
    static let published =
        """
        <WRMHEADER xmlns="http://schemas.microsoft.com/DRM/2007/03/PlayReadyHeader" version="4.3.0.0"><DATA><PROTECTINFO>\
        <KIDS><KID ALGID="AESCBC" VALUE="o6KhoKWkp6aoqaqrrK2urw=="></KID></KIDS></PROTECTINFO></DATA></WRMHEADER>
        """
    /// The 10 bytes before that header, from the same program.
    static let publishedHead = hex("be010000 0100 0100 b401")

    static var object: [UInt8] { publishedHead + published.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] } }

    private func error(_ bytes: [UInt8]) -> ParseError? {
        do {
            _ = try PlayReadyObject(bytes)
            return nil
        } catch {
            return error
        }
    }

    private func header(_ content: String, version: String = "4.0.0.0") throws(SignalingError) -> PlayReadyHeader {
        let namespace = "http://schemas.microsoft.com/DRM/2007/03/PlayReadyHeader"
        return try PlayReadyHeader(
            xml: "<WRMHEADER xmlns=\"\(namespace)\" version=\"\(version)\">\(content)</WRMHEADER>"
        )
    }

    @Test("are identical to those of another packager")
    func writing() throws {
        let keyID = try ContentKeyID(parsing: "a0a1a2a3a4a5a6a7a8a9aaabacadaeaf")
        let header = PlayReadyHeader(keyIDs: [keyID], scheme: .cbcs)
        #expect(header.xml == Self.published)
        #expect(try PlayReadyObject(header).bytes == Self.object)
        #expect(PlayReadyHeader(keyIDs: [keyID], scheme: .cenc).xml.contains("ALGID=\"AESCTR\""))
    }

    @Test("are parsed again, with several keys and a license server URL")
    func roundTrip() throws {
        let written = PlayReadyHeader(
            keys: [.init(keyID: firstID, algorithm: .chaining), .init(keyID: secondID, algorithm: nil)],
            licenseURL: "https://a.example/?b=c&d=<e>"
        )
        let object = try PlayReadyObject(written)
        #expect(try PlayReadyObject(object.bytes) == object)
        #expect(try PlayReadyObject(object.bytes).header() == written)
        #expect(try PlayReadyObject(records: [.init(type: 3, value: [1])]).header() == nil)
    }

    /// The GUID of the example in Microsoft's specification is stored with its first three fields reversed.
    @Test("Older versions are parsed")
    func olderVersions() throws {
        let value = "o6KhoKWkp6aoqaqrrK2urw=="
        let keyID = try ContentKeyID(parsing: "a0a1a2a3a4a5a6a7a8a9aaabacadaeaf")
        let four = try header(
            "<DATA><PROTECTINFO><KEYLEN>16</KEYLEN><ALGID>AESCTR</ALGID></PROTECTINFO><KID>\(value)</KID>"
                + "<CHECKSUM>AAAAAAAAAAA=</CHECKSUM><LA_URL> https://a/ </LA_URL></DATA>"
        )
        #expect(four == PlayReadyHeader(keyIDs: [keyID], scheme: .cenc, licenseURL: "https://a/"))
        let one = try header(
            "<DATA><PROTECTINFO><KID ALGID='AESCTR' VALUE='\(value)'/></PROTECTINFO></DATA>",
            version: "4.1.0.0"
        )
        #expect(one == PlayReadyHeader(keyIDs: [keyID], scheme: .cenc))
    }

    @Test("Every truncated object is rejected, whatever its length field")
    func truncation() {
        for count in 0..<Self.object.count {
            #expect(error(Array(Self.object[..<count])) != nil, "\(count) bytes")
            guard count >= 4 else { continue }
            var short = Array(Self.object[..<count])
            (short[0], short[1]) = (UInt8(count & 0xFF), UInt8(count >> 8))
            #expect(error(short) != nil, "\(count) bytes that say so")
        }
        #expect(error(Self.object + [0])?.code == .invalidLength)
        #expect(error(Self.object) == nil)
    }

    @Test("An invalid header is rejected, and the error does not contain its text")
    func damage() {
        let texts = [
            "", "<a/>", "<WRMHEADER version='4.3.0.0'><DATA/></WRMHEADER>",
            Self.published.replacing("4.3.0.0", with: "5.0.0.0"), Self.published.replacing("DATA", with: "DATUM"),
            Self.published.replacing("o6Kh", with: "o6"), Self.published.replacing("o6Kh", with: "????"),
            "<!DOCTYPE a>" + Self.published, "<?a?>" + Self.published, String(Self.published.dropLast()),
        ]
        for text in texts {
            let error = failure { () throws(SignalingError) in _ = try PlayReadyHeader(xml: text) }
            #expect(error?.code == .invalidPlayReadyHeader, "\(text)")
            #expect(error?.description.contains("o6Kh") != true)
        }
        let halves: [[UInt8]] = [[0x3C], [0x00, 0xD8]]
        for value in halves {
            let object = PlayReadyObject(records: [.init(type: 1, value: value)])
            let error = failure { () throws(SignalingError) in _ = try object.header() }
            #expect(error?.code == .invalidPlayReadyHeader)
        }
    }

    @Test("A header that is too large for a record is rejected")
    func tooLong() {
        let header = PlayReadyHeader(keyIDs: [ContentKeyID](repeating: firstID, count: 1000), scheme: .cbcs)
        let error = failure { () throws(SignalingError) in _ = try PlayReadyObject(header) }
        #expect(error?.code == .invalidPlayReadyHeader)
    }
}
