import KeyStore
import Testing

@testable import KeyStorePostgres

@Suite("PostgreSQL's failures in the store's words")
struct PostgresFailureTests {
    @Test(
        "Each state has its code",
        arguments: [
            ("53100", KeyStoreError.Code.diskFull), ("53200", .overloaded), ("53300", .overloaded), ("40001", .locked),
            ("57014", .locked), ("XX001", .corrupt), ("22021", .invalidRecord), ("58030", .unavailable),
        ]
    )
    func codes(_ state: String, _ code: KeyStoreError.Code) {
        let failure = PostgresFailure.refused(state: state, message: "could not extend file")
        #expect(KeyStoreError(failure, place: "audit").code == code)
    }
}
