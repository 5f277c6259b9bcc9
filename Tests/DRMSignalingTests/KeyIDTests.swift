import DRMSignaling
import Testing

@Suite("Key IDs and system IDs")
struct KeyIDTests {
    @Test(
        "Every written form is parsed",
        arguments: [
            "00112233445566778899aabbccddeeff", "00112233445566778899AABBCCDDEEFF",
            "00112233-4455-6677-8899-aabbccddeeff", "00112233-4455-6677-8899-AABBCCDDEEFF",
            "0x00112233445566778899aabbccddeeff", "0X00112233445566778899aabbccddeeff",
        ]
    )
    func written(_ text: String) throws {
        let keyID = try ContentKeyID(parsing: text)
        #expect(keyID == firstID)
        #expect(keyID.bytes == hex("00112233445566778899aabbccddeeff"))
        #expect(keyID.hexadecimal == "00112233445566778899aabbccddeeff")
        #expect(keyID.uuid == "00112233-4455-6677-8899-aabbccddeeff")
        #expect("\(keyID)" == keyID.hexadecimal)
        #expect(SystemID(text)?.bytes == keyID.bytes)
    }

    @Test(
        "Other forms are rejected",
        arguments: [
            "", "0x", "0011", "00112233445566778899aabbccddeef", "00112233445566778899aabbccddeeff0",
            "00112233445566778899aabbccddeefg", "0011-2233-4455-6677-8899-aabbccddeeff",
            "00112233-4455-6677-8899aabbccddeeff", "00112233-4455-6677-8899-aabbccddeeff-",
            "-00112233445566778899aabbccddeeff---", "{00112233-4455-6677-8899-aabbccddeeff}",
            "00112233-4455-6677-8899-aabbccddee-f", "００112233445566778899aabbccddeeff",
        ]
    )
    func notWritten(_ text: String) {
        let error = failure { () throws(SignalingError) in _ = try ContentKeyID(parsing: text, field: "--key-id") }
        #expect(error?.code == .invalidKey)
        #expect(error?.subject == "--key-id")
        #expect(SystemID(text) == nil)
    }

    @Test("An error does not contain an invalid key ID, because it may be a key")
    func silence() throws {
        let text = "deadbeefdeadbeef"
        let error = failure { () throws(SignalingError) in _ = try ContentKeyID(parsing: text) }
        #expect(error?.reason == "expected 32 hexadecimal digits or a UUID; found 16 other characters")
    }

    @Test("IDs must have sixteen bytes")
    func sizes() {
        for count in 0..<40 {
            let bytes = [UInt8](repeating: 7, count: count)
            #expect((ContentKeyID(bytes) != nil) == (count == 16))
            #expect((SystemID(bytes) != nil) == (count == 16))
        }
    }

    /// RFC 9562, 5.4: the third group starts with the digit 4, and the fourth with 8, 9, a or b.
    @Test("A generated ID is a random UUID")
    func random() {
        var generator = SystemRandomNumberGenerator()
        let made = (0..<64).map { _ in ContentKeyID(randomFrom: &generator) }
        #expect(Set(made).count == made.count)
        for keyID in made {
            let groups = keyID.uuid.split(separator: "-")
            #expect(groups[2].first == "4")
            #expect("89ab".contains(groups[3].prefix(1)))
        }
        // No other bit is the same in all 64 random IDs, except with a probability of 2^-57.
        let bytes = made.map(\.bytes)
        let always = (0..<16).map { place in bytes.reduce(0xFF) { $0 & $1[place] } }
        let ever = (0..<16).map { place in bytes.reduce(0) { $0 | $1[place] } }
        #expect(always == [0, 0, 0, 0, 0, 0, 0x40, 0, 0x80, 0, 0, 0, 0, 0, 0, 0])
        #expect(ever == [255, 255, 255, 255, 255, 255, 0x4F, 255, 0xBF, 255, 255, 255, 255, 255, 255, 255])
    }
}
