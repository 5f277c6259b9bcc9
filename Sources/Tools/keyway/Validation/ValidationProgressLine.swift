import StreamValidation
import Synchronization
import TextCoding
import ToolSupport

/// The progress of a validation on standard error, if it is a terminal.
final class ValidationProgressLine: Sendable {
    private let line: Mutex<ProgressLine>

    init(isWanted: Bool) { line = Mutex(ProgressLine(isWanted: isWanted)) }

    /// Shows the progress.
    func show(_ progress: ValidationProgress) {
        line.withLock { line in
            let seconds = (ContinuousClock.now - line.start) / .seconds(1)
            line.show(Self.text(progress, seconds: seconds))
        }
    }

    /// Removes the line.
    func clear() { line.withLock { $0.clear() } }

    /// Returns the progress as text: ` 43 %  430 MB  61.2 MB/s  120 of 280 segments  0:43 left`.
    static func text(_ progress: ValidationProgress, seconds: Double) -> String {
        let rate = seconds > 0 ? Double(progress.byteCount) / seconds : 0
        let left = progress.fraction > 0 ? seconds / progress.fraction - seconds : 0
        let whole = Int(min(max(left, 0), 359_999))
        return
            "\(Int(progress.fraction * 100)) %  \(ByteCount.text(Double(progress.byteCount)))  \(ByteCount.text(rate))/s  "
            + "\(progress.segments) of \(counted(progress.allSegments, "segment"))  "
            + "\(whole / 60):\(String(whole % 60 + 100).dropFirst()) left"
    }
}
