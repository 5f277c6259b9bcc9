import DASHManifest

/// What can be read as a manifest means the same when it was written, and the checker comes to an end with it.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = [UInt8](UnsafeBufferPointer(start: start, count: count))
    guard let manifest = try? MPD(input) else { return 0 }
    let findings = MPDChecker().check(manifest)
    precondition(findings.count <= 10_000 + 100 * count)
    guard let again = try? MPD(manifest.bytes) else { preconditionFailure("its own manifest is not read") }
    precondition(again.periods.count == manifest.periods.count)
    precondition(again.bytes == manifest.bytes)
    return 0
}
