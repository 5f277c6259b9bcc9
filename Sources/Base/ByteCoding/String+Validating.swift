// The standard library's own initializers of this name need iOS 18 and macOS 15. Whatever is not valid is replaced by U+FFFD
// when it is decoded, so that the text differs from what it was made of.

extension String {
    /// Reads UTF-8; nil when it is not valid.
    package init?(validating bytes: some Collection<UInt8>, as encoding: UTF8.Type) {
        self.init(decoding: bytes, as: encoding)
        guard utf8.elementsEqual(bytes) else { return nil }
    }

    /// Reads UTF-16; nil when it is not valid.
    package init?(validating units: some Collection<UInt16>, as encoding: UTF16.Type) {
        self.init(decoding: units, as: encoding)
        guard utf16.elementsEqual(units) else { return nil }
    }
}
