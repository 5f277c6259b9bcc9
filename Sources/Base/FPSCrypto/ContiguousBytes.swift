/// Lends the elements of `bytes` as contiguous memory; copies them only when the collection has none to lend.
///
/// Always inlined: most callers are generic themselves, and a call would have the runtime make this one's types each time.
@inline(__always)
package func withContiguousBytes<Value, Failure: Error>(
    _ bytes: some Collection<UInt8>,
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Value
) throws(Failure) -> Value {
    // The standard library's functions that lend memory do not all have typed throws, hence the detour over Result.
    let call = { (buffer: UnsafeBufferPointer<UInt8>) -> Result<Value, Failure> in
        do throws(Failure) {
            return .success(try body(UnsafeRawBufferPointer(buffer)))
        } catch {
            return .failure(error)
        }
    }
    if let result = bytes.withContiguousStorageIfAvailable(call) { return try result.get() }
    return try Array(bytes).withUnsafeBufferPointer(call).get()
}

/// Makes an array of `count` bytes that `body` fills completely.
func makeBytes<Failure: Error>(
    count: Int,
    _ body: (UnsafeMutableRawBufferPointer) throws(Failure) -> Void
) throws(Failure) -> [UInt8] {
    var result = Result<Void, Failure>.success(())
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
        do throws(Failure) {
            try body(UnsafeMutableRawBufferPointer(start: buffer.baseAddress, count: count))
            initialized = count
        } catch {
            result = .failure(error)
        }
    }
    try result.get()
    return bytes
}
