/// Calls a closure with the elements of `bytes` in contiguous memory; copies the elements only if the collection does
/// not have contiguous storage.
///
/// The function is always inlined: most callers are generic, and otherwise the runtime would instantiate the generic
/// types at each call.
@inline(__always)
package func withContiguousBytes<Value, Failure: Error>(
    _ bytes: some Collection<UInt8>,
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Value
) throws(Failure) -> Value {
    // Not all functions of the standard library with a buffer closure have typed throws, so the closure returns a
    // Result.
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

/// Returns an array of `count` bytes, which `body` initializes completely.
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
