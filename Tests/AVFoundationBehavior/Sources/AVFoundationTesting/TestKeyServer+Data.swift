package import AVFoundation
package import FPSMessages
import Foundation
package import KeyServerModule
package import KeywayTesting

/// The messages of the key server as AVFoundation's classes pass them.
extension TestKeyServer {
    /// Returns a server whose time is that of a system. All its assets belong to one title.
    package static func following(_ clock: SystemClock) -> TestKeyServer {
        let server = TestKeyServer(clock: .following(clock, from: Int64(clock.date.timeIntervalSince1970)))
        server.titleID = [UInt8](repeating: 7, count: 16)
        return server
    }

    /// The application certificate, DER.
    package var certificateData: Data { Data(certificate) }

    /// Sets the policy of an asset ID; the default is online playback.
    package func set(_ policy: LicensePolicy, for assetID: String) { setPolicy(TestKeyPolicy(policy), for: assetID) }

    /// Returns the CKC for an SPC.
    package func ckc(for spc: Data, persistable: Bool = false) throws -> Data {
        Data(try makeCKC(for: Array(spc), isPersistable: persistable))
    }

    /// Opens an SPC, to look at what the device reports.
    package func open(_ spc: Data) throws -> OpenedSPC { try opened(Array(spc)) }

    /// Returns the Sync block of an SPC.
    package func sync(in spc: Data) throws -> Sync? { try open(spc).syncReport }
}
