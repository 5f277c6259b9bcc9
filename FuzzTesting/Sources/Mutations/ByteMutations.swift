/// libFuzzer's own mutations, which know nothing of any format.
@_silgen_name("LLVMFuzzerMutate")
public func mutateBytes(_ data: UnsafeMutablePointer<UInt8>, _ size: Int, _ limit: Int) -> Int
