import KeyStore
import Testing

@testable import KeyStorePostgres

@Suite("PostgreSQL's address")
struct PostgresSettingsTests {
    @Test(
        "A server elsewhere has to prove its name, unless the address says otherwise",
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
        "An address that cannot be read, or that has a password in it, is refused and not repeated",
        arguments: [
            "postgres://keyway:s3cret@db/keyway", "postgres://keyway@db/keyway?password=s3cret",
            "postgres://keyway@db/keyway?sslpassword=s3cret", "postgres://keyway@db/keyway?s3cret=1",
            "host=db password=s3cret", "mysql://s3cret@db/", "", "postgres://[s3cret",
        ]
    )
    func refused(url: String) {
        do {
            _ = try PostgresSettings(url: url)
            Issue.record("it was taken")
        } catch {
            #expect(error.code == .invalidRecord)
            #expect(!"\(error)".contains("s3cret"))
        }
    }

    @Test("What is over all defaults is the address")
    func defaults() throws {
        let settings = try PostgresSettings(url: "postgres://db.example.com/keyway")
        #expect(settings.defaults.map(\.key) == ["target_session_attrs", "sslmode"])
    }
}
