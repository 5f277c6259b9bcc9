import FPSCrypto
import FPSMessages
import KeyServerModule
import Synchronization
import Testing
import VectorFiles

@Suite("Opening SPCs in batches")
struct SPCBatchOpeningTests {
    /// A decryptor that decrypts messages one after the other, and counts the batches.
    final class CountingDecryptor: BatchOAEPDecryptor {
        let batchSize = 5
        let batches = Mutex<[Int]>([])

        func decryptOAEP(_ ciphertexts: [[UInt8]], with key: RSAPrivateKey) -> [Result<SecretBytes, CryptoError>] {
            batches.withLock { $0.append(ciphertexts.count) }
            return ciphertexts.map { ciphertext in
                Result { () throws(CryptoError) in try key.decryptOAEP(ciphertext) }
            }
        }
    }

    @Test("Each SPC has the same result as alone, at its index, regardless of the other SPCs")
    func oneByOne() throws { try compare(nil) }

    @Test("The results are the same with a batch decryptor, with one batch for each key")
    func together() throws {
        let decryptor = CountingDecryptor()
        try compare(decryptor)
        let batches = decryptor.batches.withLock { $0 }
        #expect(batches.count == 2)
        #expect(batches.allSatisfy { $0 > 1 })
    }

    @Test("The preferred batch size is that of the batch decryptor")
    func openedTogether() throws {
        #expect(try TestKeys.module().openedTogether == 1)
        #expect(try TestKeys.module { $0.multiBuffer = CountingDecryptor() }.openedTogether == 5)
    }

    private func compare(_ multiBuffer: CountingDecryptor?) throws {
        // Valid and invalid SPCs for both key sizes, some of them twice.
        var spcs = try VectorFile.all(in: "spc").map(\.message)
        spcs += spcs.reversed() + [[]]
        let (alone, together) = (try TestKeys.module(), try TestKeys.module { $0.multiBuffer = multiBuffer })
        let results = together.open(spcs)
        #expect(results.count == spcs.count)
        var opened = 0
        for (spc, result) in zip(spcs, results) {
            switch (result, Result { () throws(KSMError) in try alone.open(spc) }) {
            case (.success(let one), .success(let other)):
                opened += 1
                #expect(one.hu == other.hu)
                #expect(one.bundle.name == other.bundle.name)
                #expect(one.request.assetID.bytes == other.request.assetID.bytes)
                #expect(one.notes == other.notes)
            case (.failure(let one), .failure(let other)):
                #expect(one == other)
                #expect(one.description == other.description)
            default: Issue.record("one way it opens, and not the other")
            }
        }
        #expect(opened > 8)
    }
}
