extension Int {
    /// Rounds a measured number. Values beyond 10^15 are limited to that, because durations in a playlist can be of any size;
    /// NaN becomes 0.
    package init(rounding value: Double) {
        self = value.isNaN ? 0 : Int(Swift.min(Swift.max(value, -1e15), 1e15).rounded())
    }
}
