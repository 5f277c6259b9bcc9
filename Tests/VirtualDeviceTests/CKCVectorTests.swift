import ByteCoding
import FPSCrypto
import Foundation
import Testing
import VectorFiles
import VirtualDevice

@Suite("CKC vectors")
struct CKCVectorTests {
    /// The vectors that a reader can accept and this device refuses, because the guide forbids or does not define them.
    static let stricter = ["ckc/reserved-block", "ckc/returned-tags-first"]

    @Test("The device accepts the valid vectors with the correct key and refuses the others")
    func vectors() throws {
        for vector in try VectorFile.all(in: "ckc") {
            let reader = try reader(forAnswersTo: try #require(vector["spc-file"]))
            let shouldSucceed = vector.isSuccess && !Self.stricter.contains(vector.name)
            let received: ReceivedCKC
            do throws(FPSError) {
                received = try reader.read(vector.message)
            } catch {
                #expect(!shouldSucceed, "\(vector): \(error)")
                #expect(error == .invalidCKC, "\(vector): \(error)")
                continue
            }
            #expect(shouldSucceed, "\(vector) was taken")
            let key = vector.bytes("content-key").map { SecretBytes(copying: $0) }
            #expect(received.contentKey == key, "\(vector)")
            #expect(received.iv == vector.bytes("iv"), "\(vector)")
            #expect(received.notes.count == vector.list("uniform-padding")?.count ?? 0, "\(vector)")
        }
    }

    /// Returns a reader with the secrets of the vector's SPC.
    private func reader(forAnswersTo file: String) throws -> StrictCKCReader {
        let spc = try VectorFile(path: String(file.dropFirst("../".count)))
        let keyFile = VectorFile.root.appending(path: "keys").appending(path: try #require(spc["key-file"]))
        let key = try RSAPrivateKey(try SecretBytes(copying: Data(contentsOf: keyFile)))
        let size = key.bits / 8
        let payloadKey = try key.decryptOAEP(spc.message[24..<24 + size])
        let payload = try AES128.decryptCBC(spc.message[(48 + size)...], key: payloadKey, iv: spc.message[8..<24])
        let wanted = Set(try #require(spc.list("tags-returned")).compactMap { UInt64($0, radix: 16) })
        let blocks = try TinyServer.blocks(in: payload).filter { wanted.contains($0.tag) }
        return StrictCKCReader(
            secrets: SessionSecrets(
                sessionKey: SecretBytes(copying: try #require(spc.bytes("sk"))),
                r1: SecretBytes(copying: try #require(spc.bytes("r1"))),
                antiReplaySeed: SecretBytes(copying: try #require(spc.bytes("ar-seed")))
            ),
            returned: Dictionary(uniqueKeysWithValues: blocks.map { ($0.tag, $0.bytes) }),
            playbackState: spc.bytes("playback-state").flatMap {
                FPSDevice.PlaybackState(rawValue: UInt32(truncatingIfNeeded: number($0)))
            }
        )
    }
}
