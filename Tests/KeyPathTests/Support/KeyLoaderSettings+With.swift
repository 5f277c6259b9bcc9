import ContentKeySession

extension KeyLoaderSettings {
    /// Returns settings that differ from the defaults.
    static func with(_ change: (inout KeyLoaderSettings) -> Void) -> KeyLoaderSettings {
        var settings = KeyLoaderSettings()
        change(&settings)
        return settings
    }
}
