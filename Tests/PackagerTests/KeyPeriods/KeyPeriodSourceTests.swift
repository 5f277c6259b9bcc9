import DRMSignaling
import FPSCrypto
import Testing

@testable import Packager

@Suite("Sources of key periods")
struct KeyPeriodSourceTests {
    private func digits(_ byte: UInt8) -> String { String(repeating: byte < 10 ? "0\(byte)" : "\(byte)", count: 16) }

    private func key(_ byte: UInt8) -> String { "\(digits(byte)):\(digits(byte + 1)):\(digits(byte + 2))" }

    private func file(_ text: String) throws -> KeyPeriodFile {
        try KeyPeriodFile(SecretBytes(copying: Array(text.utf8)), name: "keys.txt")
    }

    private func request(_ number: Int) -> KeyPeriodRequest {
        KeyPeriodRequest(number: number, trackClasses: [.audio, .hd], duration: 60)
    }

    @Test("a file has a line for each period")
    func lines() async throws {
        let file = try file("# day one\n\(key(10))\n\naudio=\(key(20)) HD=\(key(30))\r\n")
        let first = try await file.period(request(0))
        #expect(first.keys[.audio]?.keyID.hexadecimal == digits(10))
        let second = try await file.period(request(1))
        #expect(second.keys[.audio]?.keyID.hexadecimal == digits(20))
        #expect(second.keys[.hd]?.keyID.hexadecimal == digits(30))
        #expect(second.keys[.sd] == nil)
        let error = await #expect(throws: KeyPeriodFailure.self) { try await file.period(request(2)) }
        #expect(error?.number == 2)
    }

    @Test("errors in a file contain the line number and no key")
    func mistakes() throws {
        let texts = [
            "", "# nothing\n", "\(key(10))\n\(key(10))\n", "\(key(10)) \(key(20))", "XL=\(key(10))",
            "audio=\(key(10)) audio=\(key(20))", "\(digits(10)):\(digits(11))0:\(digits(12))",
        ]
        for text in texts {
            do {
                _ = try file(text)
                Issue.record("\(text) was taken")
            } catch {
                #expect("\(error)".contains("keys.txt"), "\(error)")
                for byte: UInt8 in [11, 12, 21, 22] { #expect(!"\(error)".contains(digits(byte))) }
            }
        }
    }

    @Test("derived keys depend only on the secret, the class and the number")
    func derived() async throws {
        let source = try DerivedKeyPeriods(secret: SecretBytes(copying: [UInt8](repeating: 7, count: 16)))
        let (first, again, next) = (
            try await source.period(request(0)), try await source.period(request(0)),
            try await source.period(request(1))
        )
        #expect(first.keys[.hd] == again.keys[.hd])
        let all = (first.keys.all + next.keys.all).map(\.key)
        #expect(Set(all.map(\.keyID)).count == 4)
        #expect(all.allSatisfy { key in all.filter { $0.key == key.key }.count == 1 && key.iv != nil })
        #expect(throws: JobFailure.self) { try DerivedKeyPeriods(secret: SecretBytes(copying: [1, 2, 3])) }
    }
}
