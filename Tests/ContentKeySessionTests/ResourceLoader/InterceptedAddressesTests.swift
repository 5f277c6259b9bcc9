import ContentKeySession
import Testing

@Suite("Intercepted addresses")
struct InterceptedAddressesTests {
    @Test("are changed, and changed back")
    func roundTrip() {
        let addresses = InterceptedAddresses.schemes
        let url = "https://film.example/main.m3u8?token=1#2"
        #expect(addresses.playlist(url) == "interceptedhttps://film.example/main.m3u8?token=1#2")
        #expect(addresses.key(url) == "keptkeyhttps://film.example/main.m3u8?token=1#2")
        #expect(addresses.original(of: addresses.playlist(url)) == .playlist(url))
        #expect(addresses.original(of: addresses.key(url)) == .key(url))
        #expect(addresses.original(of: "KEPTKEYhttp://film.example/k") == .key("http://film.example/k"))
    }

    @Test(
        "are distinguished from other addresses, and contain only HTTP addresses",
        arguments: [
            "", "https://film.example/main.m3u8", "skd://film/hd", "intercepted", "interceptedfile:///etc/passwd",
            "keptkey", "keptkeydata:,secret", "keptkeyinterceptedhttps://film.example/", "interceptedfilm.example/a",
        ]
    )
    func others(url: String) {
        #expect(InterceptedAddresses.schemes.original(of: url) == nil)
    }

    @Test("can have hosts that do not exist, for players that support only HTTP schemes")
    func hosts() throws {
        let addresses = try #require(
            InterceptedAddresses(playlists: "https://playlists.invalid/", keys: "https://keys.invalid/")
        )
        let url = addresses.key("https://film.example/k")
        #expect(url == "https://keys.invalid/https://film.example/k")
        #expect(addresses.original(of: url) == .key("https://film.example/k"))
        #expect(addresses.original(of: "https://keys.invalid/k") == nil)
    }

    @Test("cannot be confused with each other or with original addresses")
    func confusing() {
        #expect(InterceptedAddresses(playlists: "a", keys: "b") != nil)
        for (playlists, keys) in [
            ("", "b"), ("a", ""), ("a", "a"), ("a", "ab"), ("ab", "A"), ("h", "b"), ("a", "https:"),
        ] {
            #expect(InterceptedAddresses(playlists: playlists, keys: keys) == nil, "\(playlists), \(keys)")
        }
    }
}
