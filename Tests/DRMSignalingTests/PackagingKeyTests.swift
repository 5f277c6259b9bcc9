import DRMSignaling
import FPSCrypto
import Testing

@Suite("Keys in files and options")
struct PackagingKeyTests {
    private let kid = "00112233445566778899aabbccddeeff"
    private let key = "0f1e2d3c4b5a69788796a5b4c3d2e1f0"
    private let iv = "101112131415161718191A1B1C1D1E1F"

    private func refusal(_ text: String) -> SignalingError? {
        failure { () throws(SignalingError) in _ = try PackagingKey(parsing: text) }
    }

    @Test("KID:KEY and KID:KEY:IV are parsed")
    func colons() throws {
        let with = try PackagingKey(parsing: "\(kid):\(key):0x\(iv)")
        #expect(with.keyID == firstID)
        #expect(with.key.reveal() == hex(key))
        #expect(with.iv?.reveal() == hex(iv))
        let without = try PackagingKey(parsing: "00112233-4455-6677-8899-AABBCCDDEEFF:\(key.uppercased())")
        #expect(without.keyID == firstID)
        #expect(without.key == with.key)
        #expect(without.iv == nil)
        #expect(without != with)
        #expect(try with == PackagingKey(keyID: kid, key: key, iv: iv))
        #expect(try without == PackagingKey(keyID: kid, key: key, iv: nil))
    }

    @Test("An error contains the name of the part and never its content")
    func parts() {
        let cases: [(String, String)] = [
            ("", "--key"), (kid, "--key"), ("\(kid):\(key):\(iv):", "--key"),
            (":\(key)", "KID of --key"), ("\(kid.dropLast()):\(key)", "KID of --key"),
            ("\(kid):", "KEY of --key"), ("\(kid):\(key.dropLast())", "KEY of --key"),
            ("\(kid):\(key)0", "KEY of --key"),
            ("\(kid):\(key.dropLast())g", "KEY of --key"), ("\(kid):\(key):", "IV of --key"),
            ("\(kid):\(key):\(iv.dropLast())x", "IV of --key"), ("\(kid):\(key):\(iv) ", "IV of --key"),
        ]
        for (text, subject) in cases {
            let error = refusal(text)
            #expect(error?.code == .invalidKey, "\(subject)")
            #expect(error?.subject == subject)
            let said = (error?.description ?? "").lowercased()
            for secret in [key, iv.lowercased()] { #expect(!said.contains(secret.prefix(6))) }
        }
    }

    @Test("Errors contain the names of the command's options")
    func options() {
        func subject(_ keyID: String, _ key: String, _ iv: String?) -> String? {
            failure { () throws(SignalingError) in _ = try PackagingKey(keyID: keyID, key: key, iv: iv) }?.subject
        }
        #expect(subject(kid, key, iv) == nil)
        #expect(subject("1", key, iv) == "--key-id")
        #expect(subject(kid, "1", iv) == "--key")
        #expect(subject(kid, key, "1") == "--iv")
    }

    @Test("Keys and IVs must have 16 bytes")
    func sizes() throws {
        let good = SecretBytes(copying: hex(key))
        for count in 0..<40 where count != 16 {
            let bad = SecretBytes(copying: [UInt8](repeating: 1, count: count))
            for (key, iv) in [(bad, nil), (good, bad)] as [(SecretBytes, SecretBytes?)] {
                let error = failure { () throws(SignalingError) in
                    _ = try PackagingKey(keyID: firstID, key: key, iv: iv)
                }
                #expect(error?.code == .invalidKey)
                #expect(error?.reason.contains("but has \(count)") == true)
            }
        }
    }

    @Test("An ID cannot have two keys")
    func index() throws {
        let first = try PackagingKey(parsing: "\(kid):\(key)")
        let second = try PackagingKey(parsing: "\(secondID):\(key)")
        let other = try PackagingKey(parsing: "\(kid):\(iv)")
        #expect(try PackagingKey.index([first, second, first]) == [firstID: first, secondID: second])
        let error = failure { () throws(SignalingError) in _ = try PackagingKey.index([first, second, other]) }
        #expect(error?.code == .duplicateKeyID)
        #expect(error?.subject.contains(kid) == true)
    }

    @Test("No description contains a key")
    func descriptions() throws {
        let value = try PackagingKey(parsing: "\(kid):\(key):\(iv)")
        let file = try ContentKeyFile(SecretBytes(copying: hex(key) + hex(iv)))
        var shown = "\(value) \(String(reflecting: value)) \(file)"
        dump(value, to: &shown)
        dump(file, to: &shown)
        for secret in [key, iv.lowercased()] { #expect(!shown.lowercased().contains(secret.prefix(6))) }
        // The bytes as numbers, as in the description of an array.
        #expect(!shown.contains("15, 30, 45"))
        #expect(!shown.contains("16, 17, 18"))
    }
}

@Suite("Apple's key file")
struct ContentKeyFileTests {
    private let content = [UInt8](1...32)

    @Test("The file contains 16 bytes of key and 16 bytes of IV")
    func parts() throws {
        let file = try ContentKeyFile(SecretBytes(copying: content))
        #expect(file.key.reveal() == [UInt8](1...16))
        #expect(file.iv.reveal() == [UInt8](17...32))
        #expect(file.content.reveal() == content)
        let key = PackagingKey(keyID: firstID, file: file)
        #expect(key.keyID == firstID)
        #expect(key.key == file.key)
        #expect(key.iv == file.iv)
    }

    @Test("Every other size is rejected; the error contains the size and no content")
    func sizes() {
        for count in 0..<100 where count != 32 {
            let bytes = [UInt8](repeating: 0xAB, count: count)
            let error = failure { () throws(SignalingError) in
                _ = try ContentKeyFile(SecretBytes(copying: bytes), name: "movie.key")
            }
            #expect(error?.code == .invalidKey)
            #expect(error?.subject == "movie.key")
            #expect(error?.reason.contains("this file has \(count)") == true)
            #expect(error?.reason.contains(": ") == [16, 33, 64, 65].contains(count), "\(count)")
        }
    }
}
