import Foundation
import Packager
import ToolSupport

extension ProgressLine {
    /// Shows the progress of packaging.
    mutating func show(_ progress: PackagingProgress) {
        let start = start
        show(Self.text(progress, seconds: (ContinuousClock.now - start) / .seconds(1)))
    }

    /// Returns the progress as text: ` 43 %  430 MB of 1.0 GB  612 MB/s  0:01 left`; for inputs of unknown size, the
    /// bytes read and the rate.
    static func text(_ progress: PackagingProgress, seconds: Double) -> String {
        let read = Double(progress.bytesRead)
        let rate = seconds > 0 ? read / seconds : 0
        let speed = "\(ByteCount.text(rate))/s"
        guard let total = progress.bytesTotal, total > 0 else { return "\(ByteCount.text(read))  \(speed)" }
        let share = min(100, Int(read / Double(total) * 100))
        var text = "\(share) %  \(ByteCount.text(read)) of \(ByteCount.text(Double(total)))  \(speed)"
        // A rate measured in less than a second is too inaccurate for an estimate.
        if seconds >= 1, rate > 0 {
            let left = Int(max(0, Double(total) - read) / rate)
            text += "  \(left / 60):\(String(left % 60 + 100).dropFirst()) left"
        }
        return text
    }
}

/// Formatting of byte counts.
enum ByteCount {
    /// Returns three digits and a unit: `999 B`, `1.20 kB`, `34.5 MB`.
    static func text(_ count: Double) -> String {
        var (count, unit) = (count, 0)
        let units = ["B", "kB", "MB", "GB", "TB"]
        while count >= 999.5, unit < units.count - 1 {
            count /= 1000
            unit += 1
        }
        let digits = unit == 0 || count >= 99.95 ? 0 : count >= 9.995 ? 1 : 2
        return String(format: "%.\(digits)f", count) + " " + units[unit]
    }
}
