/// libFuzzer's own mutations, which are independent of the format.
@_silgen_name("LLVMFuzzerMutate")
public func mutateBytes(_ data: UnsafeMutablePointer<UInt8>, _ size: Int, _ limit: Int) -> Int
