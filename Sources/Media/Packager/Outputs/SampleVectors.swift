import MediaFormats
import SampleEncryption

/// Hands out the IVs of samples in counter mode, one after the other. No counter block occurs twice: what a sample uses
/// up lies before the next one's (ISO/IEC 23001-7, 9.3).
struct SampleVectors {
    private var next: CipherIV?
    private var fragment: [CipherIV] = []

    /// Begins with the first sample's; nil: samples have none of their own.
    init(first: CipherIV?) { next = first }

    /// Begins a fragment.
    mutating func removeAll() { fragment.removeAll(keepingCapacity: true) }

    /// Takes the IV of the fragment's next sample, which has so many protected bytes.
    mutating func append(protecting byteCount: Int) {
        guard let iv = next else { return }
        fragment.append(iv)
        next = iv.next(afterProtecting: byteCount)
    }

    /// That of a sample of the fragment; nil when samples have none of their own.
    subscript(place: Int) -> CipherIV? { fragment.isEmpty ? nil : fragment[place] }
}

extension SampleIV {
    /// The same bytes for `senc`; none for nil.
    init(_ iv: CipherIV?) {
        guard let iv else {
            self = .none
            return
        }
        self.init(high: iv.words.upper, low: iv.words.lower, count: iv.count)
    }
}
