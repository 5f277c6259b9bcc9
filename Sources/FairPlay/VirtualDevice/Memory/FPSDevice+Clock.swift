/// The corrections of a device's clock to an earlier time.
struct ClockCorrections: Sendable, Equatable {
    /// The number of corrections.
    var count: UInt32 = 0
    /// The time of the last correction, in seconds since 1970; 0 if there was none.
    var latest: Int64 = 0
}

extension FPSDevice {
    /// The times of the corrections of the clock during this run, in seconds since 1970, which never decrease.
    var correctionTimes: [Int64] { withState { $0.correctionTimes } }

    /// The number of seconds by which the device's clock is ahead of the system clock; 0 if it is not.
    public var secondsAheadOfSystemClock: Int64 {
        let (ahead, overflow) = monotonicClock.now.subtractingReportingOverflow(monotonicClock.systemTime)
        return overflow ? .max : max(0, ahead)
    }

    /// Sets the clock of a device that has seen a time far ahead back to the time of a server.
    ///
    /// The device trusts the caller: pass only a time that the server has authenticated, for example the Date field of
    /// a response over TLS. The correction extends no key: times in keys that are later than the correction count as
    /// the time of the correction. It cannot be repeated with an older response, because the time must not be earlier
    /// than that of the last correction.
    ///
    /// - Parameter time: The time of the server, in seconds since 1970.
    /// - Returns: The number of seconds by which the clock was set back; 0 if it was not ahead.
    /// - Throws: ``FPSError/clockNotCorrected`` if the system clock is ahead of the server's, or the time is earlier
    ///   than that of the last correction; ``FPSError/memoryFailed``.
    @discardableResult
    public func setClock(backTo time: Int64) throws(FPSError) -> Int64 {
        let system = monotonicClock.systemTime
        return try withState { state throws(FPSError) in
            try recall(&state)
            let before = monotonicClock.now
            guard before &- time > Self.clockTolerance else { return 0 }
            guard system &- time <= Self.clockTolerance else {
                throw .clockNotCorrected.because(
                    "the system clock (\(KeyValidity.text(system))) is ahead of the server's (\(KeyValidity.text(time))): "
                        + "set the system clock first"
                )
            }
            guard time >= state.corrections.latest else {
                throw .clockNotCorrected.because(
                    "the server's time (\(KeyValidity.text(time))) is earlier than that of the last correction "
                        + "(\(KeyValidity.text(state.corrections.latest)))"
                )
            }
            let corrected = max(time, system)
            try applyCorrection(to: corrected, &state)
            return before &- corrected
        }
    }

    /// Sets the clock back, and saves that. If saving fails, nothing is changed.
    private func applyCorrection(to time: Int64, _ state: inout State) throws(FPSError) {
        func apply(_ state: inout State) {
            state.vault.limitTimes(to: time)
            state.corrections = ClockCorrections(count: state.corrections.count &+ 1, latest: time)
            state.correctionTimes.append(time)
            monotonicClock.set(to: time)
        }
        guard let memory = state.memory else { return apply(&state) }
        let before = (state.vault, state.corrections, state.correctionTimes, monotonicClock.now)
        do {
            try memory.exclusively {
                try recall(&state, from: memory)
                apply(&state)
                try remember(&state, in: memory)
            }
        } catch {
            (state.vault, state.corrections, state.correctionTimes) = (before.0, before.1, before.2)
            monotonicClock.advance(to: before.3)
            throw .memoryFailed.because("\(error)")
        }
    }

    /// The difference between two clocks that is not an error: a minute.
    private static let clockTolerance: Int64 = 60
}
