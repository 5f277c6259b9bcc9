import KeyStore
import Testing

@testable import KeyStorePostgres

@Suite("Errors of PostgreSQL as errors of the store")
struct PostgresFailureTests {
    @Test(
        "Each SQLSTATE maps to its code",
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
