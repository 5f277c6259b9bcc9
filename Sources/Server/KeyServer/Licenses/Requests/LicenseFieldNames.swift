/// The names of the fields of a license request. If a request has several of the names, the first one in the list
/// applies.
package struct LicenseFieldNames: Sendable, Equatable {
    /// The SPC.
    package var spc = ["spc"]
    /// The asset ID.
    package var asset = ["assetId"]
    /// The playback token; by default it is only in a header.
    package var token: [String] = []
    /// Further fields of the body, which the webhook gets.
    package var forwarded: [String] = []

    /// The names of the field for a persistent key and of the one for a key that is loaded before playback.
    static let (persist, preload) = ("persist", "preload")

    /// Creates the default names.
    package init() {}
}
