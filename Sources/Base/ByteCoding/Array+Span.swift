// `Array.span` and `Array.mutableSpan` of the standard library require iOS 26 and macOS 26, while the span types
// require only iOS 12.2. These properties have the same names, so that files that import ByteCoding use them instead.
// They can be deleted when the package requires those systems.

extension Array where Element: BitwiseCopyable {
    /// A span over the elements, without a copy. The array cannot be changed while the span is in use.
    ///
    /// The elements cannot be those of an Objective-C array, so they are contiguous in memory and live as long as the
    /// array.
    @inlinable
    package var span: Span<Element> {
        @_lifetime(borrow self)
        get {
            let elements = withUnsafeBufferPointer { $0 }
            return _overrideLifetime(Span(_unsafeElements: elements), borrowing: self)
        }
    }

    /// A mutable span over the elements. The array cannot be used while the span is in use.
    @inlinable
    package var mutableSpan: MutableSpan<Element> {
        @_lifetime(&self)
        mutating get {
            let elements = withUnsafeMutableBufferPointer { $0 }
            return _overrideLifetime(MutableSpan(_unsafeElements: elements), mutating: &self)
        }
    }
}
