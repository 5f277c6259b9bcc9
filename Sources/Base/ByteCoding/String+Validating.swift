// The standard library's initializers with this name require iOS 18 and macOS 15. Decoding replaces invalid code units
// with U+FFFD, so for invalid input the encoding of the result differs from the input.

extension String {
    /// Decodes UTF-8. Returns nil if the input is not valid.
    ///
    /// It is inlinable because the generic code would call a function of the collection for every byte.
    @inlinable
    package init?(validating bytes: some Collection<UInt8>, as encoding: UTF8.Type) {
        self.init(decoding: bytes, as: encoding)
        let isValid = withUTF8 { text in
            bytes.withContiguousStorageIfAvailable { text.elementsEqual($0) } ?? text.elementsEqual(bytes)
        }
        guard isValid else { return nil }
    }

    /// Decodes UTF-16. Returns nil if the input is not valid.
    package init?(validating units: some Collection<UInt16>, as encoding: UTF16.Type) {
        self.init(decoding: units, as: encoding)
        guard utf16.elementsEqual(units) else { return nil }
    }
}
