/// PostgresSchema 2: schedules of live channels.
///
/// A server of schema 1 ignores schedules. The foreign key still prevents it from deleting a track that a schedule
/// refers to.
enum PostgresSchema2 {
    static let script = """
        CREATE TABLE channel (
            title_name label PRIMARY KEY REFERENCES title (name),
            length BIGINT NOT NULL,
            ahead BIGINT NOT NULL,
            starts BIGINT,
            is_paused BOOLEAN NOT NULL,
            created BIGINT NOT NULL,
            updated BIGINT NOT NULL
        );

        CREATE TABLE channel_track (
            title_name label NOT NULL REFERENCES channel (title_name) ON DELETE CASCADE,
            track_name label NOT NULL,
            PRIMARY KEY (title_name, track_name),
            FOREIGN KEY (title_name, track_name) REFERENCES track (title_name, name)
        );
        """
}
