import FPSCrypto
import FPSMessages
import Foundation
import KeyServerModule
import Testing
import VectorFiles

@Suite("Several SPCs at once")
struct OpeningTogetherTests {
    /// crypto_mb, where `KEYWAY_CRYPTO_MB` says that it is.
    static let multiBuffer = ProcessInfo.processInfo.environment["KEYWAY_CRYPTO_MB"].flatMap {
        try? MultiBufferRSA(library: $0)
    }

    @Test("Each comes to what it comes to alone, in its place, whatever the others are")
    func libcrypto() throws { try compare(nil) }

    @Test(
        "So they do by crypto_mb",
        .enabled(if: multiBuffer != nil, "KEYWAY_CRYPTO_MB names no crypto_mb that runs on this processor")
    )
    func cryptoMB() throws { try compare(Self.multiBuffer) }

    @Test("They are best opened together where something does several RSA operations at once")
    func openedTogether() throws {
        #expect(try TestKeys.module().openedTogether == 1)
        guard let multiBuffer = Self.multiBuffer else { return }
        #expect(try TestKeys.module { $0.multiBuffer = multiBuffer }.openedTogether == MultiBufferRSA.width)
    }

    private func compare(_ multiBuffer: MultiBufferRSA?) throws {
        // Of both keys' sizes, sound ones and wrong ones, and some twice.
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
