import TextCoding

extension Sequence<LicenseRequestFormat.QueryItem> {
    /// The names and values, encoded as a query or a form.
    var formEncoded: String { FormEncoding.encode(map { (name: $0.name, value: $0.value) }) }

    /// Returns the address with these pairs added to its query.
    func adding(to url: String) -> String {
        let query = formEncoded
        guard !query.isEmpty else { return url }
        return url + (url.utf8.contains(UInt8(ascii: "?")) ? "&" : "?") + query
    }
}
