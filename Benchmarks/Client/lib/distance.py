"""A file server, and a proxy that adds network delay before a server. Both run in separate threads."""

import asyncio
import contextlib
import http.server
import re
import threading
from pathlib import Path


class FileHandler(http.server.SimpleHTTPRequestHandler):
    """Handles GET requests with keep-alive and single byte ranges."""

    protocol_version = "HTTP/1.1"
    # Header and body are sent together; otherwise one would wait for the acknowledgment of the other.
    wbufsize = -1
    disable_nagle_algorithm = True

    def do_GET(self):
        path = Path(self.translate_path(self.path))
        if not path.is_file():
            return self.answer(404, b"")
        data = path.read_bytes()
        asked = re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range", ""))
        if not asked:
            return self.answer(200, data)
        first, last = int(asked[1]), min(int(asked[2] or len(data)), len(data) - 1)
        if first > last:
            return self.answer(416, b"", f"bytes */{len(data)}")
        return self.answer(206, data[first : last + 1], f"bytes {first}-{last}/{len(data)}")

    def answer(self, status, data, content_range=None):
        self.send_response(status)
        self.send_header("Content-Length", str(len(data)))
        self.send_header("Content-Type", self.guess_type(self.path))
        if content_range:
            self.send_header("Content-Range", content_range)
        self.end_headers()
        self.wfile.write(data)
        self.wfile.flush()

    def log_message(self, *_):
        pass


class FileServer:
    """Serves a folder over HTTP for the duration of the block."""

    def __init__(self, folder):
        def handler(*words):
            return FileHandler(*words, directory=folder)

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self.server.daemon_threads = True
        self.port = self.server.server_address[1]

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()


class Proxy:
    """A proxy before a local port: delays each direction by half a round trip, and a new connection by a whole one."""

    def __init__(self, port):
        self.target = port
        self.round_trip = 0.0
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self.loop.run_forever, daemon=True)

    def set_round_trip(self, milliseconds):
        """Sets the round trip of new connections."""
        self.round_trip = milliseconds / 1000

    def __enter__(self):
        self.thread.start()
        self.server = asyncio.run_coroutine_threadsafe(
            asyncio.start_server(self.connected, "127.0.0.1", 0), self.loop).result()
        self.url = f"http://127.0.0.1:{self.server.sockets[0].getsockname()[1]}"
        return self

    def __exit__(self, *_):
        async def end():
            self.server.close()
            others = asyncio.all_tasks() - {asyncio.current_task()}
            for task in others:
                task.cancel()
            await asyncio.gather(*others, return_exceptions=True)

        asyncio.run_coroutine_threadsafe(end(), self.loop).result()
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join()
        self.loop.close()

    async def connected(self, reader, writer):
        trip = self.round_trip
        # The client's connection is established at once, while over a real distance it would take one round trip.
        established = self.loop.time() + trip
        far_writer = None
        try:
            far_reader, far_writer = await asyncio.open_connection("127.0.0.1", self.target)
            await asyncio.gather(
                self.carry(reader, far_writer, trip / 2, established), self.carry(far_reader, writer, trip / 2, established))
        except (OSError, asyncio.CancelledError):
            pass
        finally:
            for one in (writer, far_writer):
                if one is not None:
                    one.close()

    async def carry(self, reader, writer, delay, established):
        """Forwards one direction: each chunk arrives `delay` after it was sent, in order, and so does the end."""
        # The chunks in transit; bounded, and much larger than the delays need.
        chunks = asyncio.Queue(1024)

        async def receive():
            data = b"-"
            while data:
                try:
                    data = await reader.read(65536)
                except OSError:
                    data = b""
                await chunks.put((max(self.loop.time(), established) + delay, data))

        receiving = asyncio.ensure_future(receive())
        try:
            while True:
                due, data = await chunks.get()
                await asyncio.sleep(max(0, due - self.loop.time()))
                if not data:
                    break
                writer.write(data)
                await writer.drain()
            with contextlib.suppress(OSError):
                writer.write_eof()
        finally:
            receiving.cancel()
