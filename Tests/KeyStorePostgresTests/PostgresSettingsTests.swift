import KeyStore
import Testing

@testable import KeyStorePostgres

@Suite("The address of PostgreSQL")
struct PostgresSettingsTests {
    @Test(
        "The certificate of a remote server is verified unless the address disables that",
        arguments: [
            ("postgres://keyway@db.example.com/keyway", true),
            ("postgres://keyway@db.example.com/keyway?sslmode=verify-full", true),
            ("postgres://keyway@db.example.com/keyway?sslmode=require", false),
            ("postgres://keyway@localhost,db.example.com/keyway?sslmode=disable", false),
            ("postgres://keyway@localhost/keyway?sslmode=disable", true),
            ("postgresql://keyway@%2Frun%2Fpostgresql/keyway", true),
            ("postgres:///keyway", true),
        ]
    )
    func protection(url: String, isProtected: Bool) throws {
        #expect(try PostgresSettings(url: url).isProtected == isProtected)
    }

    @Test(
        "A malformed address, or one with a password, is rejected, and the error does not repeat it",
        arguments: [
            "postgres://keyway:s3cret@db/keyway", "postgres://keyway@db/keyway?password=s3cret",
            "postgres://keyway@db/keyway?sslpassword=s3cret", "postgres://keyway@db/keyway?s3cret=1",
            "host=db password=s3cret", "mysql://s3cret@db/", "", "postgres://[s3cret",
        ]
    )
    func refused(url: String) {
        do {
            _ = try PostgresSettings(url: url)
            Issue.record("it was accepted")
        } catch {
            #expect(error.code == .invalidRecord)
            #expect(!"\(error)".contains("s3cret"))
        }
    }

    @Test("The address overrides the defaults")
    func defaults() throws {
        let settings = try PostgresSettings(url: "postgres://db.example.com/keyway")
        #expect(settings.defaults.map(\.key) == ["target_session_attrs", "sslmode"])
    }
}
