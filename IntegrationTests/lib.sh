# Functions for the tests; to be sourced. WORK is the test's temporary folder, the executables are in PATH.
# shellcheck shell=bash
set -euo pipefail
cd "$WORK"
server=
web=
trap 'kill -9 $server $web 2>/dev/null || true' EXIT

fail() {
    echo "FAILED: $*" >&2
    exit 1
}

# expect TEXT COMMAND...: requires that the command succeeds and prints the text.
expect() {
    local text=$1 output
    shift
    output=$("$@" 2>&1) || fail "exit $? of: $* -- $output"
    [[ $output == *"$text"* ]] || fail "'$text' is not in the output of: $* -- $output"
}

# refuse TEXT COMMAND...: requires that the command fails, without a crash, and prints the text.
refuse() {
    local text=$1 output code=0
    shift
    output=$("$@" 2>&1) || code=$?
    [ "$code" -ne 0 ] || fail "expected a failure of: $* -- $output"
    [ "$code" -lt 128 ] || fail "crashed ($code): $* -- $output"
    [[ $output == *"$text"* ]] || fail "'$text' is not in the output of: $* -- $output"
}

# start_server ARGUMENTS...: starts `keyway-server serve` and sets `url`.
start_server() {
    : >server.out # must exist before the loop reads it
    keyway-server serve --listen 127.0.0.1:0 "$@" >server.out 2>server.log &
    server=$!
    url=
    for _ in $(seq 300); do
        url=$(sed -n 's/^listening for apps on //p' server.out)
        [ -z "$url" ] || return 0
        kill -0 "$server" 2>/dev/null || fail "the server stopped: $(cat server.log)"
        sleep 0.1
    done
    fail "the server did not start to listen: $(cat server.log)"
}

# stop_server: sends SIGTERM, and requires that the server stops with success.
stop_server() {
    kill -TERM "$server"
    local code=0
    wait "$server" || code=$?
    server=
    [ "$code" -eq 0 ] || fail "the server stopped with exit code $code: $(cat server.log)"
}

# serve_folder FOLDER: serves a folder over HTTP and sets `site` to its URL.
serve_folder() {
    mkdir -p "$1"
    : >web.out # must exist before the loop reads it
    python3 -u -m http.server 0 --bind 127.0.0.1 --directory "$1" >web.out 2>web.log &
    web=$!
    for _ in $(seq 100); do
        site=http://127.0.0.1:$(sed -n 's/.* port \([0-9]*\).*/\1/p' web.out)
        [ "$site" = http://127.0.0.1: ] || return 0
        sleep 0.1
    done
    fail "the web server did not start to listen: $(cat web.log)"
}

# make_credentials: creates development credentials in dev/, and a bundle `app` in data/.
make_credentials() {
    expect certificate keyway credentials new --out dev
    expect "added development bundle" keyway-server certificates add --data data --name app --kind development \
        --certificate dev/certificate.der --private-key dev/private-key.pem --ask @dev/ask.hex
}

# fingerprint FILE: prints the first 16 hexadecimal digits of SHA-256 over the bytes that the file contains in hexadecimal.
fingerprint() {
    # shellcheck disable=SC2059
    printf "$(sed 's/../\\x&/g' "$1")" | sha256sum | cut -c1-16
}
