import MediaFormats
import SampleEncryption

/// Assigns the IVs of samples in counter mode, consecutively. No counter block is used more than once: the counter
/// blocks of a sample precede those of the next one (ISO/IEC 23001-7, 9.3).
struct SampleIVs {
    private var next: CipherIV?
    private var fragment: [CipherIV] = []

    /// Creates the IVs from that of the first sample; nil if samples have no IVs.
    init(first: CipherIV?) { next = first }

    /// Starts a fragment.
    mutating func removeAll() { fragment.removeAll(keepingCapacity: true) }

    /// Assigns the IV of the fragment's next sample, which has a number of protected bytes.
    mutating func append(protecting byteCount: Int) {
        guard let iv = next else { return }
        fragment.append(iv)
        next = iv.next(afterProtecting: byteCount)
    }

    /// The IV of a sample in the fragment; nil if samples have no IVs.
    subscript(index: Int) -> CipherIV? { fragment.isEmpty ? nil : fragment[index] }
}

extension SampleIV {
    /// Converts an IV for the `senc` box; nil becomes no IV.
    init(_ iv: CipherIV?) {
        guard let iv else {
            self = .none
            return
        }
        self.init(high: iv.words.upper, low: iv.words.lower, count: iv.count)
    }
}
