/// Schema 3: the SPCs that were seen, and what devices reported against themselves.
///
/// A server of an older schema neither reads nor writes them: while one runs beside newer ones, it does not tell an SPC that was
/// changed on its way.
enum Schema3 {
    static let script = """
        -- Of too many the oldest are deleted, in the order of their arrival.
        CREATE TABLE spc (
            key BYTEA PRIMARY KEY CHECK (length(key) = 16), -- of the RSA block
            digest BYTEA NOT NULL CHECK (length(digest) = 16), -- of the whole message
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
