import Foundation
import Glibc
import KeyServerModule
import Synchronization

/// A plug-in that runs in a process of its own, which is restarted when it ends.
///
/// A crash of the plug-in ends only the calls in progress. Calls while there is no process fail at once.
final class SeparatePlugin: Sendable {
    /// The declarations of the plug-in when it was first loaded.
    let summary: PluginSummary
    private let supervisor: PluginSupervisor

    /// Starts a process and loads the plug-in in it.
    ///
    /// - Parameters:
    ///   - loading: The plug-in.
    ///   - settings: The bounds of the process.
    ///   - counters: The counters for metrics.
    ///   - report: Logs that the process ended, or that it could not be started.
    /// - Throws: ``BundleError`` with `plugin`.
    init(
        _ loading: PluginLoading,
        settings: PluginProcessSettings,
        counters: PluginCounters = PluginCounters(),
        report: @escaping @Sendable (String) -> Void = { _ in }
    ) throws(BundleError) {
        var loading = loading
        loading.memory = UInt64(clamping: settings.memory)
        do throws(PluginSupervisor.StartFailure) {
            supervisor = try PluginSupervisor(loading, settings: settings, counters: counters, report: report)
            summary = try supervisor.startFirst()
        } catch {
            throw BundleError(.plugin, loading.path, error.reason)
        }
    }

    deinit { supervisor.stop() }

    /// The method that yields the session key, as the plug-in provides it.
    var derivation: CertificateBundle.KeyDerivation {
        if summary.functions.contains(.deriveDASk) { return .dask(SeparateDASk(plugin: self)) }
        return summary.functions.contains(.keyPayload) ? .keyPayload(SeparateKeyPayload(plugin: self)) : .none
    }

    /// The provider for SPCs of version 3; nil if the plug-in does not provide one.
    var wholeSPC: (any WholeSPCProvider)? { summary.opensVersion3 ? SeparateWholeSPC(plugin: self) : nil }

    /// Calls the plug-in.
    ///
    /// - Parameter process: The process to call; nil for the current one.
    /// - Returns: The reply, and the process that sent it.
    /// - Throws: `key-payload-invalid` if the plug-in reports that the message is invalid, and `dask-unavailable` for
    ///   any other failure.
    func call(
        _ request: PluginRequest,
        in process: PluginProcess? = nil
    ) throws(KSMError) -> (PluginReply, PluginProcess) {
        try supervisor.call(request, in: process)
    }
}

/// The owner of a plug-in's process: a thread that waits until the process ends and then starts the next.
final class PluginSupervisor: Sendable {
    /// The reason why a process could not be started.
    struct StartFailure: Error {
        let reason: String

        init(reason: String) { self.reason = reason }

        init(_ error: PluginSocket.Failure) {
            var text = "\(error)"
            if case .system(let number) = error { text = String(cString: strerror(number)) }
            reason = "the process of the plug-in cannot be started: \(text)"
        }
    }

    private struct State {
        var process: PluginProcess?
        var isStopped = false
        /// True if the process exceeds the bound of its memory.
        var isReplacing = false
    }

    private let loading: PluginLoading
    private let settings: PluginProcessSettings
    private let counters: PluginCounters
    private let report: @Sendable (String) -> Void
    private let state = Mutex(State())
    private let wakeUp: WakeUp

    init(
        _ loading: PluginLoading,
        settings: PluginProcessSettings,
        counters: PluginCounters,
        report: @escaping @Sendable (String) -> Void
    ) throws(StartFailure) {
        do throws(PluginSocket.Failure) { wakeUp = try WakeUp() } catch { throw StartFailure(error) }
        (self.loading, self.settings, self.counters, self.report) = (loading, settings, counters, report)
    }

    /// Starts the first process, and the thread that replaces it when it ends.
    func startFirst() throws(StartFailure) -> PluginSummary {
        let (process, summary) = try start()
        state.withLock { $0.process = process }
        let thread = Thread { [self] in run(requiring: summary) }
        thread.stackSize = 1 << 19
        thread.start()
        thread.name = "keyway-plugin"
        return summary
    }

    /// Ends the process as soon as no call needs it, and the thread.
    func stop() {
        state.withLock { state in
            state.isStopped = true
            state.process = nil
        }
        wakeUp.signal()
    }

    func call(
        _ request: PluginRequest,
        in wanted: PluginProcess?
    ) throws(KSMError) -> (PluginReply, PluginProcess) {
        counters.calls.add(1, ordering: .relaxed)
        guard let process = wanted ?? state.withLock({ $0.process }) else {
            throw failure("the process of the plug-in has ended, and the next one is not ready")
        }
        let reply: PluginReply
        let isOverMemory: Bool
        do throws(PluginProcess.Failure) {
            (reply, isOverMemory) = try process.call(request, within: settings.callLimit)
        } catch {
            switch error {
            case .busy: throw failure("all calls at a time to the plug-in are in progress")
            case .ended: throw failure("the process of the plug-in ended during the call")
            case .invalidReply: throw failure("the process of the plug-in sent an invalid reply, and was ended")
            case .deadline:
                counters.deadlines.add(1, ordering: .relaxed)
                throw failure("the plug-in did not answer within \(settings.callLimit), and its process was ended")
            }
        }
        if isOverMemory { replace(process) }
        switch reply {
        case .invalidMessage:
            throw KSMError(.sessionKey, .keyPayloadInvalid, "the plug-in reports that the message cannot be decrypted")
        case .failed(let reason): throw failure(reason)
        default: return (reply, process)
        }
    }

    /// Returns the error for a failure of the plug-in.
    func failure(_ reason: String) -> KSMError {
        counters.failures.add(1, ordering: .relaxed)
        return KSMError(.sessionKey, .daskUnavailable, reason)
    }

    private func replace(_ process: PluginProcess) {
        let isFirst = state.withLock { state in
            guard state.process === process, !state.isReplacing else { return false }
            state.isReplacing = true
            return true
        }
        if isFirst { wakeUp.signal() }
    }

    private func start() throws(StartFailure) -> (PluginProcess, PluginSummary) {
        let process: PluginProcess
        do throws(PluginSocket.Failure) {
            process = try PluginProcess(settings)
        } catch {
            throw StartFailure(error)
        }
        return (process, try load(in: process))
    }

    private func load(in process: PluginProcess) throws(StartFailure) -> PluginSummary {
        let reply: PluginReply
        do throws(PluginProcess.Failure) {
            reply = try process.call(.load(loading), within: settings.loadLimit).reply
        } catch {
            let ending = process.reap()
            throw StartFailure(
                reason: error == .deadline
                    ? "the plug-in was not ready within \(settings.loadLimit)"
                    : "the process of the plug-in \(ending) before the plug-in was ready"
            )
        }
        switch reply {
        case .loaded(let summary): return summary
        case .failed(let reason): throw StartFailure(reason: reason)
        default: throw StartFailure(reason: "the process of the plug-in sent the reply to another request")
        }
    }

    /// Replaces the process whenever it ends.
    private func run(requiring summary: PluginSummary) {
        var failures = 0
        while let process = state.withLock({ $0.process }) {
            var (hasEnded, isStopped, isReplacing) = (false, false, false)
            while !(hasEnded || isStopped || isReplacing) {
                hasEnded = wakeUp.wait(orEndOf: process.endDescriptor)
                (isStopped, isReplacing) = state.withLock { ($0.isStopped, $0.isReplacing) }
            }
            if isStopped { return }
            // After a process that lived long enough, the count starts again.
            failures = ContinuousClock.now - process.started >= settings.stableAfter ? 1 : failures + 1
            if isReplacing {
                report("the process of the plug-in \(loading.path) exceeds its memory bound and is replaced")
            } else {
                state.withLock { $0.process = nil }
                report("the process of the plug-in \(loading.path) \(process.reap())")
            }
            while !restart(after: settings.pause(failures), requiring: summary) {
                if state.withLock({ $0.isStopped }) { return }
                failures += 1
            }
        }
    }

    /// Starts a process after a pause. Returns false if the supervisor is stopped, or if the process cannot be used.
    private func restart(after pause: Duration, requiring summary: PluginSummary) -> Bool {
        wakeUp.wait(for: pause) { state.withLock { $0.isStopped } }
        if state.withLock({ $0.isStopped }) { return false }
        counters.restarts.add(1, ordering: .relaxed)
        do throws(StartFailure) {
            let (process, found) = try start()
            guard found == summary else {
                throw StartFailure(reason: "it declares something else than before; restart the server to use it")
            }
            return state.withLock { state in
                guard !state.isStopped else { return false }
                state.process = process
                state.isReplacing = false
                return true
            }
        } catch {
            report("the plug-in \(loading.path) is not restarted: \(error.reason)")
            return false
        }
    }
}
