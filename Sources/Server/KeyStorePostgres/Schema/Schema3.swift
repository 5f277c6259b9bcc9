/// PostgresSchema 3: fingerprints of SPCs, and facts that devices reported against themselves.
///
/// A server of an older schema neither reads nor writes them. While such a server runs alongside newer ones, it does
/// not detect SPCs that were changed in transit.
enum Schema3 {
    static let script = """
        -- The oldest rows beyond a limit are deleted, in the order of arrival.
        CREATE TABLE spc (
            key BYTEA PRIMARY KEY CHECK (length(key) = 16), -- hash of the RSA block
            digest BYTEA NOT NULL CHECK (length(digest) = 16), -- hash of the whole message
            expires BIGINT NOT NULL,
            number BIGINT GENERATED ALWAYS AS IDENTITY
        );
        CREATE INDEX spc_by_expiry ON spc (expires);
        CREATE INDEX spc_by_number ON spc (number);

        CREATE TABLE device_report (
            device device_hash NOT NULL,
            fact label NOT NULL,
            value BIGINT NOT NULL,
            until BIGINT NOT NULL,
            PRIMARY KEY (device, fact)
        );
        CREATE INDEX device_report_by_end ON device_report (until);
        """
}
