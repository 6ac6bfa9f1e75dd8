"""starlette's event streams (sse-starlette), with a server that is stopped and started while
they are read."""
# pip: starlette==1.10.0 sse-starlette==3.7.0 uvicorn==0.54.0

import asyncio
import sys
import threading
import time

import uvicorn
from counterpart import lull
from sse_starlette.sse import EventSourceResponse
from starlette.applications import Starlette
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

COUNT = 3000


async def events(request):
    last = int(request.headers.get("last-event-id", "0"))
    if last >= COUNT:
        return Response(status_code=204)

    async def numbers():
        for number in range(last + 1, COUNT + 1):
            yield {"id": str(number), "event": "number", "data": f"one\nline {number} – ü", "retry": 20}
            if number % 10 == 0:
                await asyncio.sleep(0.002)

    return EventSourceResponse(numbers(), sep=request.query_params.get("sep", "\r\n"), ping=1)


async def rows(_):
    async def lines():
        for number in range(1, 101):
            yield f'{{"n": {number}}}\n'
            await asyncio.sleep(0)

    return StreamingResponse(lines(), media_type="application/x-ndjson")


class Restarted:
    """Serves the application on one port, stopping and restarting it repeatedly."""

    def __init__(self):
        config = uvicorn.Config(application, host="127.0.0.1", port=0, log_level="critical")
        self.socket = config.bind_socket()
        self.port = self.socket.getsockname()[1]
        self.socket.close()
        self.restarts = 0
        self.is_over = False
        self.thread = threading.Thread(target=self.run)

    def serve_for(self, seconds):
        server = uvicorn.Server(uvicorn.Config(
            application, host="127.0.0.1", port=self.port, log_level="critical",
            timeout_graceful_shutdown=0))
        thread = threading.Thread(target=server.run)
        thread.start()
        end = time.monotonic() + seconds
        while time.monotonic() < end and not self.is_over:
            time.sleep(0.01)
        server.should_exit = server.force_exit = True
        thread.join()

    def run(self):
        while not self.is_over:
            self.serve_for(0.3)
            self.restarts += 1

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.is_over = True
        self.thread.join()


application = Starlette(routes=[Route("/events", events), Route("/rows", rows)])

with Restarted() as server:
    said = lull("starlette_events.lua", f"http://127.0.0.1:{server.port}", COUNT)
    if server.restarts < 3:
        said += f"the server was restarted {server.restarts} times only\n"
if said:
    sys.exit(said)
