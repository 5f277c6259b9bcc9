package import Foundation

/// The FairPlay part of a device: creates SPCs and opens CKCs. Errors are NSOSStatusErrorDomain with the number of the
/// guide. AVFoundationTesting implements it with the virtual device.
package protocol FairPlayDevice: AnyObject, Sendable {
    /// True if a persistable key can be used on this output.
    func canPersist(on route: OutputRoute) -> Bool
    /// Starts a playback session and returns its ID.
    func beginSession() -> UInt64
    /// Creates an SPC.
    func makeSPC(_ parameters: SPCParameters) throws(NSError) -> any FairPlayRequest
    /// Creates an SPC that asks to renew a key in use.
    func makeSPC(renewing key: any FairPlayKey) throws(NSError) -> any FairPlayRequest
    /// Opens a CKC.
    func open(ckc: Data, for request: any FairPlayRequest) throws(NSError) -> any FairPlayKey
    /// Creates the persistable key of a CKC.
    func persistableKey(ckc: Data, for request: any FairPlayRequest) throws(NSError) -> Data
    /// Loads a persistable key.
    func load(persistable: Data, session: UInt64) throws(NSError) -> any FairPlayKey
    /// Creates the Sync SPC of a persistable key.
    func secureToken(of persistable: Data) throws(NSError) -> Data
    /// Invalidates a persistable key and all of its title, or all keys of an app, and returns the Sync SPC.
    func invalidate(_ subject: InvalidationSubject, versions: [Int], challenge: UInt64) throws(NSError) -> Data
    /// Creates the report of a session whose playback has ended; nil if the server does not track its keys.
    func expiredSessionReport(of key: any FairPlayKey) -> Data?
}

/// The output of the content.
package enum OutputRoute: Hashable, Sendable { case local, airPlay, digitalAVAdapter }

/// The parameters of an SPC.
package struct SPCParameters: Sendable {
    package var certificate: Data
    package var contentIdentifier: Data?
    package var versions: [Int]
    package var session: UInt64
    package var route: OutputRoute
    package var isPersistable: Bool
    /// The seed of a random device identifier, 16 bytes; nil for the device's own.
    package var randomDeviceSeed: Data?
}

/// The persistable keys to invalidate.
package enum InvalidationSubject: Sendable {
    case key(Data)
    case all(certificate: Data)
}

/// An SPC with the state that opens its CKC.
package protocol FairPlayRequest: AnyObject, Sendable { var spc: Data { get } }

/// A key on the device.
package protocol FairPlayKey: AnyObject, Sendable {
    /// The end of its lease by the device's clock, in seconds since 1970; nil without a lease.
    var leaseEnd: Int64? { get }
    /// Starts playback. Returns the persistable key that replaces the loaded one, if any.
    func startPlaying() throws(NSError) -> Data?
    func stopPlaying()
    /// Removes the key from the device, also during playback.
    func discard()
    /// Throws if the key cannot decrypt now: its lease has ended (-42656), or it was removed.
    func checkDecryption() throws(NSError)
    /// The status of the output: false if the display is not protected as the key requires.
    var isOutputSufficient: Bool { get }
}
