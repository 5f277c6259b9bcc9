import Dispatch
import Foundation
import Locking

/// The device and the system that the classes of this module act on. Each test has one: objects belong to the system
/// that is current where they are created, and keep it.
///
///     try await AppleSystem.$current.withValue(AppleSystem(device: device)) { … }
package final class AppleSystem: Sendable {
    /// The system of the objects that this task creates.
    @TaskLocal package static var current = AppleSystem()

    /// The behavior where Apple's documents are silent.
    package let switches: Switches
    /// The time of the system. It advances only by ``advance(by:)``.
    package let clock: SystemClock
    /// The FairPlay device, which creates SPCs and opens CKCs; nil if the system has none.
    package let device: (any FairPlayDevice)?

    /// The servers, the network and the outputs.
    package let media = MediaService()
    /// The downloads, which survive the app's process.
    package let downloads = DownloadService()

    private struct State {
        var exceptions: [Exception] = []
        var deliveries = 0
        var waiters: [CheckedContinuation<Void, Never>] = []
        var parts: [ObjectIdentifier: any Sendable] = [:]
    }
    private let state = Lock(State())

    package init(
        device: (any FairPlayDevice)? = nil,
        switches: Switches = Switches(),
        clock: SystemClock = SystemClock()
    ) {
        (self.device, self.switches, self.clock) = (device, switches, clock)
    }

    /// Returns what a part of this module stores in the system, created at the first use.
    func part<Part: Sendable>(_ make: @autoclosure () -> Part) -> Part {
        state.withLock { state in
            if let part = state.parts[ObjectIdentifier(Part.self)] as? Part { return part }
            let part = make()
            state.parts[ObjectIdentifier(Part.self)] = part
            return part
        }
    }

    // MARK: Exceptions

    /// An Objective-C exception, which would end an app.
    package struct Exception: Hashable, Sendable, CustomStringConvertible {
        package enum Name: String, Sendable {
            case invalidArgument = "NSInvalidArgumentException"
            case internalInconsistency = "NSInternalInconsistencyException"
        }
        package var name: Name
        package var reason: String
        package var description: String { "\(name.rawValue): \(reason)" }
    }

    /// The exceptions that were raised. A test fails unless it expects them.
    package var exceptions: [Exception] { state.withLock { $0.exceptions } }

    /// Returns the exceptions and removes them, for a test that expects them.
    package func takeExceptions() -> [Exception] {
        state.withLock { state in
            defer { state.exceptions = [] }
            return state.exceptions
        }
    }

    /// Raises an exception: on Apple's systems the process would end here. The caller returns without any effect.
    func raise(_ name: Exception.Name, _ reason: String) {
        state.withLock { $0.exceptions.append(Exception(name: name, reason: reason)) }
    }

    // MARK: Queues and time

    /// Runs a call of a delegate on its queue, later than the call that caused it (rule 6).
    package func deliver(on queue: DispatchQueue, _ call: @escaping @Sendable () -> Void) {
        state.withLock { $0.deliveries += 1 }
        queue.async {
            // Objects that the app creates in a callback belong to the same system.
            Self.$current.withValue(self) { call() }
            let waiters = self.state.withLock { state in
                state.deliveries -= 1
                guard state.deliveries == 0 else { return [CheckedContinuation<Void, Never>]() }
                defer { state.waiters = [] }
                return state.waiters
            }
            for waiter in waiters { waiter.resume() }
        }
    }

    /// Waits until all calls of delegates have returned.
    package func settle() async {
        await withCheckedContinuation { continuation in
            let isIdle = state.withLock { state in
                if state.deliveries > 0 { state.waiters.append(continuation) }
                return state.deliveries == 0
            }
            if isIdle { continuation.resume() }
        }
    }

    /// Advances the time, and runs what becomes due in order; waits after each for the calls of delegates.
    package func advance(by duration: Duration) async {
        // What was called before happens before.
        await settle()
        let end = clock.now.advanced(by: duration)
        while let due = clock.nextDue(until: end) {
            due()
            await settle()
        }
        clock.set(end)
        await settle()
    }
}

/// A failed expectation of a test prints the properties of its objects. A device has some that cannot be copied, at
/// which reflection ends the process.
extension AppleSystem: CustomReflectable {
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
