package import AVFoundation
package import FPSCrypto
package import FPSMessages
import Foundation
package import KeyServerModule
import Locking
import ServerCrypto

/// A key server without HTTP: a development certificate, a key for each asset ID, and a policy for each.
package final class TestKeyServer: Sendable {
    /// The ASk, which the devices of the test share.
    package static let ask = SecretBytes(copying: Array("development ask!".utf8))
    // RSA keys take long to generate, so all tests share one.
    private static let credentials = Result { () throws -> CertificateBundle in
        let key = try RSAPrivateKey.generate(bits: 1024)
        guard let dask = DevelopmentDASk(ask: ask) else { throw Refusal.noKey }
        return try CertificateBundle(
            name: "test",
            kind: .development,
            certificate: X509Certificate.selfSigned(subject: "Test", key: key, days: 36_500, notBefore: 0),
            privateKey: key,
            derivation: .dask(dask)
        )
    }

    /// Why the server gives no key.
    package enum Refusal: Error { case noKey }

    /// The application certificate, DER.
    package let certificate: Data
    private let bundle: CertificateBundle
    private let clock: SystemClock

    private struct State {
        var protocolVersions: Set<UInt32> = [1]
        var keys: [[UInt8]: LicensedKey] = [:]
        var policies: [String: LicensePolicy] = [:]
        var title = [UInt8](repeating: 7, count: 16)
    }
    private let state = Lock(State())

    /// Creates a server whose time is that of a system.
    package init(clock: SystemClock) throws {
        let bundle = try Self.credentials.get()
        certificate = Data(bundle.certificate.der)
        self.bundle = bundle
        self.clock = clock
    }

    /// The protocol versions that the server supports.
    package var protocolVersions: Set<UInt32> {
        get { state.withLock { $0.protocolVersions } }
        set { state.withLock { $0.protocolVersions = newValue } }
    }

    private func module() throws -> KSM {
        var configuration = KSM.Configuration()
        configuration.protocolVersions = protocolVersions
        return try KSM(bundles: [bundle], configuration: configuration)
    }

    /// Sets the policy of an asset ID; the default is online playback.
    package func set(_ policy: LicensePolicy, for assetID: String) { state.withLock { $0.policies[assetID] = policy } }

    /// Returns the CKC for an SPC.
    package func ckc(for spc: Data, persistable: Bool = false) throws -> Data {
        let opened = try open(spc)
        let assetID = opened.request.assetID.bytes
        var random = SecureRandom()
        let fresh = LicensedKey(key: SecretBytes(count: 16, randomFrom: &random), iv: random.bytes(16))
        let (key, policy, title) = state.withLock { state in
            if state.keys[assetID] == nil { state.keys[assetID] = fresh }
            let name = String(decoding: assetID, as: UTF8.self)
            return (state.keys[assetID], state.policies[name] ?? .default, state.title)
        }
        let stream = Array(SHA256.hash(assetID)[..<16])
        guard let key, let content = Content(key: key, streamID: stream, titleID: title) else { throw Refusal.noKey }
        let license = try module().license(
            for: opened,
            content: content,
            policy: policy,
            wantsPersistable: persistable,
            at: Int64(clock.date.timeIntervalSince1970)
        )
        return Data(license.ckc)
    }

    /// Opens an SPC, to look at what the device reports.
    package func open(_ spc: Data) throws -> OpenedSPC { try module().open(Array(spc)) }

    /// Returns the Sync block of an SPC.
    package func sync(in spc: Data) throws -> Sync? { try open(spc).syncReport }
}
