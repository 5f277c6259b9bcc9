import DASHManifest

/// DASH manifests: a manifest that was parsed has the same meaning after it is written, and the validator terminates.
/// The data after a zero byte is a later update of the manifest.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = UnsafeBufferPointer(start: start, count: count)
    let states = input.split(separator: 0, maxSplits: 1, omittingEmptySubsequences: false).map {
        roundTrip([UInt8]($0))
    }
    guard let before = states.first ?? nil else { return 0 }
    let after = states.last ?? nil
    let findings = MPDChecker().check(reloadFrom: before, to: after ?? before)
    precondition(findings.count <= 10_000 + 100 * count)
    return 0
}

private func roundTrip(_ bytes: [UInt8]) -> MPD? {
    guard let manifest = try? MPD(bytes) else { return nil }
    let findings = MPDChecker().check(manifest)
    precondition(findings.count <= 10_000 + 100 * bytes.count)
    guard let again = try? MPD(manifest.bytes) else { preconditionFailure("the written manifest cannot be parsed") }
    precondition(again.periods.count == manifest.periods.count)
    precondition(again.bytes == manifest.bytes)
    return manifest
}
