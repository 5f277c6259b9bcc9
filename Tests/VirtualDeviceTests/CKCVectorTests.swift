import ByteCoding
import FPSCrypto
import Foundation
import Testing
import VectorFiles
import VirtualDevice

@Suite("CKC vectors")
struct CKCVectorTests {
    @Test("The device accepts the valid vectors with the correct key and refuses the others with their error")
    func vectors() throws {
        for vector in try VectorFile.all(in: "ckc") {
            let reader = try reader(forAnswersTo: try #require(vector["spc-file"]))
            let received: ReceivedCKC
            do throws(FPSError) {
                received = try reader.read(vector.message)
            } catch {
                #expect(!vector.isSuccess, "\(vector): \(error)")
                #expect(error.code == vector["device-error"].map { Int32($0) } ?? -42668, "\(vector): \(error)")
                continue
            }
            #expect(vector.isSuccess, "\(vector) was taken")
            let key = vector.bytes("content-key").map { SecretBytes(copying: $0) }
            #expect(received.contentKey == key, "\(vector)")
            #expect(received.iv == vector.bytes("iv") ?? [], "\(vector)")
            let padded = received.notes.filter { $0.contains("padding") }
            #expect(padded.count == vector.list("uniform-padding")?.count ?? 0, "\(vector)")
        }
    }

    @Test("There are vectors for each playback state, and refusals with both errors")
    func coverage() throws {
        var states: [String: Set<Bool>] = [:]
        var errors: Set<String> = []
        for vector in try VectorFile.all(in: "ckc") {
            let spc = try VectorFile(path: String(try #require(vector["spc-file"]).dropFirst("../".count)))
            states[spc["playback-state"] ?? "none", default: []].insert(vector.isSuccess)
            if let error = vector["device-error"] { errors.insert(error) }
        }
        for state in ["f4dee5a2", "a5d6739e", "4f834330", "none"] {
            #expect(states[state] == [true, false], "\(state)")
        }
        #expect(states["5991bf20"] == [false], "a halted player gets no key")
        #expect(errors == ["-42668", "-42811"])
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
            playbackState: spc.bytes("playback-state").map { UInt32(truncatingIfNeeded: number($0)) },
            receiver: CKCReceiver(
                capabilities: spc.bytes("capabilities").map { number($0.suffix(8)) },
                reportedLevel: spc.bytes("security-level").map { number($0) }
            ),
            isSyncSPC: spc["sync-spc"] == "yes"
        )
    }
}
