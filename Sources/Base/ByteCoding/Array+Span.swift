// The standard library's `Array.span` and `Array.mutableSpan` need iOS 26 and macOS 26, the spans themselves no more than
// iOS 12.2. These have the same names, so that files that import ByteCoding use them instead; they can be deleted when the
// package needs those systems.

extension Array where Element: BitwiseCopyable {
    /// The elements, without a copy. The array cannot be changed while the span is used.
    ///
    /// Such elements are never those of an Objective-C array, so they lie in memory one after the other, for as long as
    /// the array.
    @inlinable
    package var span: Span<Element> {
        @_lifetime(borrow self)
        get {
            let elements = withUnsafeBufferPointer { $0 }
            return _overrideLifetime(Span(_unsafeElements: elements), borrowing: self)
        }
    }

    /// The elements, to be changed in place. The array cannot be used while the span is.
    @inlinable
    package var mutableSpan: MutableSpan<Element> {
        @_lifetime(&self)
        mutating get {
            let elements = withUnsafeMutableBufferPointer { $0 }
            return _overrideLifetime(MutableSpan(_unsafeElements: elements), mutating: &self)
        }
    }
}
