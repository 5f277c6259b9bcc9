import FPSCrypto
import Testing
import VirtualDevice

@Suite("Modified CKCs")
struct CKCTamperTests {
    let bench: Bench
    let request: KeyRequest
    /// The blocks: content key, R1, HDCP, then the returned blocks.
    let ckc: [UInt8]
    static let payload = 28

    init() throws {
        bench = try Bench(.iPhone)
        request = try bench.request()
        ckc = try bench.answer(request, [.hdcp(0x285a_0863_bba8_e1d3)]) { ckc in
            ckc.own[0].padding = [UInt8](repeating: 0x5a, count: 16)
        }
    }

    private func key(of ckc: [UInt8]) throws -> DeviceKey? {
        do throws(FPSError) {
            return try bench.device.process(ckc: ckc, for: request)
        } catch {
            guard error == .invalidCKC else { throw error }
            return nil
        }
    }

    @Test("Every truncation is refused as an invalid CKC")
    func truncations() throws {
        for count in 0..<ckc.count { #expect(try key(of: Array(ckc[..<count])) == nil) }
    }

    @Test("Random bytes are refused as an invalid CKC")
    func noise() throws {
        var random = SeededRandom(seed: 5)
        for _ in 0..<2000 {
            let noise = random.bytes(Int.random(in: 0...600, using: &random))
            #expect(try key(of: noise) == nil)
            // Random bytes after a valid header.
            let count = noise.count / 16 * 16
            let framed = Array(ckc[..<24]) + bigEndian(UInt32(count)) + noise[..<count]
            #expect(try key(of: framed) == nil)
        }
    }

    @Test("Encrypted random payloads cause an error, never a crash")
    func nonsense() throws {
        var random = SeededRandom(seed: 6)
        let lengths: [UInt8] = [0x00, 0x01, 0x0f, 0x10, 0x20, 0x40, 0x7f, 0x80, 0xff]
        let extra: [TinyServer.Block] = [
            .offlineKey(storage: 1, playback: 1), .hdcp(0x285a_0863_bba8_e1d3), .securityLevel(0x4e7f_d924_21d5_88b4),
        ]
        let right = try TestCKC(try bench.server.open(request.spc), extra: extra)
        var refused = 0
        for _ in 0..<3000 {
            let changed = try right.sealed { payload in
                for _ in 0..<Int.random(in: 1...4, using: &random) {
                    let index = Int.random(in: 0..<payload.count, using: &random)
                    payload[index] = lengths.randomElement(using: &random) ?? 0
                }
            }
            // Each test uses a new device with the same seed, because a request accepts only one CKC.
            let again = try Bench(.iPhone)
            let request = try again.request()
            do throws(FPSError) {
                _ = try again.device.process(ckc: changed, for: request)
            } catch {
                #expect(error == .invalidCKC)
                refused += 1
            }
        }
        #expect(refused > 1000)
    }

    /// CBC is not authenticated: a changed byte garbles its 16-byte block and changes the same byte of the next block.
    /// Only changes to the reserved header bytes and to the value of the content key block are not detected, because
    /// the guide defines no check for them. Everything else must be refused.
    @Test("Every single changed byte is refused, except where the guide has no check", arguments: [0x01, 0x80, 0xff])
    func flips(mask: UInt8) throws {
        // The content key block has 16 bytes of header, 16 of IV, 16 of key and 16 of padding.
        let contentIVAndKey = Self.payload + 16..<Self.payload + 48
        for index in ckc.indices {
            var changed = ckc
            changed[index] ^= mask
            let unchecked = (4..<8).contains(index) || contentIVAndKey.contains(index)
            // A request accepts only one CKC, so changes that must be accepted are not tested.
            guard !unchecked else { continue }
            #expect(try key(of: changed) == nil, "byte \(index)")
        }
        let key = try #require(try key(of: ckc), "the unchanged CKC is still good")
        try key.startPlaying()
        #expect(try key.givesTestKey)
    }
}
