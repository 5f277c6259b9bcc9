import DRMSignalling
import Testing

@Suite("Key IDs and system IDs")
struct KeyIDTests {
    @Test(
        "Every written form is read",
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
        "Nothing else is",
        arguments: [
            "", "0x", "0011", "00112233445566778899aabbccddeef", "00112233445566778899aabbccddeeff0",
            "00112233445566778899aabbccddeefg", "0011-2233-4455-6677-8899-aabbccddeeff",
            "00112233-4455-6677-8899aabbccddeeff", "00112233-4455-6677-8899-aabbccddeeff-",
            "-00112233445566778899aabbccddeeff---", "{00112233-4455-6677-8899-aabbccddeeff}",
            "00112233-4455-6677-8899-aabbccddee-f", "００112233445566778899aabbccddeeff",
        ]
    )
    func notWritten(_ text: String) {
        let error = failure { () throws(SignallingError) in _ = try ContentKeyID(parsing: text, field: "--key-id") }
        #expect(error?.code == .invalidKey)
        #expect(error?.subject == "--key-id")
        #expect(SystemID(text) == nil)
    }

    @Test("A text that is no key ID is not repeated, for it may be a key")
    func silence() throws {
        let text = "deadbeefdeadbeef"
        let error = failure { () throws(SignallingError) in _ = try ContentKeyID(parsing: text) }
        #expect(error?.reason == "32 hexadecimal digits or a UUID expected, 16 characters found that are neither")
    }

    @Test("Sixteen bytes are an ID, no more and no fewer")
    func sizes() {
        for count in 0..<40 {
            let bytes = [UInt8](repeating: 7, count: count)
            #expect((ContentKeyID(bytes) != nil) == (count == 16))
            #expect((SystemID(bytes) != nil) == (count == 16))
        }
    }
}
