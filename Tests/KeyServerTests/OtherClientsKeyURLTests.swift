import FPSCrypto
import Foundation
import KeyServerModule
import Testing

@testable import KeyServer

@Suite("Signed URLs of keys")
struct OtherClientsKeyURLTests {
    private static let keyID = [UInt8](0..<16)

    private static func secret(_ id: String, _ text: String = "0123456789abcdef0123456789abcdef") -> KeyURLSecret {
        KeyURLSecret(id: id, secret: SecretBytes(copying: Array(text.utf8)))!
    }

    private let signer = KeyURLSigner(current: secret("2026a"))!

    /// Returns the problem of a URL, or nil.
    private func refusal(
        _ path: String,
        by signer: KeyURLSigner? = nil,
        keyID: [UInt8] = keyID,
        from address: String? = "192.0.2.7",
        at now: Int64 = 1_799_999_999
    ) -> ProblemDocument? {
        do throws(ProblemDocument) {
            let values = Self.values(path)
            _ = try (signer ?? self.signer).verify(keyID: keyID, remoteAddress: address, now: now) { values[$0] ?? [] }
            return nil
        } catch { return error }
    }

    private static func values(_ path: String) -> [String: [String]] {
        let query = path.split(separator: "?", maxSplits: 1).last ?? ""
        var values: [String: [String]] = [:]
        for pair in query.split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            values[parts[0], default: []].append(parts.last?.removingPercentEncoding ?? "")
        }
        return values
    }

    @Test("URLs match the documentation: signatures from another implementation")
    func signatures() throws {
        #expect(
            signer.path(keyID: Self.keyID, account: "viewer-1", expires: 1_800_000_000)
                == "/keys/000102030405060708090a0b0c0d0e0f?exp=1800000000&acc=viewer-1&key=2026a"
                + "&sig=xjzHBhhfzsQdzqTM2WfxWuizHe8yzzicYevlydnV-RI"
        )
        let network = IPNetwork(rawValue: "192.0.2.0/24")
        let path = signer.path(keyID: Self.keyID, account: "zoë & co", expires: 1_800_000_000, network: network)
        #expect(
            path
                == "/keys/000102030405060708090a0b0c0d0e0f?exp=1800000000&acc=zo%C3%AB%20%26%20co&net=192.0.2.0%2F24"
                + "&key=2026a&sig=--88qk0Ji8homgK1w2SWEp_4dCz-sUKM02xkco66Uh0"
        )
        let values = Self.values(try #require(path))
        let grant = try signer.verify(keyID: Self.keyID, remoteAddress: "192.0.2.7", now: 1_700_000_000) {
            values[$0] ?? []
        }
        #expect(grant == KeyURLSigner.Grant(account: "zoë & co", expires: 1_800_000_000))
    }

    @Test("A URL expires on time")
    func expiry() throws {
        let path = try #require(signer.path(keyID: Self.keyID, account: "a", expires: 1_800_000_000))
        #expect(refusal(path) == nil)
        #expect(refusal(path, at: 1_800_000_000)?.type == .keyURLExpired)
        #expect(refusal(path, at: .max)?.type == .keyURLExpired)
    }

    @Test("No part of a URL can be changed, omitted or repeated")
    func altered() throws {
        let network = IPNetwork(rawValue: "192.0.2.0/24")
        let path = try #require(
            signer.path(keyID: Self.keyID, account: "viewer", expires: 1_800_000_000, network: network)
        )
        #expect(refusal(path) == nil)
        let changes: [(String, String)] = [
            ("exp=1800000000", "exp=1900000000"), ("exp=1800000000", "exp=01800000000"), ("exp=1800000000", "exp="),
            ("exp=1800000000", "exp=+1800000000"), ("exp=1800000000", "exp=99999999999999999999"),
            ("exp=1800000000", "exp=-1"), ("acc=viewer", "acc=viewer2"), ("acc=viewer", "acc="), ("acc=viewer", "x=1"),
            ("acc=viewer", "acc=viewer&acc=viewer"), ("acc=viewer", "acc=" + String(repeating: "a", count: 201)),
            ("net=192.0.2.0%2F24", "net=0.0.0.0%2F0"), ("net=192.0.2.0%2F24&", ""), ("net=192.0.2.0%2F24", "net="),
            ("net=192.0.2.0%2F24", "net=192.0.2.0%2F24&net=192.0.2.0%2F24"), ("key=2026a", "key=2026b"),
            ("key=2026a", "key="), ("&sig=", "&sig=A"), ("&sig=", "&nosig="), ("&sig=", "&sig=&sig="),
        ]
        for (old, new) in changes {
            #expect(refusal(path.replacing(old, with: new))?.type == .keyURLSignature, "\(new)")
        }
        for count in 1...44 {
            #expect(refusal(String(path.dropLast(count)))?.type == .keyURLSignature)
        }
        #expect(refusal(path, keyID: Self.keyID.reversed())?.type == .keyURLSignature)
        #expect(refusal(path, keyID: [])?.type == .keyURLSignature)
        // An expired and changed URL has the same response as other changed ones.
        #expect(refusal(path.replacing("acc=viewer", with: "acc=b"), at: .max)?.type == .keyURLSignature)
    }

    @Test("A URL for a network is refused in others")
    func network() throws {
        let network = IPNetwork(rawValue: "2001:db8::/32")
        let path = try #require(signer.path(keyID: Self.keyID, account: "a", expires: 1_800_000_000, network: network))
        #expect(refusal(path, from: "2001:db8::9") == nil)
        for address in ["192.0.2.7", "2001:db9::9", nil] {
            #expect(refusal(path, from: address)?.type == .forbidden)
        }
    }

    @Test("A new secret signs, and previous ones are accepted until they are removed")
    func rotation() throws {
        let (old, new) = (Self.secret("old"), Self.secret("new", String(repeating: "n", count: 32)))
        let path = try #require(
            KeyURLSigner(current: old)?.path(keyID: Self.keyID, account: "a", expires: 1_800_000_000)
        )
        let rotated = try #require(KeyURLSigner(current: new, former: [old]))
        #expect(refusal(path, by: rotated) == nil)
        #expect(rotated.path(keyID: Self.keyID, account: "a", expires: 1)?.contains("key=new") == true)
        #expect(refusal(path, by: KeyURLSigner(current: new))?.type == .keyURLSignature)
        #expect(refusal(path.replacing("key=old", with: "key=new"), by: rotated)?.type == .keyURLSignature)
        #expect(KeyURLSigner(current: new, former: [Self.secret("new")]) == nil)
    }

    @Test("Secrets need a minimum size and a valid ID; invalid values are not signed")
    func limits() {
        for size in [0, 31, 1_025] {
            #expect(KeyURLSecret(id: "a", secret: SecretBytes(copying: [UInt8](repeating: 1, count: size))) == nil)
        }
        for id in ["", "A", "a&b", String(repeating: "a", count: 33)] {
            #expect(KeyURLSecret(id: id, secret: SecretBytes(copying: [UInt8](repeating: 1, count: 32))) == nil)
        }
        #expect(signer.path(keyID: [1], account: "a", expires: 1) == nil)
        #expect(signer.path(keyID: Self.keyID, account: "", expires: 1) == nil)
    }
}
