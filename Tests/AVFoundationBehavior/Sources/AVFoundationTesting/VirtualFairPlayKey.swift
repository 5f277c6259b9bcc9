import AVFoundation
import Foundation
import Locking
import VirtualDevice

extension VirtualFairPlayDevice {
    /// A key of the virtual device. AVFoundation's session keeps a key when playback stops (rule 44), while the virtual
    /// device discards an online key then, so that key stays in playback there until the session discards it.
    final class Key: FairPlayKey, CustomReflectable {
        var customMirror: Mirror { Mirror(self, children: [:]) }
        let key: DeviceKey
        let device: FPSDevice
        /// The parameters of the SPC; nil for a persistable key.
        let parameters: SPCParameters?
        private let owner: VirtualFairPlayDevice
        private let origin: Origin?

        private struct State {
            var isStopped = false
            var isDiscarded = false
        }
        private let state = Lock(State())

        init(
            _ owner: VirtualFairPlayDevice,
            _ key: DeviceKey,
            _ device: FPSDevice,
            parameters: SPCParameters? = nil,
            origin: Origin? = nil
        ) {
            (self.owner, self.key, self.device) = (owner, key, device)
            (self.parameters, self.origin) = (parameters, origin)
        }

        var leaseEnd: Int64? { key.leaseEnd }

        func startPlaying() throws(NSError) -> Data? {
            guard !state.withLock({ $0.isDiscarded }) else { throw status(.keyDiscarded) }
            // The end of a rental refuses the next start (rule 51).
            if state.withLock({ $0.isStopped }), let end = key.startEnd, device.clock.now >= end {
                throw status(.rentalExpired)
            }
            let before = key.updatedPersistentKey
            try translating { () throws(FPSError) in try key.startPlaying() }
            state.withLock { $0.isStopped = false }
            guard let after = key.updatedPersistentKey, after != before else { return nil }
            if let origin { owner.note(Data(after), origin) }
            return Data(after)
        }

        func stopPlaying() {
            if parameters == nil { key.stopPlaying() } else { state.withLock { $0.isStopped = true } }
        }

        func discard() {
            state.withLock { $0.isDiscarded = true }
            key.stopPlaying()
        }

        func checkDecryption() throws(NSError) {
            do throws(FPSError) {
                _ = try key.contentKey()
            } catch {
                // A display without protection shows nothing, but does not end playback.
                if error != .outputRestricted { throw status(error) }
            }
            guard !state.withLock({ $0.isDiscarded }) else { throw status(.keyDiscarded) }
        }

        var isOutputSufficient: Bool { key.status != .outputRestricted }
    }
}
